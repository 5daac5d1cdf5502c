import type { StoreError, StoreFailure } from "../storeError";
import {
  clockRow,
  CORRUPTED,
  failuresOf,
  type FailureTable,
  otherRow,
  STORE_REMEDIES,
  type StoreRequest,
} from "../storeFailure";
import { type BucketInputs, isPathStyle, s3BucketUri } from "./inputs";

/**
 * The permissions that requests to the store need, see
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/using-with-s3-policy-actions.html
 */
export type S3Action =
  | "s3:AbortMultipartUpload"
  | "s3:DeleteObject"
  | "s3:GetObject"
  | "s3:ListBucket"
  | "s3:ListBucketMultipartUploads"
  | "s3:ListMultipartUploadParts"
  | "s3:PutObject";

/** The fields of the SDK's errors that are used. */
export interface S3Error {
  readonly name?: string;
  readonly message?: string;
  readonly code?: string;
  /** Of a redirect: the host to use instead. */
  readonly Endpoint?: string;
  readonly Region?: string;
  readonly $metadata?: { readonly httpStatusCode?: number; readonly requestId?: string };
  readonly $response?: { readonly headers?: Readonly<Record<string, string | undefined>> };
}

/** The store's error code, such as "NoSuchKey"; without one (a reply to HEAD has none), the status: "404". */
function codeOf({ name = "", code, $metadata }: S3Error): string {
  const status = $metadata?.httpStatusCode;
  if (status === undefined) return code ?? name;
  return /^(?:\d+|Error|Unknown.*|BadRequest|Forbidden|NotFound|Bad Request|)$/.test(name)
    ? String(status)
    : name;
}

const CREDENTIALS =
  "Give credentials as the AWS SDK finds them: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_PROFILE, `aws sso login`, or the role of the pod or machine.";

const CODES: FailureTable = {
  NoSuchBucket: {
    failure: "noBucket",
    message: "there is no bucket {name}",
    remedy: "Make it, or correct the destination's bucket.",
  },
  "ExpiredToken ExpiredTokenException TokenRefreshRequired": {
    failure: "credentials",
    message: "the credentials for {bucket} have expired",
    remedy: "Renew them, for example by `aws sso login`, and run `pulumi up` again.",
  },
  // the second is versitygw's
  "InvalidAccessKeyId XAdminUserNotFound": {
    failure: "credentials",
    message: `the store of {place} does not know the access key`,
    remedy: CREDENTIALS,
  },
  "InvalidToken SignatureDoesNotMatch InvalidSecurity": {
    failure: "credentials",
    message: `the store of {place} does not accept the secret of the access key`,
    remedy: CREDENTIALS,
  },
  "CredentialsProviderError TokenProviderError": {
    failure: "credentials",
    message: `no credentials for {bucket} were found: {text}`,
    remedy: CREDENTIALS,
  },
  "RequestTimeTooSkewed RequestExpired": clockRow("the store of {place}"),
  "PermanentRedirect TemporaryRedirect AuthorizationHeaderMalformed IllegalLocationConstraintException 301": {
    failure: "address",
    message: "{bucket} is in another region than the request was sent to",
    remedy: "Set the destination's region to that of the bucket.",
  },
  "SlowDown ServiceUnavailable 503": {
    failure: "busy",
    message: `the store of {place} is too busy ({code}){request}`,
    remedy: STORE_REMEDIES.busy,
  },
  "BadDigest XAmzContentChecksumMismatch XAmzContentSHA256Mismatch": CORRUPTED,
  "EntityTooLarge QuotaExceeded XMinioStorageFull": {
    failure: "full",
    message: "the store has no space for {where} ({code})",
    remedy: "Free space there, or raise its limit.",
  },
  "NotImplemented 501": {
    failure: "unsupported",
    message: "the store of {place} does not know {action} as requested: {text}",
    remedy:
      "It must implement S3's protocol with conditions (`If-None-Match`), which keep objects of others. Checksums are not needed.",
  },
};

