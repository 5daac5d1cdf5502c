import { redact } from "../../../../runtime/messages/plainText";
import { placeUri } from "../bucketPlace";
import { StoreError, type StoreFailure } from "../storeError";
import type { Access } from "./credentials";
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

const CREDENTIALS_REMEDY =
  "Give credentials: AZURE_STORAGE_CONNECTION_STRING, AZURE_STORAGE_KEY or AZURE_STORAGE_SAS_TOKEN, or an identity as Azure's own tools " +
  "find it: AZURE_CLIENT_ID, AZURE_TENANT_ID and AZURE_CLIENT_SECRET, a workload or managed identity, or `az login`.";

const SAS_REMEDY =
  "Make a new one, with the permissions rcwdl for the container, and give it as AZURE_STORAGE_SAS_TOKEN.";

/** The error for a failed request. It contains no credential: texts of the service are shortened and redacted. */
export function azureFailure(error: unknown, request: FailedRequest): StoreError {
  const { inputs, access, action, name, nowMs } = request;
  const { azureContainer: container, storageAccount: account } = inputs;
  const code = codeOf(error);
  const status = statusOf(error);
  const uri = placeUri(containerUri(inputs), inputs.prefix ?? "");
  const where = name === undefined ? uri : `${containerUri(inputs)}/${name}`;
  const id = headerOf(error, "x-ms-request-id");
  const about = id === undefined ? "" : ` (request id ${redact(id, 100)})`;
  const text = redact(((error as SdkError).message ?? "").split(/\r?\nRequestId:/)[0] ?? "", TEXT_LIMIT);
  const say = (failure: StoreFailure, message: string, remedy: string): StoreError =>
    new StoreError(message, remedy, { failure, code, ...(status !== undefined && { status }) });

  if (/^(?:CredentialUnavailable|.*Authentication(?:Required)?)Error$/.test((error as SdkError).name ?? "")) {
    return say(
      "credentials",
      `no credentials for the storage account ${account} were found: ${text}`,
      CREDENTIALS_REMEDY,
    );
  }
  const sasEnd = access.kind === "sas" ? (new URLSearchParams(access.token).get("se") ?? "") : "";
  if ((status === 403 || status === 401) && Date.parse(sasEnd) <= nowMs) {
    return say(
      "credentials",
      `the SAS token for the storage account ${account} expired at ${redact(sasEnd, 40)}`,
      SAS_REMEDY,
    );
  }
  switch (code) {
    case "ContainerNotFound":
    case "ContainerBeingDeleted":
      return say(
        "noBucket",
        `there is no container ${container} in the storage account ${account} (${code})`,
        container === WEBSITE
          ? "Switch on the account's static website, which makes it."
          : "Make it, or correct the destination's azureContainer.",
      );
    case "BlobNotFound":
    case "ResourceNotFound":
      return say("missing", `there is no blob ${where}`, "Check its name.");
    case "BlobAlreadyExists":
    case "ConditionNotMet":
    case "TargetConditionNotMet":
      return say("conflict", `${where} was written by somebody else (${code})`, "Run `pulumi up` again.");
    case "AuthenticationFailed":
    case "InvalidAuthenticationInfo":
    case "NoAuthenticationInformation":
    case "PublicAccessNotPermitted":
      return refusedCredentials();
    case "KeyBasedAuthenticationNotPermitted":
      return say(
        "credentials",
        `the storage account ${account} does not permit keys (${code})`,
        "Unset AZURE_STORAGE_KEY, AZURE_STORAGE_CONNECTION_STRING and AZURE_STORAGE_SAS_TOKEN, and give an identity, such as by `az login`.",
      );
    case "AuthorizationFailure":
      return say(
        "denied",
        `${action} on ${where} is not allowed (${code})${about}`,
        `The network rules of the account ${account} exclude this machine, or ${
          access.kind === "key"
            ? "the key is of another account"
            : `«${action}» is not among the permissions for the container`
        }.`,
      );
    case "AuthorizationSourceIPMismatch":
    case "AuthorizationProtocolMismatch":
      return say(
        "denied",
        `the SAS token is not for requests from this machine (${code}): ${text}`,
        "Make a token without this restriction.",
      );
    case "ServerBusy":
    case "OperationTimedOut":
    case "TooManyRequests":
    case "429":
    case "503":
      return say(
        "busy",
        `the storage account ${account} is too busy (${code})${about}`,
        "The requests were repeated several times. Run `pulumi up` again later: it continues from what is stored.",
      );
    case "Md5Mismatch":
    case "Crc64Mismatch":
      return corrupted();
    case "LeaseIdMissing":
    case "LeaseIdMismatchWithBlobOperation":
    case "LeaseAlreadyPresent":
      return say(
        "denied",
        `${where} has a lease of somebody else (${code})`,
        "Wait until it ends, or break it: `az storage blob lease break`.",
      );
    case "BlobArchived":
    case "BlobBeingRehydrated":
      return say(
        "denied",
        `${where} is in the archive tier (${code})`,
        "Set its tier to Hot, and exclude copies from the rule that moves them there.",
      );
    default:
      break;
  }
  // as Azurite words it
  if (code === "InvalidOperation" && /md5/i.test(text)) return corrupted();
  if (/immutab|legal ?hold|worm/i.test(`${code} ${text}`)) {
    return say(
      "denied",
      `${where} is protected by an immutability policy (${code})`,
      "Use a container without such a policy, or remove the blob when its time is over.",
    );
  }
  if (status === undefined) return unreachable();
  if (status === 401) return refusedCredentials();
  if (status === 403) {
    return say("denied", `${action} on ${where} is not allowed (${redact(code, 60)})${about}`, grant());
  }
  const failure =
    status === 404 ? "missing" : status === 412 ? "conflict" : status === 501 ? "unsupported" : "other";
  return say(
    failure,
    `${action} on ${where} failed with status ${status} (${redact(code, 60)}): ${text}${about}`,
    "Run `pulumi up` again; if it fails again, see the account's logs.",
  );

  function corrupted(): StoreError {
    return say(
      "corrupted",
      `the data that arrived at ${where} differs from the data that was sent (${code})${about}`,
      "Run `pulumi up` again. If it fails again, a proxy or the network changes the data.",
    );
  }

  function grant(): string {
    if (access.kind === "sas")
      return "Make a SAS token with the permissions read, create, write, delete and list (rcwdl) for the container.";
    return action === "sign"
      ? `Give the identity the role «Storage Blob Delegator» on the account ${account}: links are signed with a key of its own.`
      : `Give the identity the role «Storage Blob Data Contributor» on the container ${container}.`;
  }

  function refusedCredentials(): StoreError {
    const date = Date.parse(headerOf(error, "date") ?? "");
    if (Math.abs(date - nowMs) > LARGEST_SKEW_MS) {
      return say(
        "clock",
        `the clock of this machine and that of ${new URL(serviceUrl(inputs)).host} differ too much`,
        "Set this machine's clock.",
      );
    }
    if (access.kind === "key") {
      return say(
        "credentials",
        `the storage account ${account} does not accept the key (${code})`,
        "Give a key of this account: AZURE_STORAGE_CONNECTION_STRING comes before AZURE_STORAGE_KEY.",
      );
    }
    if (access.kind === "sas") {
      return say(
        "credentials",
        `the storage account ${account} does not accept the SAS token (${code})`,
        SAS_REMEDY,
      );
    }
    return say(
      "credentials",
      `the storage account ${account} does not accept the identity (${code})${text === code ? "" : `: ${text}`}`,
      CREDENTIALS_REMEDY,
    );
  }

  function unreachable(): StoreError {
    const { host, protocol } = new URL(serviceUrl(inputs));
    if (/^(?:ENOTFOUND|EAI_AGAIN)$/.test(code) || /ENOTFOUND|EAI_AGAIN/.test(text)) {
      return say(
        "address",
        `there is no host ${host} (${/EAI_AGAIN/.test(`${code} ${text}`) ? "EAI_AGAIN" : "ENOTFOUND"})`,
        "Correct the destination's storageAccount, or give its `endpoint`: each account has a host of its own.",
      );
    }
    if (protocol === "http:" && /non-TLS/i.test(text)) {
      return say(
        "address",
        `an identity is not sent to ${host} without TLS`,
        "Give an `endpoint` with https:.",
      );
    }
    return say(
      "unreachable",
      `${host} could not be reached for ${where} (${/^[\w .-]{1,60}$/.test(code) ? code : "failed"})`,
      "Check the network, the destination's endpoint, and the account's firewall. Make a private certificate authority known with NODE_EXTRA_CA_CERTS.",
    );
  }
}
