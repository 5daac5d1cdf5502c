import type { HttpReply } from "../../../../http/attempt";
import type { FailedAttempt } from "../../../../http/retryPolicy";
import { redact } from "../../../../runtime/messages/plainText";
import { placeUri } from "../bucketPlace";
import { type FailureText, type StoreError, wordedError } from "../storeError";
import texts from "./failureTexts.json";
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

/** The words of the failures. What is `{between braces}` is filled in. */
const TEXTS = texts as Readonly<Record<keyof typeof texts, FailureText>>;

const GIVE_CREDENTIALS =
  "Give credentials as Google's tools find them: GOOGLE_APPLICATION_CREDENTIALS with the path of a file, `gcloud auth application-default login`, or the workload identity of the pod, machine or pipeline.";

/** Refusals whose cause is a setting, by what Google says. */
const SETTINGS: readonly (readonly [said: RegExp, text: FailureText])[] = [
  [/accountDisabled|billing/i, TEXTS.billing],
  [/retentionPolicy|retention (?:policy|period)/i, TEXTS.retention],
  [/ActiveHold|\bhold\b/i, TEXTS.hold],
  [/SERVICE_DISABLED|accessNotConfigured|has not been used in project/i, TEXTS.disabledApi],
  [/vpcServiceControls|organization's policy/i, TEXTS.perimeter],
  [/public access prevention|publicAccessPrevention/i, TEXTS.publicAccess],
  [/requester pays|UserProjectMissing/i, TEXTS.requesterPays],
  [/cloudkms|\bkms\b/i, TEXTS.encryptionKey],
];

/** The error for a refused request. It contains no credential and no query of a link: texts of the store are shortened and redacted. */
export function storeFailure(
  { status, reason, text: whole, requestId }: Refusal,
  { action, key, isOfBucket = false }: Named,
  inputs: GcsInputs,
  hasCredentials: boolean,
): StoreError {
  const uri = placeUri(bucketUri(inputs), inputs.prefix ?? "");
  const where = key === undefined ? uri : `${bucketUri(inputs)}/${key}`;
  const request = requestId === null ? "" : ` (request id ${redact(requestId, 100)})`;
  const text = redact(whole, STORE_TEXT_LIMIT);
  const code = reason || String(status);
  // who replaces an object also needs the permission to delete it: Google names the one that is missing
  const permission = /\bstorage\.[a-z]+\.[a-zA-Z]+\b/.exec(whole)?.[0] ?? action;
  const values = {
    ...{ action, permission, where, text, code, request, status: String(status) },
    ...{
      bucket: `the bucket ${inputs.gcsBucket}`,
      bucketName: inputs.gcsBucket,
      store: `the store of ${uri}`,
    },
    ...{ giveCredentials: GIVE_CREDENTIALS, shortCode: redact(code, 60) },
    refused: `${action} on ${where} is not allowed: `,
    said: text === "" ? "" : `: ${text}`,
    about:
      permission === "storage.objects.get"
        ? " Without storage.objects.list, a missing object looks forbidden."
        : "",
  };
  const say = (row: FailureText): StoreError => wordedError(row, values, { code, status });

  if (status === 404 || status === 410) {
    const isBucket = isOfBucket || /bucket does not exist/i.test(whole);
    return say(isBucket ? TEXTS.noBucket : TEXTS.missing);
  }
  if (status === 429 || status === 503 || /rateLimitExceeded|quotaExceeded|backendError/i.test(reason)) {
    return say(TEXTS.busy);
  }
  if (status === 401) return say(hasCredentials ? TEXTS.refusedCredentials : TEXTS.withoutCredentials);
  if (status === 400 && /\b(?:md5|crc32c)\b.*match/i.test(whole)) return corrupted(where, request);
  const setting = SETTINGS.find(([pattern]) => status < 500 && pattern.test(`${reason} ${whole}`));
  if (setting) return say(setting[1]);
  if (status === 403) return say(TEXTS.denied);
  return say(status === 412 || status === 409 ? TEXTS.conflict : TEXTS.other);
}

/** The store has other bytes than were sent. */
export function corrupted(where: string, request = ""): StoreError {
  return wordedError(TEXTS.corrupted, { where, request }, { code: "checksum" });
}

/** The error for a request without an answer. */
export function connectionFailure(
  { fault, error: { message: text, remedy } }: FailedAttempt,
  { key }: Named,
  inputs: GcsInputs,
): StoreError {
  const uri = bucketUri(inputs);
  const where = key === undefined ? placeUri(uri, inputs.prefix ?? "") : `${uri}/${key}`;
  const isOfWay = fault.kind === "refusedByProxy" || fault.kind === "untrusted";
  const code = "code" in fault ? fault.code : fault.kind;
  return wordedError(isOfWay ? TEXTS.noWay : TEXTS.unreachable, { where, text, remedy }, { code });
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
  const data = typeof response?.data === "string" ? response.data : JSON.stringify(response?.data ?? "");
  const said = `${message} ${data}`;
  const own = typeof code === "string" ? code : "auth";
  const values = {
    ...{ bucket: `the bucket ${inputs.gcsBucket}`, giveCredentials: GIVE_CREDENTIALS },
    ...{ text: redact(message, STORE_TEXT_LIMIT), shortCode: redact(own, 60) },
  };
  return wordedError(TEXTS[causeOf()], values, { code: own, status: response?.status });

  function causeOf(): keyof typeof TEXTS {
    const isClock = /Invalid JWT|reasonable timeframe/i.test(said) && /\biat\b|\bexp\b|timeframe/i.test(said);
    if (isClock) return "clock";
    if (/invalid_grant|invalid_rapt|expired/i.test(said)) return "expired";
    if (/signBlob|serviceAccountTokenCreator|IAM Service Account Credentials/i.test(said))
      return "mayNotSign";
    if (/client_email|Cannot sign/i.test(said)) return "cannotSign";
    const isOfNetwork = /^(?:E[A-Z]+|UND_ERR|CERT|ERR_)/.test(own) && own !== "ENOENT";
    return response === undefined && isOfNetwork ? "loginUnreachable" : "noCredentials";
  }
}
