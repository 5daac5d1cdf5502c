import { isDeepStrictEqual } from "node:util";
import { type InputFields, ruleOfFields, type RuleResult, text } from "../../resource/inputTable";
import { ruleOfDomain, ruleOfId, ruleOfVersion, SERVICE_INPUTS } from "../../resource/serviceInputs";
import type { ConfigurationSource } from "../../service/configuration";
import type { Attributes } from "../../base/runtime/tracing/tracer";
import { isUnknown } from "../../base/runtime/messages/plainText";

/** An export at the service: the resource downloads its bundle with a link that it requests itself. */
export interface ExportSource {
  /** Domain of the site. */
  domain: string;
  /** ID of the export job, which must be completed. */
  jobId: string;
  /** Label of the content. @default the job's ID */
  version?: string;
  /** Base URL of the service. @default from the configuration */
  baseUrl?: string;
  /** Name of the environment variable with the admin API key. @default `DOCS_HOSTING_ADMIN_API_KEY` */
  apiKeyEnv?: string;
}

/** A bundle that is already a local file: it needs neither the service nor a key. */
export interface FileSource {
  /** Path of the file, relative to the program's folder. */
  file: string;
  /** Label of the content. */
  version: string;
  /** Domain of the site. @default unknown */
  domain?: string;
  /** SHA-256 of the file, which detects other content under the same name. @default computed when the program runs */
  fileSha256?: string;
}

/** The source of a bundle: an export (`jobId`) or a file (`file`). */
export type BundleSource = ExportSource | FileSource;

/** A source after check, with defaults. */
export type CheckedSource = Required<ExportSource> | FileSource;

const ANY_TEXT = { rule: text((value) => ({ value })) };
const EXPORT_FIELDS: InputFields<ExportSource> = {
  domain: { rule: ruleOfDomain },
  jobId: { rule: ruleOfId("an id of a job") },
  version: { rule: ruleOfVersion },
  ...SERVICE_INPUTS,
};
const FILE_FIELDS: InputFields<FileSource> = {
  file: ANY_TEXT,
  version: { rule: ruleOfVersion, required: "a label of the content, such as a date" },
  domain: { rule: ruleOfDomain },
  fileSha256: ANY_TEXT,
};

/**
 * The fields of a source in a whole export, such as an output of another stack: never its link. Other values stay as they are, so that
 * a misspelt field of a source is found. Each export reports a status, or is a resource; no source has either.
 */
function withoutRest(given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { urn } = given;
  const isExport =
    (typeof urn === "string" && /[:/]StaticExport::/.test(urn)) || ("status" in given && "jobId" in given);
  return isExport
    ? Object.fromEntries(Object.entries(given).filter(([name]) => Object.hasOwn(EXPORT_FIELDS, name)))
    : given;
}

export function ruleOfSource(value: unknown, configuration: ConfigurationSource): RuleResult {
  const oneOf = "must be a StaticExport, { domain, jobId } of one, or { file, version }";
  const given = withoutRest(
    Object.fromEntries(Object.entries(value ?? {}).filter(([, each]) => each !== null && each !== undefined)),
  );
  const isFile = "file" in given;
  if (!isFile && !("jobId" in given)) return { problem: oneOf };
  const fields = isFile ? FILE_FIELDS : EXPORT_FIELDS;
  // the rule of a label says more about other values
  const isNoText = (name: string): boolean => typeof given[name] !== "string" && name !== "version";
  const empty = Object.keys(given).find(
    (name) => Object.hasOwn(fields, name) && (given[name] === "" || isNoText(name)),
  );
  if (empty !== undefined) return { at: empty, problem: "must be a string that is not empty" };
  const noSuch = "there is no such field of a source. Fields are";
  const ruled = ruleOfFields<Record<string, unknown>>(fields, noSuch, given, configuration);
  if (isFile || "problem" in ruled) return ruled;
  return { value: { ...ruled.value, version: ruled.value["version"] ?? ruled.value["jobId"] } };
}

/**
 * Whether two sources give the same content under the same label. The key does not matter; nor does a file's path, if its digest
 * is known, nor whether the file still exists.
 */
export function isSameSource(one: unknown, other: unknown): boolean {
  const byDigest = hasDigest(one) && hasDigest(other);
  const without = ["apiKeyEnv", byDigest ? "file" : "fileSha256"];
  return isDeepStrictEqual(leaveOut(one, without), leaveOut(other, without));
}

function hasDigest(source: unknown): boolean {
  return "fileSha256" in (Object(source) as object);
}

function leaveOut(source: unknown, names: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(source ?? {}).filter(([name]) => !names.includes(name)));
}

/** The source in messages: `job 7f3a of docs.example.com`, `the file kit/bundle.tar.gz`. */
export function describeSource(source: CheckedSource): string {
  if (isUnknown(source)) return "a bundle that is not known yet";
  if ("file" in source)
    return isUnknown(source.file) ? "a file that is not known yet" : `the file ${source.file}`;
  const domain = isUnknown(source.domain) ? "a site that is not known yet" : source.domain;
  return isUnknown(source.jobId) ? `the export of ${domain}` : `job ${source.jobId} of ${domain}`;
}

export function sourceAttributes(source: CheckedSource): Attributes {
  return {
    "docs_hosting.domain": source.domain,
    ...("jobId" in source && { "docs_hosting.job.id": source.jobId }),
  };
}
