import { createHash } from "node:crypto";

/**
 * What is stored of an intent (see `intentOf`), which may be made from secrets: with a salt of its own for each place, so
 * that nobody can look it up in a table, or see that two are the same. Earlier releases stored it without.
 */
export function salted(intent: string, salt: string | undefined): string {
  if (salt === undefined) return intent;
  return createHash("sha256")
    .update(JSON.stringify([salt, intent]))
    .digest("hex");
}

/** The intent of who wants no particular content: no `version`, no `triggers`, no `jobId`, no `exportOptions`. */
const NOTHING_WANTED = createHash("sha256").update("[null,[],null]").digest("hex");

/**
 * The salt with which an intent is stored: none where it is made from nothing, so that earlier releases understand it after a
 * downgrade.
 *
 * @param random numbers in [0, 1)
 */
export function saltFor(intent: string, random: () => number): string | undefined {
  return intent === NOTHING_WANTED ? undefined : newSalt(random);
}

/**
 * @param random numbers in [0, 1)
 * @returns 32 hexadecimal digits
 */
function newSalt(random: () => number): string {
  const part = (): string => Math.floor(random() * 2 ** 32).toString(16);
  return [part(), part(), part(), part()].map((digits) => digits.padStart(8, "0")).join("");
}
