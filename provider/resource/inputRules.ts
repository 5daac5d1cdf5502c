import type { ConfigurationSource } from "../service/configuration";
import { normaliseDomain } from "../service/domain";
import { isIdentifier } from "../service/identifier";
import { type InputRow, type RuleResult, text } from "./inputTable";

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

/** Longest version label, in characters: far more than a commit or a date needs, and short enough for readable previews. */
const MAX_VERSION_LENGTH = 128;

/** The problem of a label that is not text. In programs in YAML that is not the author's fault, so the message says more. */
function problemOfLabel(value: unknown): string {
  if (typeof value !== "number") return `must be a string, not ${typeof value}`;
  return (
    `must be a string, not the number ${value}: write it in quotes, or make it a string. In programs in YAML, a value of the configuration ` +
    "that looks like a number (20261125, the commit 5326e15) is one, also in quotes: set v20261125, 2026-11-25, or commit-5326e15"
  );
}

/** The rule of a content label, such as a commit or a date. */
export function ruleOfVersion(value: unknown): RuleResult {
  if (typeof value !== "string") return { problem: problemOfLabel(value) };
  return value.trim() !== "" && value.length <= MAX_VERSION_LENGTH && !/\p{Cc}/u.test(value)
    ? { value }
    : { problem: `must have 1 to ${MAX_VERSION_LENGTH} characters, none of them a control character` };
}

/** The rule of a site's domain. */
export const ruleOfDomain: InputRow["rule"] = text((value) => {
  const result = normaliseDomain(value);
  return "domain" in result ? { value: result.domain } : result;
});

/** The rule of an id. @param what "an id of a job" */
export const ruleOfId = (what: string): InputRow["rule"] =>
  text((value) =>
    isIdentifier(value)
      ? { value }
      : { problem: `is not ${what}: visible ASCII characters, at most 512 of them` },
  );