/** The error for a failed request. */
export function s3Failure(
  error: unknown,
  { action, key }: StoreRequest<S3Action>,
  destination: BucketInputs,
): StoreError {
  const known = error as S3Error;
  const code = codeOf(known);
  const { httpStatusCode: status, requestId } = known.$metadata ?? {};
  const { bucket: name, endpoint, prefix } = destination;
  const { text, by, byCode } = failuresOf({
    code,
    status,
    action,
    key,
    text: known.message ?? "",
    requestId,
    uri: s3BucketUri(destination),
    prefix,
    facts: { name, bucket: `the bucket ${name}` },
  });
  const said = `${code} ${text}`;
  const region = rightRegion(code, known, text);
  if (region !== undefined && region !== destination.region) {
    return by({
      failure: "address",
      message: `{bucket} is in the region ${region}, but the request went to another region`,
      remedy: `Set the destination's region to "${region}".`,
    });
  }
  if (isPathStyle(destination) && WANTS_BUCKET_IN_HOST.test(said)) {
    return by({
      failure: "address",
      message:
        "the store of {place} does not accept addresses with the bucket in their path ({code}){request}",
      remedy: "Set the destination's `pathStyle` to false.",
    });
  }
  const explained = byCode(CODES);
  if (explained) return explained;
  if (status === undefined) {
    const host = endpoint === undefined ? "Amazon S3" : (URL.parse(endpoint)?.host ?? "the store");
    return by({
      failure: "unreachable",
      message: `${host} could not be reached for {where} ({plainCode})`,
      remedy: STORE_REMEDIES.unreachable,
    });
  }
  const isPlain = /^(?:403|AccessDenied|AllAccessDisabled)$/.test(code);
  if (status === 403 || isPlain) {
    const isSaid = text !== code && !/^(?:|access denied|forbidden|unknown ?error)\.?$/i.test(text);
    return by({
      failure: isPlain ? "denied" : "other",
      message: `{action} on {where} is not allowed${isPlain ? "" : " ({shortCode})"}${isSaid ? ": {text}" : ""}{request}`,
      remedy: forbiddenRemedy(said, action, destination),
    });
  }
  return by(otherRow(failureOf(code, status), "the log of the store"));
}

/** What a reply means whose message is the store's own. */
function failureOf(code: string, status: number): StoreFailure {
  if (/^NoSuch(?:Key|Upload)$/.test(code) || status === 404) return "missing";
  // 409: another write to the key is under way
  return status === 412 || code === "ConditionalRequestConflict" ? "conflict" : "other";
}

/** What stores say that accept a bucket only in the host of an address. */
const WANTS_BUCKET_IN_HOST =
  /SecondLevelDomainForbidden|virtual[- _]?host(?:ed|ing)?\b|VirtualHost|PathStyle.*Forbidden|InvalidPathAccess/i;

/** Refusals whose cause is a setting. */
const SETTINGS: Readonly<Record<string, string>> = {
  "cap exceeded|quota": "Free space there, or raise the limit of the account.",
  "suspended|NotSignedUp|AccountProblem|InvalidPayer|UserDisable":
    "Settle it with the operator of the store: the account may not be used.",
  "object ?lock|retention|\\bWORM\\b|legal hold|immutab":
    "The bucket protects its objects for some time: use a bucket or a prefix without such a rule, or remove the object when the time is over.",
  "InvalidObjectState|glacier|archived":
    "The object is in an archive of the store: restore it, and exclude copies from the rule that moves them there.",
};

/** What helps against a refusal that the store words in this way. */
function forbiddenRemedy(said: string, action: S3Action, destination: BucketInputs): string {
  const { bucket, encryption, endpoint } = destination;
  const setting = Object.entries(SETTINGS).find(([pattern]) => new RegExp(pattern, "i").test(said));
  if (setting) return setting[1];
  const isWrite = action === "s3:PutObject";
  const isAboutKey = /\bkms\b/i.test(said) || (isWrite && encryption?.startsWith("aws:kms") === true);
  return [
    `Allow these credentials ${action} on the bucket ${bucket}${
      action === "s3:GetObject" ? ", and s3:ListBucket, without which a missing object looks forbidden" : ""
    }.`,
    ...(isAboutKey ? ["Also allow kms:GenerateDataKey and kms:Decrypt on the key."] : []),
    ...(isWrite && encryption === undefined
      ? ["If the bucket's policy requires an encryption in each request, set the destination's `encryption`."]
      : []),
    ...(endpoint?.startsWith("http:") ? ["If it requires TLS, give an `endpoint` with https:."] : []),
  ].join(" ");
}

/**
 * The bucket's region, if the reply reports it: in a header, in the text of a redirect, or in the error for a refused signature.
 */
function rightRegion(
  code: string,
  { Region, Endpoint, $response }: S3Error,
  text: string,
): string | undefined {
  const isAboutRegion = /Redirect|AuthorizationHeaderMalformed|IllegalLocationConstraint|^301$/.test(code);
  const found =
    $response?.headers?.["x-amz-bucket-region"] ??
    Region ??
    /\bs3[.-]([a-z]{2}-[a-z-]+-\d)\b/.exec(Endpoint ?? "")?.[1] ??
    /expecting '([a-z0-9-]+)'/.exec(text)?.[1];
  return isAboutRegion && found !== undefined && /^[a-z0-9-]{1,64}$/.test(found) ? found : undefined;
}
