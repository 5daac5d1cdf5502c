import { isDeepStrictEqual } from "node:util";
import { isIdentifier, normaliseDomain } from "../../service/identifier";
import type { RuleResult } from "../../resource/inputTable";
import { problemOfLabel, ruleOfVersion, SERVICE_INPUTS } from "../../resource/serviceInputs";
import type { ConfigurationSource } from "../../service/configuration";
import type { Attributes } from "../../runtime/tracing/tracer";
import { isUnknown } from "../../runtime/messages/plainText";

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

const EXPORT_FIELDS = ["domain", "jobId", "version", "baseUrl", "apiKeyEnv"];
const FILE_FIELDS = ["file", "version", "domain", "fileSha256"];

/**
 * The fields of a source in a whole export, such as an output of another stack: never its link. Other values stay as they are, so that
 * a misspelt field of a source is found. Each export reports a status, or is a resource; no source has either.
 */
function withoutRest(given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { urn } = given;
  const isExport =
    (typeof urn === "string" && /[:/]StaticExport::/.test(urn)) || ("status" in given && "jobId" in given);
  return isExport
    ? Object.fromEntries(Object.entries(given).filter(([name]) => EXPORT_FIELDS.includes(name)))
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
  const foreign = Object.keys(given).find((name) => !fields.includes(name));
  if (foreign !== undefined) {
    return { at: foreign, problem: `there is no such field of a source. Fields are: ${fields.join(", ")}` };
  }
  for (const [name, each] of Object.entries(given)) {
    if (name === "version" && typeof each !== "string") return { at: name, problem: problemOfLabel(each) };
    if (typeof each !== "string" || each === "")
      return { at: name, problem: "must be a string that is not empty" };
  }
  const { version } = given;
  if (version !== undefined && !isUnknown(version)) {
    const ruled = ruleOfVersion(version as string);
    if ("problem" in ruled) return { at: "version", problem: ruled.problem };
  }
  return isFile ? ruleOfFile(given) : ruleOfExport(given, configuration);
}

function ruleOfExport(given: Record<string, unknown>, configuration: ConfigurationSource): RuleResult {
  const { jobId } = given;
  if (!isUnknown(jobId) && !isIdentifier(jobId)) {
    return { at: "jobId", problem: "is not an id of a job: visible ASCII characters, at most 512 of them" };
  }
  const domain = checkedDomain(given);
  if ("problem" in domain) return domain;
  const service: Record<string, unknown> = {};
  for (const [name, row] of Object.entries(SERVICE_INPUTS)) {
    const value = given[name] ?? row.default;
    const ruled = isUnknown(value) ? { value } : row.rule(value, configuration);
    if ("problem" in ruled) return { at: name, problem: ruled.problem };
    service[name] = ruled.value;
  }
  return { value: { ...given, ...domain, ...service, version: given["version"] ?? jobId } };
}

function ruleOfFile(given: Record<string, unknown>): RuleResult {
  if (given["version"] === undefined) {
    return { at: "version", problem: "is required: a label of the content, such as a date" };
  }
  const domain = checkedDomain(given);
  return "problem" in domain ? domain : { value: { ...given, ...domain } };
}

function checkedDomain({
  domain,
}: Record<string, unknown>): { domain?: string } | Extract<RuleResult, { problem: string }> {
  if (domain === undefined || isUnknown(domain)) return {};
  const result = normaliseDomain(domain as string);
  return "domain" in result ? { domain: result.domain } : { at: "domain", problem: result.problem };
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
  const { domain } = source;
  return {
    "docs_hosting.domain": domain,
    ...("jobId" in source && { "docs_hosting.job.id": source.jobId }),
  };
}
