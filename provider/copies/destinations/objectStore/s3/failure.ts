import { redact } from "../../../../runtime/messages/plainText";
import { placeUri } from "../bucketPlace";
import { StoreError, type StoreFailure } from "../storeError";
import { type BucketInputs, bucketUri, isPathStyle } from "./inputs";

/**
 * The permissions that requests to the store need, see
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/using-with-s3-policy-actions.html
 */
export type Action =
  | "s3:AbortMultipartUpload"
  | "s3:DeleteObject"
  | "s3:GetObject"
  | "s3:ListBucket"
  | "s3:ListBucketMultipartUploads"
  | "s3:ListMultipartUploadParts"
  | "s3:PutObject";

/** Longest text of a store that a message contains, in characters. */
const STORE_TEXT_LIMIT = 300;

/** The fields of the SDK's errors that are used. */
export interface SdkError {
  readonly name?: string;
  readonly message?: string;
  readonly code?: string;
  /** Of a redirect: the host to use instead. */
  readonly Endpoint?: string;
  readonly Region?: string;
  readonly $metadata?: { readonly httpStatusCode?: number; readonly requestId?: string };
  readonly $response?: { readonly headers?: Readonly<Record<string, string | undefined>> };
}

/** The status of the store's answer; undefined without an answer. */
export function statusOf(error: unknown): number | undefined {
  return (error as SdkError).$metadata?.httpStatusCode;
}

/** The store's error code, such as "NoSuchKey"; without one (an answer to HEAD has none), the status: "404". */
export function codeOf(error: unknown): string {
  const { name = "", code, $metadata } = error as SdkError;
  const status = $metadata?.httpStatusCode;
  if (status === undefined) return code ?? name;
  return /^(?:\d+|Error|Unknown.*|BadRequest|Forbidden|NotFound|Bad Request|)$/.test(name)
    ? String(status)
    : name;
}

const CREDENTIALS_REMEDY =
  "Give credentials as the AWS SDK finds them: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_PROFILE, `aws sso login`, or the role of the pod or machine.";

