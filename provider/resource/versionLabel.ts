import type { RuleResult } from "./inputTable";

/** Longest version label, in characters: far more than a commit or a date needs, and short enough for readable previews. */
const MAX_VERSION_LENGTH = 128;

/** The problem of a label that is no text: programs in YAML read a version that looks like a number as one. */
export function problemOfLabel(value: unknown): string {
  if (typeof value !== "number") return `must be a string, not ${typeof value}`;
  return (
    `must be a string, not the number ${value}. Pulumi reads a version that looks like a number, such as 20261125 or the ` +
    "commit 5326e15, as a number in programs in YAML. Write a version that cannot be one: v20261125, 2026-11-25, or commit-5326e15"
  );
}

/** The rule of a content label, such as a commit or a date. */
export function ruleOfVersion(value: string): RuleResult {
  return value.trim() !== "" && value.length <= MAX_VERSION_LENGTH && !/\p{Cc}/u.test(value)
    ? { value }
    : { problem: `must have 1 to ${MAX_VERSION_LENGTH} characters, none of them a control character` };
}
