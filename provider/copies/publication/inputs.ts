import { isDeepStrictEqual } from "node:util";
import { isUnknown } from "../../base/runtime/messages/plainText";
import { parseDuration } from "../../base/runtime/time/duration";
import { hasFields } from "../../base/runtime/values/fields";
import {
  DEFAULT_UNPACKED_BYTES,
  type FetchLimits,
  type FetchOptions,
  type LlmsTxtOptions,
  patternProblem,
  type SearchOptions,
} from "../../publishing/index";
import { variableNameProblem } from "../../resource/inputRules";
import {
  type InputFields,
  type InputRow,
  type InputTable,
  ruleOfFields,
  ruleOfSwitch,
  type RuleResult,
  text,
} from "../../resource/inputTable";
import type { ConfigurationSource } from "../../service/configuration";
import type { BundleLimits } from "../source/requirements";

const GIB = 2 ** 30;
const DEFAULT_LIMITS: Required<BundleLimits> = {
  archiveBytes: 2 * GIB,
  unpackedBytes: DEFAULT_UNPACKED_BYTES,
  files: 500_000,
};

/** More than anyone needs: a larger value is a typing error. */
const MAX_KEEP = 1_000;
const MAX_REDIRECTS = 20;

const ruleOfLimit = (limit: unknown): RuleResult =>
  Number.isSafeInteger(limit) && Number(limit) > 0
    ? { value: limit }
    : { problem: "must be a whole number above 0" };
const ruleOfList = (value: unknown): RuleResult =>
  Array.isArray(value) && value.every((each) => typeof each === "string" && each.trim() !== "")
    ? { value }
    : { problem: "must be a list of texts that are not empty" };

const LIMITS: InputFields<BundleLimits> = {
  archiveBytes: { rule: ruleOfLimit },
  unpackedBytes: { rule: ruleOfLimit },
  files: { rule: ruleOfLimit },
};
const SEARCH_OPTIONS: InputFields<SearchOptions> = {
  button: { rule: ruleOfSwitch },
  shortcuts: { rule: ruleOfSwitch },
  openFrom: { rule: ruleOfList },
  exclude: { rule: ruleOfList },
  includeNoindex: { rule: ruleOfSwitch },
};

const LLMS_OPTIONS: InputFields<LlmsTxtOptions> = {
  title: { rule: text(ruleOfLine) },
  summary: { rule: text(ruleOfLine) },
  baseUrl: { rule: text(ruleOfSiteUrl) },
  exclude: { rule: ruleOfList },
  full: { rule: ruleOfSwitch },
};
const FETCH_LIMITS: InputFields<FetchLimits> = {
  assetBytes: { rule: ruleOfLimit },
  bytes: { rule: ruleOfLimit },
  assets: { rule: ruleOfLimit },
  time: {
    rule: text((value) =>
      parseDuration(value) === undefined
        ? { problem: 'must be a duration such as "90s" or "10m"' }
        : { value },
    ),
  },
  redirects: {
    rule: (value) =>
      Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MAX_REDIRECTS
        ? { value }
        : { problem: `must be a whole number from 0 to ${MAX_REDIRECTS}` },
  },
};
const FETCH_OPTIONS: InputFields<FetchOptions> = {
  include: { rule: ruleOfPatterns },
  exclude: { rule: ruleOfPatterns },
  limits: {
    rule: (value, configuration) =>
      hasFields(value)
        ? ruleOfFields(FETCH_LIMITS, "there is no such limit. Limits are", value, configuration)
        : { problem: 'must be an object, such as { bytes: 1e8, time: "2m" }' },
  },
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
  llmsTxt?: boolean | LlmsTxtOptions;
  fetchExternal?: boolean | FetchOptions;
  takeOver?: boolean;
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
  offlineSearch: additionRow(SEARCH_OPTIONS, '{ button: false, exclude: ["v1/**"] }'),
  llmsTxt: additionRow(LLMS_OPTIONS, '{ full: true, exclude: ["v1/**"] }'),
  fetchExternal: additionRow(FETCH_OPTIONS, '{ exclude: ["images.example.com"] }'),
  // `false` is the same as an absent value: states of versions without it have no diff
  takeOver: {
    change: "remembered",
    rule: (value, configuration) => {
      const ruled = ruleOfSwitch(value, configuration);
      return "value" in ruled ? { value: ruled.value === true ? true : undefined } : ruled;
    },
  },
};

function ruleOfLine(value: string): RuleResult {
  return value.trim() === "" || /[\n\r]/.test(value)
    ? { problem: "must be a text in one line that is not empty" }
    : { value: value.trim() };
}

function ruleOfSiteUrl(value: string): RuleResult {
  const url = URL.parse(value);
  const isAddress =
    /^https?:$/.test(url?.protocol ?? "") && url?.username === "" && url.search === "" && url.hash === "";
  return isAddress
    ? { value: value.trim() }
    : {
        problem:
          "must be the address of the site, such as https://docs.example.com/, without a login, query or fragment",
      };
}

/** Patterns of hosts and paths. */
function ruleOfPatterns(value: unknown): RuleResult {
  if (!Array.isArray(value)) return { problem: 'must be a list, such as ["fonts.gstatic.com"]' };
  for (const [index, each] of (value as unknown[]).entries()) {
    if (isUnknown(each)) continue;
    const problem = typeof each === "string" ? patternProblem(each) : "must be a string";
    if (problem !== undefined) return { at: String(index), problem };
  }
  return { value };
}

function ruleOfLimits(value: unknown, configuration: ConfigurationSource): RuleResult {
  if (!hasFields(value)) return { problem: "must be an object, such as { archiveBytes: 1e9 }" };
  const ruled = ruleOfFields(LIMITS, "there is no such limit. Limits are", value, configuration);
  return "problem" in ruled ? ruled : { value: { ...DEFAULT_LIMITS, ...ruled.value } };
}

/**
 * The row of an addition to a site: `true`, or its options. `false` is the same as an absent value, and no options the same as `true`.
 *
 * @param example of options, for messages
 */
function additionRow<Options extends object>(options: InputFields<Options>, example: string): InputRow {
  const rule = (value: unknown, configuration: ConfigurationSource): RuleResult => {
    if (typeof value === "boolean") return { value: value ? true : undefined };
    if (!hasFields(value)) return { problem: `must be true, false, or options such as ${example}` };
    const ruled = ruleOfFields(options, "there is no such option. Options are", value, configuration);
    return "problem" in ruled || Object.keys(ruled.value).length > 0 ? ruled : { value: true };
  };
  return { change: "content", rule, isSame: isDeepStrictEqual };
}
