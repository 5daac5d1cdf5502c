import { isIP } from "node:net";
import type { DestinationFields, FieldsOfKind } from "../../destination";
import { addressProblem, KEEPING, type KeepingInputs, prefixFor, sameAddress } from "../inputs";

/** Where in a bucket of Google Cloud Storage copies are kept, and how. */
export interface GcsInputs extends KeepingInputs {
  /**
   * Name of the bucket of Google Cloud Storage. Credentials are those that Google's own tools find: Application Default Credentials, the
   * workload identity of a pod or pipeline.
   */
  readonly gcsBucket: string;
  /** What every key begins with, without the slash that follows it. @default "" */
  readonly prefix?: string;
  /**
   * Base URL of a private endpoint, without the bucket. One that begins with `http:` is an emulator and gets no credentials.
   *
   * @default Google's own, or that of STORAGE_EMULATOR_HOST
   */
  readonly endpoint?: string;
}

/** The rows of {@link GcsInputs}. */
export const GCS_FIELDS: FieldsOfKind<GcsInputs> = {
  gcsBucket: { change: "replaces", problem: bucketNameProblem },
  prefix: prefixFor(brokenObjectRule),
  endpoint: { change: "replaces", key: sameAddress, problem: endpointProblem },
  ...KEEPING,
};

/** By https://cloud.google.com/storage/docs/buckets#naming */
function bucketNameProblem(value: unknown): string | undefined {
  if (typeof value !== "string") return "must be a string: the name of a bucket";
  if (/^(gs:|https?:)/i.test(value)) return "must be the bucket's name alone, without gs:// or an address";
  if (value.includes("/")) return "must be the bucket's name alone: what follows the slash is the `prefix`";
  const labels = value.split(".");
  if (value.length < 3 || value.length > (labels.length > 1 ? 222 : 63)) {
    return "must have 3 to 63 characters, or 222 with «.»";
  }
  if (!/^[a-z0-9][a-z0-9._-]*[a-z0-9]$/.test(value)) {
    return "must consist of a-z, 0-9, «-», «_» and «.», and begin and end with a letter or digit";
  }
  if (labels.some(({ length }) => length === 0 || length > 63)) {
    return "must have 1 to 63 characters between two «.»";
  }
  if (isIP(value) !== 0) return "must not be an IP address";
  return undefined;
}

function endpointProblem(value: unknown, { gcsBucket }: DestinationFields): string | undefined {
  const credentials = "the environment, as Google's own tools find them";
  const example = "https://storage-docs.p.googleapis.com";
  return addressProblem(value, example, credentials, ({ origin, pathname, protocol, host }) => {
    if (/^\/(?:upload\/|batch\/)?storage\/v1\b/.test(pathname)) {
      return `must not contain the path of the API: write «${origin}»`;
    }
    return typeof gcsBucket === "string" && host.startsWith(`${gcsBucket}.`)
      ? `must not contain the bucket: write «${protocol}//${host.slice(gcsBucket.length + 1)}»`
      : undefined;
  });
}

/** The bucket in addresses of copies. */
export const gcsBucketUri = ({ gcsBucket }: GcsInputs): string => `gs://${gcsBucket}`;

/** See https://cloud.google.com/storage/docs/objects#naming */
export function brokenObjectRule(key: string): string | undefined {
  return key.startsWith(".well-known/acme-challenge/")
    ? "In Google Cloud Storage no name begins with .well-known/acme-challenge/"
    : undefined;
}
