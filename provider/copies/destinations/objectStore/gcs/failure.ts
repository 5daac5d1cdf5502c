import type { HttpReply } from "../../../../http/attempt";
import type { FailedAttempt } from "../../../../http/retryPolicy";
import { redact } from "../../../../runtime/messages/plainText";
import { placeUri } from "../bucketPlace";
import { StoreError, type StoreFailure } from "../storeError";
import { bucketUri, type GcsInputs } from "./inputs";

/** The permissions that requests need, see https://cloud.google.com/storage/docs/access-control/iam-json */
export type Action =
  "storage.objects.create" | "storage.objects.delete" | "storage.objects.get" | "storage.objects.list";

interface Named {
  readonly action: Action;
  readonly key?: string | undefined;
  readonly isOfBucket?: boolean;
}

/** An answer with an error, see https://cloud.google.com/storage/docs/json_api/v1/status-codes */
export interface Refusal {
  readonly status: number;
  /** Google's code, such as "notFound"; empty if the answer has none. */
  readonly reason: string;
  readonly text: string;
  readonly requestId: string | null;
  readonly retryAfter: string | null;
}

/** Longest text of a store that a message contains, in characters. */
const STORE_TEXT_LIMIT = 300;
/** How much of an answer is read, in bytes. */
const MAX_ERROR_BYTES = 64 * 1024;

interface ErrorBody {
  readonly error?: {
    readonly message?: unknown;
    readonly errors?: readonly { readonly reason?: unknown }[];
    readonly details?: readonly { readonly reason?: unknown }[];
  };
}

export async function readRefusal(reply: HttpReply): Promise<Refusal> {
  const { status, headers } = reply;
  const body = (await reply.beginning(MAX_ERROR_BYTES)).toString();
  const { error } = parsed(body);
  const [reason] = [...(error?.errors ?? []), ...(error?.details ?? [])].map((each) => each.reason);
  return {
    ...{ status, reason: typeof reason === "string" ? reason : "" },
    text: typeof error?.message === "string" ? error.message : body,
    ...{ requestId: headers.get("x-guploader-uploadid"), retryAfter: headers.get("retry-after") },
  };
}

function parsed(body: string): ErrorBody {
  try {
    return Object(JSON.parse(body)) as ErrorBody;
  } catch {
    return {};
  }
}

const CREDENTIALS_REMEDY =
  "Give credentials as Google's tools find them: GOOGLE_APPLICATION_CREDENTIALS with the path of a file, `gcloud auth application-default login`, or the workload identity of the pod, machine or pipeline.";

const protects = (what: string): string =>
  `The bucket protects its objects by ${what}: use a bucket or a prefix without it, or remove the object when it has ended.`;

/** Refusals whose cause is a setting, by what Google says. */
const SETTINGS: readonly (readonly [said: RegExp, message: string, remedy: string])[] = [
  [
    /accountDisabled|billing/i,
    "the billing account of its project is closed or missing",
    "Enable billing for the project, or use a bucket of another project. Nothing was lost.",
  ],
  [
    /retentionPolicy|retention (?:policy|period)/i,
    "a retention policy holds it",
    protects("a retention policy"),
  ],
  [/ActiveHold|\bhold\b/i, "the object is under a hold", protects("a hold on this object")],
  [
    /SERVICE_DISABLED|accessNotConfigured|has not been used in project/i,
    "the API of Cloud Storage is off in the project of these credentials",
    "Enable storage.googleapis.com in that project: `gcloud services enable storage.googleapis.com`.",
  ],
  [
    /vpcServiceControls|organization's policy/i,
    "a VPC Service Controls perimeter forbids it",
    "Run `pulumi up` inside the perimeter, or add an ingress rule for this identity. The perimeter's log has the identifier of the answer.",
  ],
  [
    /public access prevention|publicAccessPrevention/i,
    "public access prevention is enforced",
    "Copies need no public access: give credentials that may use the bucket. For readers, sign links (`linkLife`), or serve the bucket behind a host that logs in itself.",
  ],
  [
    /requester pays|UserProjectMissing/i,
    "the bucket bills the project of who asks (requester pays)",
    "Name that project in GOOGLE_CLOUD_QUOTA_PROJECT, or by `gcloud auth application-default set-quota-project`.",
  ],
  [
    /cloudkms|\bkms\b/i,
    "its encryption key may not be used",
    "Give the service agent of Cloud Storage in the bucket's project the role Cloud KMS CryptoKey Encrypter/Decrypter on the key, and check that the key is enabled.",
  ],
];

