import type { RuleResult } from "./inputTable";

/** Longest version label, in characters: far more than a commit or a date needs, and short enough for readable previews. */
const MAX_VERSION_LENGTH = 128;

/** The rule of a content label, such as a commit or a date. */
export function ruleOfVersion(value: string): RuleResult {
  return value.trim() !== "" && value.length <= MAX_VERSION_LENGTH && !/\p{Cc}/u.test(value)
    ? { value }
    : { problem: `must have 1 to ${MAX_VERSION_LENGTH} characters, none of them a control character` };
}
