import { redact } from "../../../../runtime/messages/plainText";
import { placeUri } from "../bucketPlace";
import { type FailureText, type StoreError, type StoreFailure, wordedError } from "../storeError";
import texts from "./failureTexts.json";
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

/** The words of the failures. What is `{between braces}` is filled in. */
const TEXTS = texts as Readonly<Record<keyof typeof texts, FailureText>>;

const GIVE_CREDENTIALS =
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
  const uri = placeUri(bucketUri(destination), destination.prefix ?? "");
  const requestId = known.$metadata?.requestId;
  const text = redact(known.message ?? "", STORE_TEXT_LIMIT);
  const values = {
    ...{ action, code, text, status: String(status), shortCode: redact(code, 60) },
    bucket: `bucket ${destination.bucket}`,
    store: `the store of ${uri}`,
    where: key === undefined ? uri : `${bucketUri(destination)}/${key}`,
    request: requestId === undefined ? "" : ` (request id ${redact(requestId, 100)})`,
    giveCredentials: GIVE_CREDENTIALS,
  };
  const say = (row: FailureText, more: Readonly<Record<string, string>> = {}): StoreError =>
    wordedError(row, { ...values, ...more }, { code, status });

  const region = rightRegion(code, known, text);
  if (region !== undefined && region !== destination.region) return say(TEXTS.otherRegion, { region });
  if (isPathStyle(destination) && WANTS_BUCKET_IN_HOST.test(`${code} ${text}`)) return say(TEXTS.pathStyle);
  const ofCode = Object.values(TEXTS).find(({ codes }) => codes?.includes(code));
  if (ofCode) return say(ofCode);
  if (status === undefined) {
    const host = destination.endpoint === undefined ? "Amazon S3" : URL.parse(destination.endpoint)?.host;
    const cause = /^[\w .-]{1,60}$/.test(code) ? code : "failed";
    return say(TEXTS.unreachable, { host: host ?? "the store", cause });
  }
  if (status === 403 || code === "AccessDenied" || code === "AllAccessDisabled") {
    const isSaid =
      text !== "" && text !== code && !/^(?:access denied|forbidden|unknown ?error)\.?$/i.test(text);
    const isPlain = /^(?:403|AccessDenied|AllAccessDisabled)$/.test(code);
    const remedy = forbiddenRemedy(`${code} ${text}`, action, destination);
    return say(isPlain ? TEXTS.denied : TEXTS.forbidden, { said: isSaid ? `: ${text}` : "", remedy });
  }
  return say({ ...TEXTS.other, failure: failureOf(code, status) });
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
