import { isIP } from "node:net";
import type { DestinationFields, FieldsOfKind } from "../../destination";
import { addressProblem, KEEPING, type KeepingInputs, PREFIX, sameAddress } from "../inputs";

/** Where in a bucket copies are kept, and how. */
export interface BucketInputs extends KeepingInputs {
  /** Name of the bucket. Credentials are those that the AWS SDK finds: the environment, or a profile. */
  readonly bucket: string;
  /** What every key begins with, without the slash that follows it. @default "" */
  readonly prefix?: string;
  /** Base URL of a store that is not Amazon's, without the bucket. */
  readonly endpoint?: string;
  /**
   * Whether the bucket is in the path of addresses, not in their host. Some stores, such as Alibaba OSS, accept only `false`.
   *
   * @default true with an endpoint
   */
  readonly pathStyle?: boolean;
  /** Region of the bucket. @default as the SDK finds it: AWS_REGION, the profile; "us-east-1" with an endpoint */
  readonly region?: string;
  /** How the store encrypts new objects, for buckets whose policy requires that each request says so. @default the bucket's own setting */
  readonly encryption?: BucketEncryption;
  /** Key of the encryption "aws:kms": its ID, ARN or alias. @default the key that Amazon manages for S3 */
  readonly kmsKeyId?: string;
}

/** How a store encrypts objects. */
export type BucketEncryption = "AES256" | "aws:kms" | "aws:kms:dsse";

/** Longest key, in bytes, see https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-keys.html */
export const LONGEST_KEY_BYTES = 1_024;

/** The rows of {@link BucketInputs}. */
export const BUCKET_FIELDS: FieldsOfKind<BucketInputs> = {
  bucket: { change: "replaces", problem: bucketNameProblem },
  prefix: PREFIX,
  endpoint: { change: "replaces", key: sameAddress, problem: endpointProblem },
  pathStyle: { change: "none", isJson: true, problem: pathStyleProblem },
  region: { change: "none", problem: regionProblem },
  // objects that exist stay as they are encrypted
  encryption: { change: "none", problem: encryptionProblem },
  kmsKeyId: { change: "none", problem: kmsKeyProblem },
  ...KEEPING,
};

/**
 * By https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html, which other stores are as strict as or stricter than.
 */
function bucketNameProblem(value: unknown): string | undefined {
  if (typeof value !== "string") return "must be a string: the name of a bucket";
  if (/^(s3:|https?:|arn:)/i.test(value)) {
    return "must be the bucket's name alone, without s3://, arn: or an address";
  }
  if (value.includes("/")) return "must be the bucket's name alone: what follows the slash is the `prefix`";
  if (value.length < 3 || value.length > 63) return "must have 3 to 63 characters";
  if (!/^[a-z0-9][a-z0-9.-]*[a-z0-9]$/.test(value)) {
    return "must consist of a-z, 0-9, «-» and «.», and begin and end with a letter or digit";
  }
  if (value.includes("..") || isIP(value) !== 0) return "must not contain «..» or be an IP address";
  return undefined;
}

function endpointProblem(value: unknown, { bucket, pathStyle }: DestinationFields): string | undefined {
  const credentials = "the environment or a profile, as the AWS SDK finds them";
  return addressProblem(value, "https://s3.example.com", credentials, ({ protocol, host }) =>
    pathStyle === false && typeof bucket === "string" && host.startsWith(`${bucket}.`)
      ? `must not contain the bucket: write «${protocol}//${host.slice(bucket.length + 1)}». With \`pathStyle: false\`, the bucket is put before it`
      : undefined,
  );
}

function pathStyleProblem(value: unknown, { bucket, endpoint }: DestinationFields): string | undefined {
  if (typeof value !== "boolean") return "must be true or false";
  if (value) return undefined;
  if (typeof bucket === "string" && bucket.includes(".")) {
    return "must be true for a bucket with «.» in its name: no certificate is valid for such a host";
  }
  const host = typeof endpoint === "string" ? (URL.parse(endpoint)?.hostname ?? "") : "";
  return isIP(host.replace(/^\[|\]$/g, "")) === 0
    ? undefined
    : "must be true for an endpoint with an IP address";
}

const ENCRYPTIONS: readonly BucketEncryption[] = ["AES256", "aws:kms", "aws:kms:dsse"];

function encryptionProblem(value: unknown): string | undefined {
  return ENCRYPTIONS.some((each) => each === value)
    ? undefined
    : `must be ${ENCRYPTIONS.map((each) => `"${each}"`).join(" or ")}`;
}

function kmsKeyProblem(value: unknown, { encryption }: DestinationFields): string | undefined {
  if (typeof value !== "string" || !/^[\w:/+=@.-]{1,2048}$/.test(value)) {
    return "must be the ID, ARN or alias of a KMS key, such as «alias/docs»";
  }
  return encryption === undefined || encryption === "AES256"
    ? 'needs `encryption: "aws:kms"`: without it, the store ignores the key'
    : undefined;
}

function regionProblem(value: unknown): string | undefined {
  return typeof value === "string" && /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/i.test(value)
    ? undefined
    : "must be a region such as «eu-central-1»";
}

/** The bucket in addresses of copies. */
export const s3BucketUri = ({ bucket }: BucketInputs): string => `s3://${bucket}`;

/** Whether the bucket is in the path of addresses. */
export function isPathStyle({ pathStyle, endpoint }: BucketInputs): boolean {
  return pathStyle ?? endpoint !== undefined;
}

/**
 * Where an object is fetched without a signature.
 *
 * @param region the bucket's
 */
export function objectAddress(destination: BucketInputs, region: string, key: string): string {
  const { bucket, endpoint } = destination;
  const path = encodeKey(key);
  const root =
    endpoint?.replace(/\/+$/, "") ??
    `https://s3.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`;
  // the certificate of *.s3.… holds for one label only
  return isPathStyle(destination) || bucket.includes(".")
    ? `${root}/${bucket}/${path}`
    : `${root.replace("://", `://${bucket}.`)}/${path}`;
}

/** A key in the path of an address, as signatures need it. */
export function encodeKey(key: string): string {
  if (/^[\w./-]*$/.test(key)) return key;
  return encodeURIComponent(key).replace(/%2F|[!'()*]/g, (found) =>
    found === "%2F" ? "/" : `%${found.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