/** The error for a refused request. It contains no credential and no query of a link: texts of the store are shortened and redacted. */
export function storeFailure(
  { status, reason, text: whole, requestId }: Refusal,
  { action, key, isOfBucket = false }: Named,
  inputs: GcsInputs,
  hasCredentials: boolean,
): StoreError {
  const { gcsBucket } = inputs;
  const uri = placeUri(bucketUri(inputs), inputs.prefix ?? "");
  const where = key === undefined ? uri : `${bucketUri(inputs)}/${key}`;
  const request = requestId === null ? "" : ` (request id ${redact(requestId, 100)})`;
  const text = redact(whole, STORE_TEXT_LIMIT);
  const code = reason || String(status);
  const said = `${reason} ${whole}`;
  const say = (failure: StoreFailure, message: string, remedy: string): StoreError =>
    new StoreError(message, remedy, { failure, code, status });

  if (status === 404 || status === 410) {
    return isOfBucket || /bucket does not exist/i.test(whole)
      ? say(
          "noBucket",
          `there is no bucket ${gcsBucket}`,
          "Make it, or correct the destination's `gcsBucket`.",
        )
      : say("missing", `there is no ${where}: ${text}`, "Run `pulumi up` again.");
  }
  if (status === 429 || status === 503 || /rateLimitExceeded|quotaExceeded|backendError/i.test(reason)) {
    return say(
      "busy",
      `the store of ${uri} is too busy (${code}): ${text}${request}`,
      "The requests were repeated several times. Run `pulumi up` again later: it continues from what is stored.",
    );
  }
  if (status === 401) {
    return say(
      "credentials",
      hasCredentials
        ? `Google does not accept the credentials for the bucket ${gcsBucket}: ${text}`
        : `the store of ${uri} wants credentials, and an endpoint with http: gets none`,
      hasCredentials ? CREDENTIALS_REMEDY : "Give the destination an `endpoint` with https:, or none.",
    );
  }
  if (status === 400 && /\b(?:md5|crc32c)\b.*match/i.test(whole)) return corrupted(where, request);
  const setting = SETTINGS.find(([pattern]) => status < 500 && pattern.test(said));
  if (setting) {
    const [, message, remedy] = setting;
    return say("other", `${action} on ${where} is not allowed: ${message} (${code})${request}`, remedy);
  }
  if (status === 403) {
    // who replaces an object also needs the permission to delete it: Google names the one that is missing
    const missing = /\bstorage\.[a-z]+\.[a-zA-Z]+\b/.exec(whole)?.[0] ?? action;
    return say(
      "denied",
      `${missing} on ${where} is not allowed${text === "" ? "" : `: ${text}`}${request}`,
      `Allow these credentials ${missing} on the bucket ${gcsBucket}: the role Storage Object User (roles/storage.objectUser) has all that copies need.${
        missing === "storage.objects.get"
          ? " Without storage.objects.list, a missing object looks forbidden."
          : ""
      }`,
    );
  }
  return say(
    status === 412 || status === 409 ? "conflict" : "other",
    `${action} on ${where} failed with status ${status} (${redact(code, 60)}): ${text}${request}`,
    "Run `pulumi up` again; if it fails again, see the log of the store.",
  );
}

