import { isDeepStrictEqual } from "node:util";
import { resolveApiKey, resolveBaseUrl, API_KEY_VARIABLE, type ConfigurationSource } from "./configuration";
import { normaliseDomain } from "./domainName";
import { parseDuration } from "./duration";
import { ConfigurationError } from "./errors";
import { isJobId } from "./jobId";
import { isUnknown } from "./unknown";

/** The inputs of a static export, as plain values. The one source of their names and meanings. */
export interface StaticExportInputs {
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
   * Renew the link when less than this is left: a duration such as `"24h"`.
   *
   * @default a third of the link's life
   */
  renewBefore?: string;
  /**
   * Base URL of the service. A change replaces the resource.
   *
   * @default `DOCS_HOSTING_BASE_URL`, then the config `docs-hosting:baseUrl`
   */
  baseUrl?: string;
  /**
   * Name of the environment variable that holds the admin API key, for a second account.
   *
   * @default `DOCS_HOSTING_ADMIN_API_KEY` (then the config `docs-hosting:adminApiKey`)
   */
  apiKeyEnv?: string;
}

/** Inputs after check: defaults filled in, one spelling for each value. */
export type CheckedInputs = StaticExportInputs & Required<Pick<StaticExportInputs, "baseUrl" | "apiKeyEnv">>;

/** Longest version label, in characters. Far more than a commit or a date; keeps previews readable. */
const MAX_VERSION_LENGTH = 128;

const NAMES = ["domain", "version", "triggers", "jobId", "renewBefore", "baseUrl", "apiKeyEnv"] as const;

/** What is wrong with one of the user's own properties. */
export interface CheckFailure {
  property: string;
  reason: string;
}

/**
 * All input rules, applied before any request and without any. Values that a preview does not know yet pass unseen.
 */
export function checkInputs(
  given: Readonly<Record<string, unknown>>,
  configuration: ConfigurationSource,
): { inputs: CheckedInputs; failures: CheckFailure[] } {
  const failures: CheckFailure[] = [];
  const inputs: Record<string, unknown> = {};
  const fail = (property: string, reason: string): undefined => {
    failures.push({ property, reason });
  };
  for (const [name, value] of Object.entries(given)) {
    if (value === null || value === undefined) continue; // null, undefined and absent are the same
    inputs[name] = value;
    if (!(NAMES as readonly string[]).includes(name)) {
      fail(name, `there is no such input. Inputs are: ${NAMES.join(", ")}`);
    }
  }
  /** Replaces a known text by what `rule` makes of it. */
  const text = (name: (typeof NAMES)[number], rule: (value: string) => string | undefined): void => {
    const value = inputs[name];
    if (value === undefined || isUnknown(value)) return;
    inputs[name] =
      typeof value === "string" ? rule(value) : fail(name, `must be a string, not ${typeof value}`);
  };

  if (inputs["domain"] === undefined)
    fail("domain", 'is required: the site to export, such as "docs.example.com"');
  text("domain", (value) => {
    const result = normaliseDomain(value);
    return "domain" in result ? result.domain : fail("domain", `"${value}" ${result.problem}`);
  });
  text("version", (value) => {
    if (value.trim() !== "" && value.length <= MAX_VERSION_LENGTH && !/\p{Cc}/u.test(value)) return value;
    return fail(
      "version",
      `must have 1 to ${MAX_VERSION_LENGTH} characters, none of them a control character`,
    );
  });
  text("jobId", (value) =>
    isJobId(value)
      ? value
      : fail("jobId", "is not an id of a job: visible ASCII characters, at most 512 of them"),
  );
  text("renewBefore", (value) =>
    parseDuration(value) !== undefined
      ? value
      : fail("renewBefore", `"${value}" is not a duration; write it like "90s", "30m" or "24h"`),
  );
  text("baseUrl", (value) => value);
  text("apiKeyEnv", (value) =>
    /^[A-Za-z_][A-Za-z0-9_]*$/.test(value)
      ? value
      : fail(
          "apiKeyEnv",
          "is the name of an environment variable (not the key itself): letters, digits and _",
        ),
  );
  if (
    inputs["triggers"] !== undefined &&
    !isUnknown(inputs["triggers"]) &&
    !Array.isArray(inputs["triggers"])
  ) {
    fail("triggers", "must be a list");
  }

  inputs["apiKeyEnv"] ??= API_KEY_VARIABLE;
  const configured = <T>(property: string, resolve: () => T): T | undefined => {
    try {
      return resolve();
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      return fail(property, `${error.message}. ${error.remedy}`);
    }
  };
  const { baseUrl, apiKeyEnv } = inputs;
  const failed = new Set(failures.map(({ property }) => property));
  if (!isUnknown(baseUrl) && !failed.has("baseUrl")) {
    inputs["baseUrl"] = configured("baseUrl", () =>
      resolveBaseUrl(configuration, typeof baseUrl === "string" ? baseUrl : undefined),
    );
  }
  if (typeof apiKeyEnv === "string" && !isUnknown(apiKeyEnv) && !failed.has("apiKeyEnv")) {
    configured("apiKeyEnv", () => resolveApiKey(configuration, apiKeyEnv));
  }
  return { inputs: inputs as unknown as CheckedInputs, failures };
}

/** Whether two values of `triggers` are the same; absent and empty are. */
export function sameTriggers(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(one ?? [], other ?? []);
}
