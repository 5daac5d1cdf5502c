import type { Observation } from "./observation";

/** Maximum number of kept polls: enough for hours if progress is fractional, and for any time if it is in whole percents. */
const MAX_POLLS = 210;

/**
 * Adds a poll to the history of a wait. It drops polls that no forecast needs: those between the first and the last poll at a
 * percentage, and those before the last two hundred changes. So a wait of a day needs no more memory than one of an hour.
 */
export function remember(history: Observation[], poll: Observation): void {
  const [before, last] = [history.at(-2), history.at(-1)];
  if (before && before.progress === last?.progress && poll.progress === last?.progress) history.pop();
  history.push(poll);
  if (history.length > MAX_POLLS) history.shift();
}
