import type { Observation } from "./observation";

/** How many polls are remembered at most: those of hours, when progress is told in fractions; of any time, in whole percents. */
const MAX_POLLS = 210;

/**
 * Adds a poll to the history of a wait, which forgets what no forecast needs: between the first and the last poll at a
 * percentage, and before the last two hundred changes. So a wait of a day takes no more memory than one of an hour.
 */
export function remember(history: Observation[], poll: Observation): void {
  const [before, last] = [history.at(-2), history.at(-1)];
  if (before && before.progress === last?.progress && poll.progress === last?.progress) history.pop();
  history.push(poll);
  if (history.length > MAX_POLLS) history.shift();
}
