import { redact } from "../../../../runtime/messages/plainText";
import { placeUri } from "../bucketPlace";
import { type FailureText, type StoreError, wordedError } from "../storeError";
import type { Access } from "./credentials";
import texts from "./failureTexts.json";
import { containerUri, serviceUrl, WEBSITE, type AzureContainerInputs } from "./inputs";

/** What a request does, as permissions of SAS tokens are named. */
export type Action = "read" | "list" | "write" | "delete" | "sign";

/** Longest text of the service that a message contains, in characters. */
const TEXT_LIMIT = 300;
/** How far a machine's clock may be from the service's, in milliseconds. */
const LARGEST_SKEW_MS = 15 * 60_000;

/** The fields of the SDK's errors that are used. */
interface SdkError {
  readonly name?: string;
  readonly message?: string;
  readonly code?: string;
  readonly statusCode?: number;
  readonly details?: { readonly errorCode?: string };
  readonly response?: { readonly headers?: { get(name: string): string | undefined } };
}

export const headerOf = (error: unknown, name: string): string | undefined =>
  (error as SdkError).response?.headers?.get(name);

/** The status of the service's answer; undefined without an answer. */
export const statusOf = (error: unknown): number | undefined => (error as SdkError).statusCode;

/** The service's error code, such as "BlobNotFound"; of an answer without one its status; of no answer the system's code. */
export function codeOf(error: unknown): string {
  const { code, details, statusCode, name = "failed" } = error as SdkError;
  const said = headerOf(error, "x-ms-error-code") ?? details?.errorCode ?? code;
  return said ?? (statusCode === undefined ? name : String(statusCode));
}

/** What is known about the request that failed. */
export interface FailedRequest {
  readonly action: Action;
  /** Of the blob, if the request is about one. */
  readonly name: string | undefined;
  readonly inputs: AzureContainerInputs;
  readonly access: Access;
  readonly nowMs: number;
}

/** The words of the failures. What is `{between braces}` is filled in. */
const TEXTS = texts as Readonly<Record<keyof typeof texts, FailureText>>;

const GIVE_CREDENTIALS =
  "Give credentials: AZURE_STORAGE_CONNECTION_STRING, AZURE_STORAGE_KEY or AZURE_STORAGE_SAS_TOKEN, or an identity as Azure's own tools " +
  "find it: AZURE_CLIENT_ID, AZURE_TENANT_ID and AZURE_CLIENT_SECRET, a workload or managed identity, or `az login`.";

/** The error for a failed request. It contains no credential: texts of the service are shortened and redacted. */
export function azureFailure(error: unknown, request: FailedRequest): StoreError {
  const { inputs, access, action, name, nowMs } = request;
  const { azureContainer: container, storageAccount: accountName } = inputs;
  const { host, protocol } = new URL(serviceUrl(inputs));
  const code = codeOf(error);
  const status = statusOf(error);
  const uri = placeUri(containerUri(inputs), inputs.prefix ?? "");
  const id = headerOf(error, "x-ms-request-id");
  const text = redact(((error as SdkError).message ?? "").split(/\r?\nRequestId:/)[0] ?? "", TEXT_LIMIT);
  const sasEnd = access.kind === "sas" ? (new URLSearchParams(access.token).get("se") ?? "") : "";
  const isLookup = /^(?:ENOTFOUND|EAI_AGAIN)$/.test(code) || /ENOTFOUND|EAI_AGAIN/.test(text);
  const cause = /EAI_AGAIN/.test(`${code} ${text}`) ? "EAI_AGAIN" : "ENOTFOUND";
  const values = {
    ...{ action, container, accountName, host, code, text, giveCredentials: GIVE_CREDENTIALS },
    ...{ status: String(status), shortCode: redact(code, 60), sasEnd: redact(sasEnd, 40) },
    account: `the storage account ${accountName}`,
    where: name === undefined ? uri : `${containerUri(inputs)}/${name}`,
    about: id === undefined ? "" : ` (request id ${redact(id, 100)})`,
    said: text === code ? "" : `: ${text}`,
    otherwise:
      access.kind === "key"
        ? "the key is of another account"
        : `«${action}» is not among the permissions for the container`,
    cause: isLookup ? cause : /^[\w .-]{1,60}$/.test(code) ? code : "failed",
  };
  return wordedError(textOf(), values, { code, status });

  function textOf(): FailureText {
    const errorName = (error as SdkError).name ?? "";
    if (/^(?:CredentialUnavailable|.*Authentication(?:Required)?)Error$/.test(errorName)) {
      return TEXTS.noCredentials;
    }
    if ((status === 403 || status === 401) && Date.parse(sasEnd) <= nowMs) return TEXTS.expiredToken;
    const ofCode = Object.values(TEXTS).find(({ codes }) => codes?.includes(code));
    if (ofCode === TEXTS.noContainer && container === WEBSITE) return TEXTS.noWebsite;
    if (ofCode === TEXTS.refusedCredentials) return refusedCredentials();
    if (ofCode) return ofCode;
    // as Azurite words it
    if (code === "InvalidOperation" && /md5/i.test(text)) return TEXTS.corrupted;
    if (/immutab|legal ?hold|worm/i.test(`${code} ${text}`)) return TEXTS.immutable;
    if (status === undefined) {
      if (isLookup) return TEXTS.noHost;
      return protocol === "http:" && /non-TLS/i.test(text) ? TEXTS.withoutTls : TEXTS.unreachable;
    }
    if (status === 401) return refusedCredentials();
    if (status === 403) {
      if (access.kind === "sas") return TEXTS.tokenRights;
      return action === "sign" ? TEXTS.signingRole : TEXTS.role;
    }
    const failure =
      status === 404 ? "missing" : status === 412 ? "conflict" : status === 501 ? "unsupported" : "other";
    return { ...TEXTS.other, failure };
  }

  function refusedCredentials(): FailureText {
    const date = Date.parse(headerOf(error, "date") ?? "");
    if (Math.abs(date - nowMs) > LARGEST_SKEW_MS) return TEXTS.clock;
    if (access.kind === "key") return TEXTS.refusedKey;
    return access.kind === "sas" ? TEXTS.refusedToken : TEXTS.refusedCredentials;
  }
}
