import type { HttpReply } from "../../../../base/http/attempt";
import type { FailedAttempt } from "../../../../base/http/retryPolicy";
import { StoreError } from "../storeError";
import {
  clockRow,
  corruptedRow,
  type FailureRow,
  failuresOf,
  type FailureTable,
  notTheStore,
  otherRow,
  STORE_REMEDIES,
  type StoreRequest,
  whereOf,
} from "../storeFailure";
import { gcsBucketUri, type GcsInputs } from "./inputs";
import { jsonFieldsOf, textField } from "./replyText";

/** The permissions that requests need, see https://cloud.google.com/storage/docs/access-control/iam-json */
export type GcsAction =
  "storage.objects.create" | "storage.objects.delete" | "storage.objects.get" | "storage.objects.list";

/** The header of Google's replies. */
const UPLOAD_ID = "x-guploader-uploadid";

/** How much of a reply is read, in bytes. */
const MAX_ERROR_BYTES = 64 * 1024;

/** A reply with an error, see https://cloud.google.com/storage/docs/json_api/v1/status-codes */
interface Refusal {
  readonly error?: {
    readonly message?: unknown;
    readonly errors?: readonly { readonly reason?: unknown }[];
    readonly details?: readonly { readonly reason?: unknown }[];
  };
}

const CREDENTIALS =
  "Give credentials as Google's tools find them: GOOGLE_APPLICATION_CREDENTIALS with the path of a file, `gcloud auth application-default login`, or the workload identity of the pod, machine or pipeline.";

const notAllowed = (cause: string, remedy: string): FailureRow => ({
  failure: "other",
  message: `{action} on {where} is not allowed: ${cause} ({code}){request}`,
  remedy,
});
const protects = (what: string): string =>
  `The bucket protects its objects by ${what}: use a bucket or a prefix without it, or remove the object when it has ended.`;

/** Refusals whose cause is a setting. */
const SETTINGS: FailureTable = {
  "accountDisabled|billing": notAllowed(
    "the billing account of its project is closed or missing",
    "Enable billing for the project, or use a bucket of another project. Nothing was lost.",
  ),
  "retentionPolicy|retention (?:policy|period)": notAllowed(
    "a retention policy holds it",
    protects("a retention policy"),
  ),
  "ActiveHold|\\bhold\\b": notAllowed("the object is under a hold", protects("a hold on this object")),
  "SERVICE_DISABLED|accessNotConfigured|has not been used in project": notAllowed(
    "the API of Cloud Storage is off in the project of these credentials",
    `Enable storage.googleapis.com in that project: \`gcloud services enable storage.googleapis.com\`.`,
  ),
  "vpcServiceControls|organization's policy": notAllowed(
    "a VPC Service Controls perimeter forbids it",
    `Run \`pulumi up\` inside the perimeter, or add an ingress rule for this identity. The perimeter's log has the identifier of the answer.`,
  ),
  "public access prevention|publicAccessPrevention": notAllowed(
    "public access prevention is enforced",
    `Copies need no public access: give credentials that may use the bucket. For readers, sign links (\`linkLife\`), or serve the bucket behind a host that logs in itself.`,
  ),
  "requester pays|UserProjectMissing": notAllowed(
    "the bucket bills the project of who asks (requester pays)",
    `Name that project in GOOGLE_CLOUD_QUOTA_PROJECT, or by \`gcloud auth application-default set-quota-project\`.`,
  ),
  "cloudkms|\\bkms\\b": notAllowed(
    "its encryption key may not be used",
    "Give the service agent of Cloud Storage in the bucket's project the role Cloud KMS CryptoKey Encrypter/Decrypter on the key, and check that the key is enabled.",
  ),
};

