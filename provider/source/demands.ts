import { isDeepStrictEqual } from "node:util";
import type { InputRow, RuleResult } from "../resource/inputTable";
import { isUnknown } from "../messages/unknown";

/** The largest bundle that is accepted: a larger one is refused. */
export interface BundleLimits {
  /** Size of the archive, in bytes. @default 2 GiB */
  archiveBytes?: number;
  /** Size of all files together, unpacked, in bytes. @default 8 GiB */
  unpackedBytes?: number;
  /** Number of files and folders. @default 500000 */
  files?: number;
}

/** Requirements on a bundle before it is published: inputs that several resources share. */
export interface BundleDemands {
  readonly requireSelfContained: boolean;
  readonly limits: Required<BundleLimits>;
}

const GIB = 2 ** 30;
const DEFAULT_LIMITS: Required<BundleLimits> = {
  archiveBytes: 2 * GIB,
  unpackedBytes: 8 * GIB,
  files: 500_000,
};

/** More than anyone needs: a larger value is a typing error. */
const MAX_KEEP = 1_000;

/** The definition of the input `requireSelfContained`. */
export const REQUIRE_SELF_CONTAINED: InputRow = {
  change: "remembered",
  default: false,
  rule: (value) => (typeof value === "boolean" ? { value } : { problem: "must be true or false" }),
};

/** The definition of the input `limits`. */
export const LIMITS: InputRow = {
  change: "remembered",
  default: {},
  rule: ruleOfLimits,
  isSame: isDeepStrictEqual,
};

/** The definition of the input `keep`. */
export const KEEP: InputRow = {
  change: "remembered",
  default: 1,
  rule: (value) =>
    Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MAX_KEEP
      ? { value }
      : { problem: `must be a whole number from 0 to ${MAX_KEEP}` },
};

function ruleOfLimits(value: unknown): RuleResult {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return { problem: "must be an object, such as { archiveBytes: 1e9 }" };
  }
  const given = Object.entries(value).filter(([, limit]) => limit !== null && limit !== undefined);
  for (const [name, limit] of given) {
    if (!Object.hasOwn(DEFAULT_LIMITS, name)) {
      const names = Object.keys(DEFAULT_LIMITS).join(", ");
      return { at: name, problem: `there is no such limit. Limits are: ${names}` };
    }
    if (!isUnknown(limit) && !(Number.isSafeInteger(limit) && Number(limit) > 0)) {
      return { at: name, problem: "must be a whole number above 0" };
    }
  }
  return { value: { ...DEFAULT_LIMITS, ...Object.fromEntries(given) } };
}
