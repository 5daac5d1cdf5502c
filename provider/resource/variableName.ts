import type { ConfigurationSource } from "../service/configuration";

/** Part of the problem of an input that is a key. Nothing may show its value, so a failure with it does not name the property. */
export const NOT_THE_KEY = "not the key itself";

/** Names of variables are shorter than keys, in characters. */
const LONGEST_NAME = 64;
/** From this length on, a text of one letter case with digits, or of mixed letters and digits, is a key. */
const SHORTEST_KEY = 32;

/**
 * The problem of a text as the name of an environment variable, if any. A key that was pasted in its place is registered as a secret.
 */
export function variableNameProblem(
  value: string,
  { secrets }: Pick<ConfigurationSource, "secrets"> = {},
): string | undefined {
  if (/^[A-Za-z_]\w*$/.test(value) && !isKeyLike(value)) return undefined;
  secrets?.add(value);
  return `must be the name of an environment variable, ${NOT_THE_KEY}: letters, digits and _`;
}

function isKeyLike(value: string): boolean {
  if (value.length > LONGEST_NAME || value.startsWith("svc_")) return true;
  const isMixed = /[a-z]/.test(value) && /[A-Z]/.test(value) && /\d/.test(value);
  return value.length >= SHORTEST_KEY && (isMixed || /^[0-9a-f]+$/i.test(value));
}
