import type { RuleResult } from "./inputTable";

/** Longest version label, in characters. Far more than a commit or a date; keeps previews readable. */
const MAX_VERSION_LENGTH = 128;

/** The rule of a label of content: a commit, a date. */
export function ruleOfVersion(value: string): RuleResult {
  return value.trim() !== "" && value.length <= MAX_VERSION_LENGTH && !/\p{Cc}/u.test(value)
    ? { value }
    : { problem: `must have 1 to ${MAX_VERSION_LENGTH} characters, none of them a control character` };
}