/** The error for a refused request. */
export async function refusalFailure(
  reply: HttpReply,
  { action, key, isOfBucket = false }: StoreRequest<GcsAction> & { readonly isOfBucket?: boolean },
  inputs: GcsInputs,
  hasCredentials: boolean,
): Promise<StoreError> {
  const { status, headers } = reply;
  const body = await textField(reply, MAX_ERROR_BYTES);
  const { error } = jsonFieldsOf(body) as Refusal;
  const [first] = [...(error?.errors ?? []), ...(error?.details ?? [])];
  const reason = typeof first?.reason === "string" ? first.reason : "";
  const whole = typeof error?.message === "string" ? error.message : body;
  const { by, bySaid } = failuresOf({
    code: reason || String(status),
    status,
    text: whole,
    action,
    key,
    uri: gcsBucketUri(inputs),
    prefix: inputs.prefix,
    facts: { bucket: inputs.gcsBucket },
    requestId: headers.get(UPLOAD_ID),
  });
  if (status === 404 || status === 410) {
    // gateways also have an `error`, without a reason; the reply to a request for content has a text in its place
    const isOfStore = reason !== "" || headers.get(UPLOAD_ID) !== null || /^No such object: /.test(whole);
    if (!isOfStore) {
      return notTheStore({ action, key }, { uri: gcsBucketUri(inputs), prefix: inputs.prefix, status });
    }
    return by(
      isOfBucket || /bucket does not exist/i.test(whole)
        ? {
            failure: "noBucket",
            message: "there is no bucket {bucket}",
            remedy: "Make it, or correct the destination's `gcsBucket`.",
          }
        : { failure: "missing", message: "there is no {where}: {text}", remedy: "Run `pulumi up` again." },
    );
  }
  if (status === 429 || status === 503 || /rateLimitExceeded|quotaExceeded|backendError/i.test(reason)) {
    return by({
      failure: "busy",
      message: `the store of {place} is too busy ({code}): {text}{request}`,
      remedy: STORE_REMEDIES.busy,
    });
  }
  if (status === 401) {
    return by(
      hasCredentials
        ? {
            failure: "credentials",
            message: `Google does not accept the credentials for the bucket {bucket}: {text}`,
            remedy: CREDENTIALS,
          }
        : {
            failure: "credentials",
            message: "the store of {place} wants credentials, and an endpoint with http: gets none",
            remedy: "Give the destination an `endpoint` with https:, or none.",
          },
    );
  }
  if (status === 400 && /\b(?:md5|crc32c)\b.*match/i.test(whole)) return by(corruptedRow(""));
  const setting = status < 500 ? bySaid(SETTINGS, `${reason} ${whole}`) : undefined;
  if (setting) return setting;
  if (status === 403) {
    // who replaces an object also needs the permission to delete it: Google names the one that is missing
    const missing = /\bstorage\.[a-z]+\.[a-zA-Z]+\b/.exec(whole)?.[0] ?? action;
    const hint =
      missing === "storage.objects.get"
        ? " Without storage.objects.list, a missing object looks forbidden."
        : "";
    return by({
      failure: "denied",
      message: `${missing} on {where} is not allowed{said}{request}`,
      remedy: `Allow these credentials ${missing} on the bucket {bucket}: the role Storage Object User (roles/storage.objectUser) has all that copies need.${hint}`,
    });
  }
  const isConflict = status === 412 || status === 409;
  return by(otherRow(isConflict ? "conflict" : "other", "the log of the store"));
}

/** The error of an object that has other bytes than were sent. @param more what happened to them */
export function corruptedFailure(inputs: GcsInputs, key: string, more: string): StoreError {
  const { by } = failuresOf({ code: "checksum", text: "", action: "", key, uri: gcsBucketUri(inputs) });
  return by(corruptedRow(more));
}

/** The error for a request without a reply. */
export function gcsConnectionFailure(
  { fault, error: { message, remedy } }: FailedAttempt,
  { key }: StoreRequest<GcsAction>,
  inputs: GcsInputs,
): StoreError {
  const isOfWay = fault.kind === "refusedByProxy" || fault.kind === "untrusted";
  return new StoreError(
    `the store could not be reached for ${whereOf(gcsBucketUri(inputs), inputs.prefix, key)}: ${message}`,
    isOfWay ? remedy : STORE_REMEDIES.unreachable,
    { failure: "unreachable", code: "code" in fault ? fault.code : fault.kind },
  );
}

/** The fields of the library's errors that are used. */
interface AuthError {
  readonly message?: string;
  readonly code?: unknown;
  readonly response?: { readonly status?: number; readonly data?: unknown };
}

/** What the library's errors mean, by what they say. */
const AUTH_FAILURES: FailureTable = {
  "^(?=.*(?:Invalid JWT|reasonable timeframe)).*(?:\\biat\\b|\\bexp\\b|timeframe)": clockRow("Google"),
  "invalid_grant|invalid_rapt|expired": {
    failure: "credentials",
    message: "the credentials for {bucket} have expired or were revoked: {text}",
    remedy: "Renew them, for example by `gcloud auth application-default login`, and run `pulumi up` again.",
  },
  "signBlob|serviceAccountTokenCreator|IAM Service Account Credentials": {
    failure: "denied",
    message: "iam.serviceAccounts.signBlob, which signs links to {bucket}, is not allowed: {text}",
    remedy:
      "Give the service account the role Service Account Token Creator (roles/iam.serviceAccountTokenCreator) on itself, and enable iamcredentials.googleapis.com.",
  },
  "client_email|Cannot sign": {
    failure: "credentials",
    message:
      "links to {bucket} cannot be signed with these credentials: only a service account signs ({text})",
    remedy:
      "Use a service account, or impersonate one: `gcloud auth application-default login --impersonate-service-account`. Or leave out `linkLife`.",
  },
};

/** The error of Google's library, which found no credentials, or could not use them. */
export function authFailure(error: unknown, inputs: GcsInputs): StoreError {
  const { message = "", code, response } = error as AuthError;
  const data = typeof response?.data === "string" ? response.data : JSON.stringify(response?.data ?? "");
  const { by, bySaid } = failuresOf({
    code: typeof code === "string" ? code : "auth",
    status: response?.status,
    text: message,
    action: "",
    uri: gcsBucketUri(inputs),
    facts: { bucket: `the bucket ${inputs.gcsBucket}` },
  });
  const known = bySaid(AUTH_FAILURES, `${message} ${data}`);
  if (known) return known;
  const isUnreachable = typeof code === "string" && /^(?:E(?!NOENT$)[A-Z]+|UND_ERR|CERT|ERR_)/.test(code);
  return by(
    response === undefined && isUnreachable
      ? {
          failure: "unreachable",
          message: "Google's login for {bucket} could not be reached ({shortCode})",
          remedy:
            "Check the network, HTTPS_PROXY, and NODE_EXTRA_CA_CERTS for a private certificate authority.",
        }
      : {
          failure: "credentials",
          message: `no credentials for {bucket} were found or accepted: {text}`,
          remedy: CREDENTIALS,
        },
  );
}
