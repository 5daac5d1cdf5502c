import { isDeepStrictEqual } from "node:util";
import type { ConfigurationSource } from "../service/configuration";
import { normaliseDomain } from "./domainName";
import { parseDuration } from "../time/duration";
import { InputRules, SERVICE_INPUTS, type CheckFailure, type ServiceInputs } from "../resource/inputRules";
import { isIdentifier } from "../service/identifier";

/** The inputs of a static export, as plain values. The one source of their names and meanings. */
export interface StaticExportInputs extends ServiceInputs {
  /** The site to export, such as `docs.example.com`. Stored in lower case, international names in punycode. */
  domain: string;
  /**
   * Label of the content: a commit, a date. Known in previews; becomes `staticExport.version` of the installation.
   * A new value exports again.
   *
   * @default the id of the job
   */
  version?: string;
  /** A change of any value exports again. */
  triggers?: unknown[];
  /**
   * An existing job to adopt: nothing is started; it is awaited if it still runs, and a link is minted. How to roll
   * back, and how to bring an export made elsewhere under management. While it is given, `version` is only a label and
   * `triggers` do nothing. Removed again, its content stays until `version` or `triggers` change.
   */
  jobId?: string;
  /**
   * Renew the link when less than this is left: a duration such as `"24h"`. At most half of the link's life counts.
   *
   * @default a third of the link's life
   */
  renewBefore?: string;
  /**
   * Further fields of the request that starts the job, for services that take more than `domain`, such as
   * `{ paths: ["/guide"] }`. Sent as they are; `domain` is not allowed among them. A change exports again. While `jobId`
   * is given they do nothing.
   */
  exportOptions?: Record<string, unknown>;
}

/** Inputs after check: defaults filled in, one spelling for each value. */
export type CheckedInputs = StaticExportInputs & Required<ServiceInputs>;

/** Longest version label, in characters. Far more than a commit or a date; keeps previews readable. */
const MAX_VERSION_LENGTH = 128;

const NAMES = [
  "domain",
  "version",
  "triggers",
  "jobId",
  "renewBefore",
  "exportOptions",
  ...SERVICE_INPUTS,
] as const;

/**
 * All input rules, applied before any request and without any. Values that a preview does not know yet pass unseen.
 */
export function checkInputs(
  given: Readonly<Record<string, unknown>>,
  configuration: ConfigurationSource,
): { inputs: CheckedInputs; failures: CheckFailure[] } {
  const rules = new InputRules(given, NAMES);
  const { inputs, failures } = rules;
  rules.required("domain", 'the site to export, such as "docs.example.com"');
  rules.text("domain", (value) => {
    const result = normaliseDomain(value);
    return "domain" in result ? result.domain : rules.fail("domain", result.problem);
  });
  rules.text("version", (value) => {
    if (value.trim() !== "" && value.length <= MAX_VERSION_LENGTH && !/\p{Cc}/u.test(value)) return value;
    return rules.fail(
      "version",
      `must have 1 to ${MAX_VERSION_LENGTH} characters, none of them a control character`,
    );
  });
  rules.text("jobId", (value) =>
    isIdentifier(value)
      ? value
      : rules.fail("jobId", "is not an id of a job: visible ASCII characters, at most 512 of them"),
  );
  rules.text("renewBefore", (value) =>
    parseDuration(value) !== undefined
      ? value
      : rules.fail("renewBefore", `"${value}" is not a duration; write it like "90s", "30m" or "24h"`),
  );
  const triggers = rules.known("triggers");
  if (triggers !== undefined && !Array.isArray(triggers)) rules.fail("triggers", "must be a list");
  const exportOptions = rules.known("exportOptions");
  if (exportOptions !== undefined && (typeof exportOptions !== "object" || Array.isArray(exportOptions))) {
    rules.fail(
      "exportOptions",
      'must be an object of fields of the start request, such as { paths: ["/guide"] }',
    );
  } else if (exportOptions !== undefined && Object.hasOwn(exportOptions as object, "domain")) {
    rules.fail(
      "exportOptions",
      "must not have the field domain: the input domain says which site is exported",
    );
  }
  rules.service(configuration);
  return { inputs: inputs as unknown as CheckedInputs, failures };
}

/** Whether two values of `triggers` are the same; absent and empty are. */
export function sameTriggers(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(one ?? [], other ?? []);
}

/** Whether two values of `exportOptions` are the same; absent and empty are. */
export function sameExportOptions(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(one ?? {}, other ?? {});
}
