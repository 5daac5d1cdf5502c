import { isDeepStrictEqual } from "node:util";
import { isUnknown } from "../../base/runtime/messages/plainText";
import type { Attributes } from "../../base/runtime/tracing/tracer";
import { ruleOfDomain, ruleOfId, ruleOfVersion } from "../../resource/inputRules";
import { type InputFields, ruleOfFields, type RuleResult, text } from "../../resource/inputTable";
import { SERVICE_INPUTS } from "../../resource/serviceInputs";
import type { ConfigurationSource } from "../../service/configuration";

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

/** Each kind of source as a program writes it, by the field that selects it. */
interface SourcesByKind {
  readonly file: FileSource;
  readonly jobId: ExportSource;
}

/** A kind of source. For a further one, the compiler names every table that needs a row. */
export type SourceKind = keyof SourcesByKind;

/** The source of a bundle. The field that is given (`file` or `jobId`) selects the kind. */
export type BundleSource = SourcesByKind[SourceKind];

/** Each kind of source after check, with defaults. */
interface CheckedByKind {
  readonly file: FileSource;
  readonly jobId: Required<ExportSource>;
}

/** A source after check, with defaults. */
export type CheckedSource = CheckedByKind[SourceKind];

/** What is done with a source of each kind. */
type ForEachSource<Result> = {
  readonly [Kind in SourceKind]: (source: CheckedByKind[Kind]) => Result;
};

/** Does with a known source what is done with one of its kind. */
export function forItsSource<Result>(source: CheckedSource, table: ForEachSource<Result>): Result {
  return (table[kindIn(source)] as (source: CheckedSource) => Result)(source);
}

const ANY_TEXT = { rule: text((value) => ({ value })) };
/** What is known of a kind of source. Fields may be unknown in a preview. */
interface SourceRow<Written, Checked> {
  readonly fields: InputFields<Written>;
  /** Fields with a default that depends on others. */
  readonly defaults: (given: Partial<Written>) => {
    readonly [Name in keyof Written]?: Written[Name] | undefined;
  };
  /** In messages. */
  readonly describe: (source: Checked) => string;
  /** The job that made the bundle, if the source names it. */
  readonly jobOf: (source: Checked) => string | undefined;
  /** The service that made the bundle, if the source names it. */
  readonly serviceOf: (source: Checked) => string | undefined;
}

const SOURCES: { readonly [Kind in SourceKind]: SourceRow<SourcesByKind[Kind], CheckedByKind[Kind]> } = {
  file: {
    fields: {
      file: ANY_TEXT,
      version: { rule: ruleOfVersion, required: "a label of the content, such as a date" },
      domain: { rule: ruleOfDomain },
      fileSha256: ANY_TEXT,
    },
    defaults: () => ({}),
    describe: ({ file }) => (isUnknown(file) ? "a file that is not known yet" : `the file ${file}`),
    jobOf: () => undefined,
    serviceOf: () => undefined,
  },
  jobId: {
    fields: {
      domain: { rule: ruleOfDomain },
      jobId: { rule: ruleOfId("an id of a job") },
      version: { rule: ruleOfVersion },
      ...SERVICE_INPUTS,
    },
    defaults: ({ version, jobId }) => ({ version: version ?? jobId }),
    describe({ domain, jobId }) {
      const site = isUnknown(domain) ? "a site that is not known yet" : domain;
      return isUnknown(jobId) ? `the export of ${site}` : `job ${jobId} of ${site}`;
    },
    jobOf: ({ jobId }) => jobId,
    serviceOf: ({ baseUrl }) => baseUrl,
  },
};

const KINDS = Object.keys(SOURCES) as SourceKind[];

const kindOf = (source: object): SourceKind | undefined => KINDS.find((kind) => kind in source);

function kindIn(source: CheckedSource): SourceKind {
  const kind = kindOf(source);
  if (kind === undefined) throw new TypeError("a source of no kind"); // the check refuses it
  return kind;
}

/**
 * The fields of a source in a whole export, such as an output of another stack: never its link. Other values stay as they are, so that
 * a misspelt field of a source is found. Each export reports a status, or is a resource; no source has either.
 */
function withoutRest(given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { urn } = given;
  const isExport =
    (typeof urn === "string" && /[:/]StaticExport::/.test(urn)) || ("status" in given && "jobId" in given);
  return isExport
    ? Object.fromEntries(Object.entries(given).filter(([name]) => Object.hasOwn(SOURCES.jobId.fields, name)))
    : given;
}

export function ruleOfSource(value: unknown, configuration: ConfigurationSource): RuleResult {
  const oneOf = "must be a StaticExport, { domain, jobId } of one, or { file, version }";
  const given = withoutRest(
    Object.fromEntries(Object.entries(value ?? {}).filter(([, each]) => each !== null && each !== undefined)),
  );
  const kind = kindOf(given);
  if (kind === undefined) return { problem: oneOf };
  const { fields, defaults } = SOURCES[kind] as SourceRow<Record<string, unknown>, unknown>;
  // the rule of a label says more about other values
  const isNoText = (name: string): boolean => typeof given[name] !== "string" && name !== "version";
  const empty = Object.keys(given).find(
    (name) => Object.hasOwn(fields, name) && (given[name] === "" || isNoText(name)),
  );
  if (empty !== undefined) return { at: empty, problem: "must be a string that is not empty" };
  const noSuch = "there is no such field of a source. Fields are";
  const ruled = ruleOfFields<Record<string, unknown>>(fields, noSuch, given, configuration);
  return "problem" in ruled ? ruled : { value: { ...ruled.value, ...defaults(ruled.value) } };
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
  return isUnknown(source) ? "a bundle that is not known yet" : rowOf(source).describe(source);
}

/** The job that made the bundle, if the source names it. */
export const jobOfSource = (source: CheckedSource): string | undefined => rowOf(source).jobOf(source);

/** Base URL of the service that made the bundle, if the source names it. */
export const serviceOf = (source: CheckedSource): string | undefined => rowOf(source).serviceOf(source);

export function sourceAttributes(source: CheckedSource): Attributes {
  const jobId = jobOfSource(source);
  return {
    "docs_hosting.domain": source.domain,
    ...(jobId !== undefined && { "docs_hosting.job.id": jobId }),
  };
}

function rowOf(source: CheckedSource): SourceRow<unknown, CheckedSource> {
  return SOURCES[kindIn(source)] as unknown as SourceRow<unknown, CheckedSource>;
}
