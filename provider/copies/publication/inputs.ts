import { isDeepStrictEqual } from "node:util";
import { DEFAULT_UNPACKED_BYTES } from "../../site/archive/unpackedBound";
import { isUnknown } from "../../runtime/messages/plainText";
import type { SearchOptions } from "../../site/offlineSearch/options";
import { type InputRow, type InputTable, type RuleResult, text } from "../../resource/inputTable";
import type { BundleLimits } from "../source/requirements";
import { variableNameProblem } from "../../resource/serviceInputs";

const GIB = 2 ** 30;
const DEFAULT_LIMITS: Required<BundleLimits> = {
  archiveBytes: 2 * GIB,
  unpackedBytes: DEFAULT_UNPACKED_BYTES,
  files: 500_000,
};

/** More than anyone needs: a larger value is a typing error. */
const MAX_KEEP = 1_000;

/** The options of a search, and what each is. */
const SEARCH_OPTIONS: Readonly<Record<keyof SearchOptions, "boolean" | "list">> = {
  button: "boolean",
  shortcuts: "boolean",
  openFrom: "list",
  exclude: "list",
};

/** The row of `signingKeyEnv`. */
export const SIGNING_KEY_INPUT: InputRow = {
  change: "content",
  rule: text((value, configuration) => {
    const problem = variableNameProblem(value, configuration);
    return problem === undefined ? { value } : { problem };
  }),
};

/** The rows of the inputs that all publishing resources share. */
export const PUBLICATION_INPUTS: InputTable<{
  requireSelfContained: boolean;
  limits: BundleLimits;
  keep: number;
  offlineSearch?: boolean | SearchOptions;
}> = {
  requireSelfContained: {
    change: "remembered",
    default: false,
    rule: (value) => (typeof value === "boolean" ? { value } : { problem: "must be true or false" }),
  },
  limits: { change: "remembered", default: {}, rule: ruleOfLimits, isSame: isDeepStrictEqual },
  keep: {
    change: "remembered",
    default: 1,
    rule: (value) =>
      Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MAX_KEEP
        ? { value }
        : { problem: `must be a whole number from 0 to ${MAX_KEEP}` },
  },
  // `false` is the same as an absent value, and no options the same as `true`
  offlineSearch: { change: "content", rule: ruleOfSearch, isSame: isDeepStrictEqual },
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

function ruleOfSearch(value: unknown): RuleResult {
  if (typeof value === "boolean") return { value: value ? true : undefined };
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return { problem: 'must be true, false, or options such as { button: false, exclude: ["v1/**"] }' };
  }
  const given = Object.entries(value).filter(([, each]) => each !== null && each !== undefined);
  for (const [name, each] of given) {
    if (!Object.hasOwn(SEARCH_OPTIONS, name)) {
      return {
        at: name,
        problem: `there is no such option. Options are: ${Object.keys(SEARCH_OPTIONS).join(", ")}`,
      };
    }
    const problem = isUnknown(each)
      ? undefined
      : problemOf(SEARCH_OPTIONS[name as keyof SearchOptions], each);
    if (problem !== undefined) return { at: name, problem };
  }
  return { value: given.length === 0 ? true : Object.fromEntries(given) };
}

function problemOf(kind: "boolean" | "list", value: unknown): string | undefined {
  if (kind === "boolean") return typeof value === "boolean" ? undefined : "must be true or false";
  const isText = (each: unknown): boolean => typeof each === "string" && each.trim() !== "";
  return Array.isArray(value) && value.every(isText)
    ? undefined
    : "must be a list of texts that are not empty";
}