/** The store has other bytes than were sent. */
export function corrupted(where: string, request = ""): StoreError {
  return new StoreError(
    `the data that arrived at ${where} differs from the data that was sent${request}`,
    "Run `pulumi up` again. If it fails again, a proxy or the network changes the data.",
    { failure: "corrupted", code: "checksum" },
  );
}

/** The error for a request without an answer. */
export function connectionFailure(
  { fault, error: { message, remedy } }: FailedAttempt,
  { key }: Named,
  inputs: GcsInputs,
): StoreError {
  const uri = bucketUri(inputs);
  const where = key === undefined ? placeUri(uri, inputs.prefix ?? "") : `${uri}/${key}`;
  const isOfWay = fault.kind === "refusedByProxy" || fault.kind === "untrusted";
  return new StoreError(
    `the store could not be reached for ${where}: ${message}`,
    isOfWay
      ? remedy
      : "Check the network, the destination's endpoint, and that the store is up. Make a private certificate authority known with NODE_EXTRA_CA_CERTS.",
    { failure: "unreachable", code: "code" in fault ? fault.code : fault.kind },
  );
}

/** The fields of the library's errors that are used. */
interface AuthError {
  readonly message?: string;
  readonly code?: unknown;
  readonly status?: unknown;
  readonly response?: { readonly status?: number; readonly data?: unknown };
}

/** The error of Google's library, which found no credentials, or could not use them. */
export function authFailure(error: unknown, inputs: GcsInputs): StoreError {
  const { message = "", code, response } = error as AuthError;
  const bucket = `the bucket ${inputs.gcsBucket}`;
  const data = typeof response?.data === "string" ? response.data : JSON.stringify(response?.data ?? "");
  const said = `${message} ${data}`;
  const text = redact(message, STORE_TEXT_LIMIT);
  const say = (failure: StoreFailure, problem: string, remedy: string): StoreError =>
    new StoreError(problem, remedy, {
      ...{ failure, code: typeof code === "string" ? code : "auth" },
      ...(response?.status !== undefined && { status: response.status }),
    });
  if (/Invalid JWT|reasonable timeframe/i.test(said) && /\biat\b|\bexp\b|timeframe/i.test(said)) {
    return say(
      "clock",
      `the clock of this machine and that of Google differ too much`,
      "Set this machine's clock.",
    );
  }
  if (/invalid_grant|invalid_rapt|expired/i.test(said)) {
    return say(
      "credentials",
      `the credentials for ${bucket} have expired or were revoked: ${text}`,
      "Renew them, for example by `gcloud auth application-default login`, and run `pulumi up` again.",
    );
  }
  if (/signBlob|serviceAccountTokenCreator|IAM Service Account Credentials/i.test(said)) {
    return say(
      "denied",
      `iam.serviceAccounts.signBlob, which signs links to ${bucket}, is not allowed: ${text}`,
      "Give the service account the role Service Account Token Creator (roles/iam.serviceAccountTokenCreator) on itself, and enable iamcredentials.googleapis.com.",
    );
  }
  if (/client_email|Cannot sign/i.test(said)) {
    return say(
      "credentials",
      `links to ${bucket} cannot be signed with these credentials: only a service account signs (${text})`,
      "Use a service account, or impersonate one: `gcloud auth application-default login --impersonate-service-account`. Or leave out `linkLife`.",
    );
  }
  if (
    response === undefined &&
    typeof code === "string" &&
    /^(?:E[A-Z]+|UND_ERR|CERT|ERR_)/.test(code) &&
    code !== "ENOENT"
  ) {
    return say(
      "unreachable",
      `Google's login for ${bucket} could not be reached (${redact(code, 60)})`,
      "Check the network, HTTPS_PROXY, and NODE_EXTRA_CA_CERTS for a private certificate authority.",
    );
  }
  return say(
    "credentials",
    `no credentials for ${bucket} were found or accepted: ${text}`,
    CREDENTIALS_REMEDY,
  );
}
