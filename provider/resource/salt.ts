import { hash } from "node:crypto";

/**
 * The stored form of an intent (see `intentOf`), which may be derived from secrets. Each stored intent has its own salt, which
 * prevents table lookups and hides that two intents are equal. Earlier releases stored it without a salt.
 */
export function salted(intent: string, salt: string | undefined): string {
  if (salt === undefined) return intent;
  return hash("sha256", JSON.stringify([salt, intent]));
}

/** The intent without any wanted content: no `version`, no `triggers`, no `jobId`, no `exportOptions`. */
const NOTHING_WANTED = hash("sha256", "[null,[],null]");

/**
 * The salt for a stored intent. An intent without any wanted content gets none, so that earlier releases can read it after a
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
