import { hash } from "node:crypto";

/**
 * What is stored of an intent (see `intentOf`), which may be made from secrets: with a salt of its own for each place, so
 * that nobody can look it up in a table, or see that two are the same. Earlier releases stored it without.
 */
export function salted(intent: string, salt: string | undefined): string {
  if (salt === undefined) return intent;
  return hash("sha256", JSON.stringify([salt, intent]));
}

/** The intent of who wants no particular content: no `version`, no `triggers`, no `jobId`, no `exportOptions`. */
const NOTHING_WANTED = hash("sha256", "[null,[],null]");

/**
 * The salt with which an intent is stored: none where it is made from nothing, so that earlier releases understand it after a
 * downgrade.
 *
 * @param random numbers in [0, 1)
 * @returns 32 hexadecimal digits
 */
export function saltFor(intent: string, random: () => number): string | undefined {
  if (intent === NOTHING_WANTED) return undefined;
  const digits = Array.from({ length: 4 }, () => Math.floor(random() * 2 ** 32).toString(16));
  return digits.map((each) => each.padStart(8, "0")).join("");
}