/** The error for a failed request. It contains no credential and no query of a link: texts of the store are shortened and redacted. */
export function s3Failure(
  error: unknown,
  action: Action,
  destination: BucketInputs,
  key?: string,
): StoreError {
  const known = error as SdkError;
  const code = codeOf(error);
  const status = statusOf(error);
  const bucket = `the bucket ${destination.bucket}`;
  const uri = placeUri(bucketUri(destination), destination.prefix ?? "");
  const store = `the store of ${uri}`;
  const where = key === undefined ? uri : `${bucketUri(destination)}/${key}`;
  const requestId = known.$metadata?.requestId;
  const request = requestId === undefined ? "" : ` (request id ${redact(requestId, 100)})`;
  const say = (failure: StoreFailure, message: string, remedy: string): StoreError =>
    new StoreError(message, remedy, { failure, code, ...(status !== undefined && { status }) });
  const text = redact(known.message ?? "", STORE_TEXT_LIMIT);

  const region = rightRegion(code, known, text);
  if (region !== undefined && region !== destination.region) {
    return say(
      "address",
      `${bucket} is in the region ${region}, but the request went to another region`,
      `Set the destination's region to "${region}".`,
    );
  }
  if (isPathStyle(destination) && WANTS_BUCKET_IN_HOST.test(`${code} ${text}`)) {
    return say(
      "address",
      `${store} does not accept addresses with the bucket in their path (${code})${request}`,
      "Set the destination's `pathStyle` to false.",
    );
  }
  switch (code) {
    case "NoSuchBucket":
      return say(
        "noBucket",
        `there is no bucket ${destination.bucket}`,
        "Make it, or correct the destination's bucket.",
      );
    case "ExpiredToken":
    case "ExpiredTokenException":
    case "TokenRefreshRequired":
      return say(
        "credentials",
        `the credentials for ${bucket} have expired`,
        "Renew them, for example by `aws sso login`, and run `pulumi up` again.",
      );
    case "InvalidAccessKeyId":
    case "XAdminUserNotFound": // versitygw's
      return say("credentials", `${store} does not know the access key`, CREDENTIALS_REMEDY);
    case "InvalidToken":
    case "SignatureDoesNotMatch":
    case "InvalidSecurity":
      return say("credentials", `${store} does not accept the secret of the access key`, CREDENTIALS_REMEDY);
    case "CredentialsProviderError":
    case "TokenProviderError":
      return say("credentials", `no credentials for ${bucket} were found: ${text}`, CREDENTIALS_REMEDY);
    case "RequestTimeTooSkewed":
    case "RequestExpired":
      return say(
        "clock",
        `the clock of this machine and that of ${store} differ too much`,
        "Set this machine's clock.",
      );
    case "PermanentRedirect":
    case "TemporaryRedirect":
    case "AuthorizationHeaderMalformed":
    case "IllegalLocationConstraintException":
    case "301":
      return say(
        "address",
        `${bucket} is in another region than the request was sent to`,
        "Set the destination's region to that of the bucket.",
      );
    case "SlowDown":
    case "ServiceUnavailable":
    case "503":
      return say(
        "busy",
        `${store} is too busy (${code})${request}`,
        "The requests were repeated several times. Run `pulumi up` again later: it continues from what is stored.",
      );
    case "BadDigest":
    case "XAmzContentChecksumMismatch":
    case "XAmzContentSHA256Mismatch":
      return say(
        "corrupted",
        `the data that arrived at ${where} differs from the data that was sent (${code})${request}`,
        "Run `pulumi up` again. If it fails again, a proxy or the network changes the data.",
      );
    case "EntityTooLarge":
    case "QuotaExceeded":
    case "XMinioStorageFull":
      return say(
        "full",
        `the store has no space for ${where} (${code})`,
        "Free space there, or raise its limit.",
      );
    case "NotImplemented":
    case "501":
      return say(
        "unsupported",
        `${store} does not know ${action} as requested: ${text}`,
        "It must implement S3's protocol with conditions (`If-None-Match`), which keep objects of others. Checksums are not needed.",
      );
    default:
      break;
  }
  if (status === undefined) {
    const host = destination.endpoint === undefined ? "Amazon S3" : URL.parse(destination.endpoint)?.host;
    return say(
      "unreachable",
      `${host ?? "the store"} could not be reached for ${where} (${/^[\w .-]{1,60}$/.test(code) ? code : "failed"})`,
      "Check the network, the destination's endpoint, and that the store is up. Make a private certificate authority known with NODE_EXTRA_CA_CERTS.",
    );
  }
  if (status === 403 || code === "AccessDenied" || code === "AllAccessDisabled") {
    const isSaid =
      text !== "" && text !== code && !/^(?:access denied|forbidden|unknown ?error)\.?$/i.test(text);
    const isPlain = /^(?:403|AccessDenied|AllAccessDisabled)$/.test(code);
    const codeSaid = isPlain ? "" : ` (${redact(code, 60)})`;
    return say(
      isPlain ? "denied" : "other",
      `${action} on ${where} is not allowed${codeSaid}${isSaid ? `: ${text}` : ""}${request}`,
      forbiddenRemedy(`${code} ${text}`, action, destination),
    );
  }
  return say(
    failureOf(code, status),
    `${action} on ${where} failed with status ${status} (${redact(code, 60)}): ${text}${request}`,
    "Run `pulumi up` again; if it fails again, see the log of the store.",
  );
}

/** What an answer means whose message is the store's own. */
function failureOf(code: string, status: number): StoreFailure {
  if (/^NoSuch(?:Key|Upload)$/.test(code) || status === 404) return "missing";
  // 409: another write to the key is under way
  return status === 412 || code === "ConditionalRequestConflict" ? "conflict" : "other";
}

/** What stores say that accept a bucket only in the host of an address. */
const WANTS_BUCKET_IN_HOST =
  /SecondLevelDomainForbidden|virtual[- _]?host(?:ed|ing)?\b|VirtualHost|PathStyle.*Forbidden|InvalidPathAccess/i;

/** What helps against a refusal that the store words in this way. */
function forbiddenRemedy(said: string, action: Action, destination: BucketInputs): string {
  const { bucket, encryption, endpoint } = destination;
  const isWrite = action === "s3:PutObject";
  if (/cap exceeded|quota/i.test(said)) return "Free space there, or raise the limit of the account.";
  if (/suspended|NotSignedUp|AccountProblem|InvalidPayer|UserDisable/i.test(said)) {
    return "Settle it with the operator of the store: the account may not be used.";
  }
  if (/object ?lock|retention|\bWORM\b|legal hold|immutab/i.test(said)) {
    return "The bucket protects its objects for some time: use a bucket or a prefix without such a rule, or remove the object when the time is over.";
  }
  if (/InvalidObjectState|glacier|archived/i.test(said)) {
    return "The object is in an archive of the store: restore it, and exclude copies from the rule that moves them there.";
  }
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
 * The bucket's region, if the answer reports it: in a header, in the text of a redirect, or in the error for a refused signature.
 */
function rightRegion(
  code: string,
  { Region, Endpoint, $response }: SdkError,
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
