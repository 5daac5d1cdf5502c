import { isDeepStrictEqual } from "node:util";
import { DEFAULT_UNPACKED_BYTES } from "../../site/archive/unpackedBound";
import type { SearchOptions } from "../../site/offlineSearch/options";
import {
  type InputRow,
  type InputTable,
  ruleOfFields,
  type RuleResult,
  ruleOfSwitch,
  text,
} from "../../resource/inputTable";
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

const problemOfLimit = (limit: unknown): string | undefined =>
  Number.isSafeInteger(limit) && Number(limit) > 0 ? undefined : "must be a whole number above 0";
const problemOfSwitch = (value: unknown): string | undefined =>
  typeof value === "boolean" ? undefined : "must be true or false";
const problemOfList = (value: unknown): string | undefined =>
  Array.isArray(value) && value.every((each) => typeof each === "string" && each.trim() !== "")
    ? undefined
    : "must be a list of texts that are not empty";

/** The problem of each option of a search. */
const SEARCH_OPTIONS: Readonly<Record<keyof SearchOptions, (value: unknown) => string | undefined>> = {
  button: problemOfSwitch,
  shortcuts: problemOfSwitch,
  openFrom: problemOfList,
  exclude: problemOfList,
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
    rule: ruleOfSwitch,
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
  const problems = { archiveBytes: problemOfLimit, unpackedBytes: problemOfLimit, files: problemOfLimit };
  const ruled = ruleOfFields(value, "limit", problems, "must be an object, such as { archiveBytes: 1e9 }");
  return "problem" in ruled ? ruled : { value: { ...DEFAULT_LIMITS, ...ruled.value } };
}

function ruleOfSearch(value: unknown): RuleResult {
  if (typeof value === "boolean") return { value: value ? true : undefined };
  const otherwise = 'must be true, false, or options such as { button: false, exclude: ["v1/**"] }';
  const ruled = ruleOfFields(value, "option", SEARCH_OPTIONS, otherwise);
  return "problem" in ruled || Object.keys(ruled.value).length > 0 ? ruled : { value: true };
}
