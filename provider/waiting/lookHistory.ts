import type { Observation } from "./observation";

/** How many looks are remembered at most: those of hours, when progress is told in fractions; of any time, in whole percents. */
const MAX_LOOKS = 210;

/**
 * Adds a look to the history of a wait, which forgets what no forecast needs: between the first and the last look at a
 * percentage, and before the last two hundred changes. So a wait of a day takes no more memory than one of an hour.
 */
export function remember(history: Observation[], look: Observation): void {
  const [before, last] = [history.at(-2), history.at(-1)];
  if (before && before.progress === last?.progress && look.progress === last?.progress) history.pop();
  history.push(look);
  if (history.length > MAX_LOOKS) history.shift();
}
