import { redact } from "../../../../runtime/messages/plainText";
import { placeUri } from "../bucketPlace";
import type { StoreError } from "../storeError";
import {
  CORRUPTED,
  FailedRequest,
  type FailureRow,
  type FailureTable,
  otherRow,
  REMEDIES,
} from "../storeFailure";
import type { Access } from "./credentials";
import { containerUri, serviceUrl, WEBSITE, type AzureContainerInputs } from "./inputs";

/** What a request does, as permissions of SAS tokens are named. */
export type Action = "read" | "list" | "write" | "delete" | "sign";

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
export interface AzureRequest {
  readonly action: Action;
  /** Of the blob, if the request is about one. */
  readonly name: string | undefined;
  readonly inputs: AzureContainerInputs;
  readonly access: Access;
  readonly nowMs: number;
}

const CREDENTIALS =
  "Give credentials: AZURE_STORAGE_CONNECTION_STRING, AZURE_STORAGE_KEY or AZURE_STORAGE_SAS_TOKEN, or an identity as Azure's own tools " +
  "find it: AZURE_CLIENT_ID, AZURE_TENANT_ID and AZURE_CLIENT_SECRET, a workload or managed identity, or `az login`.";

const NEW_SAS =
  "Make a new one, with the permissions rcwdl for the container, and give it as AZURE_STORAGE_SAS_TOKEN.";

const CODES: FailureTable = {
  "ContainerNotFound ContainerBeingDeleted":
    "noBucket: there is no container {container} in the storage account {account} ({code}) | {making}",
  "BlobNotFound ResourceNotFound": "missing: there is no blob {where} | Check its name.",
  "BlobAlreadyExists ConditionNotMet TargetConditionNotMet":
    "conflict: {where} was written by somebody else ({code}) | Run `pulumi up` again.",
  KeyBasedAuthenticationNotPermitted:
    "credentials: the storage account {account} does not permit keys ({code}) | Unset AZURE_STORAGE_KEY, AZURE_STORAGE_CONNECTION_STRING and AZURE_STORAGE_SAS_TOKEN, and give an identity, such as by `az login`.",
  AuthorizationFailure:
    "denied: {action} on {where} is not allowed ({code}){request} | The network rules of the account {account} exclude this machine, or {wrong}.",
  "AuthorizationSourceIPMismatch AuthorizationProtocolMismatch":
    "denied: the SAS token is not for requests from this machine ({code}): {text} | Make a token without this restriction.",
  "ServerBusy OperationTimedOut TooManyRequests 429 503": `busy: the storage account {account} is too busy ({code}){request} | ${REMEDIES.busy}`,
  "Md5Mismatch Crc64Mismatch": CORRUPTED,
  "LeaseIdMissing LeaseIdMismatchWithBlobOperation LeaseAlreadyPresent":
    "denied: {where} has a lease of somebody else ({code}) | Wait until it ends, or break it: `az storage blob lease break`.",
  "BlobArchived BlobBeingRehydrated":
    "denied: {where} is in the archive tier ({code}) | Set its tier to Hot, and exclude copies from the rule that moves them there.",
};

/** Codes of refused credentials. */
const REFUSED =
  /^(?:AuthenticationFailed|InvalidAuthenticationInfo|NoAuthenticationInformation|PublicAccessNotPermitted)$/;

/** What refused credentials mean, by their kind. */
const REFUSALS: Readonly<Record<Access["kind"], FailureRow>> = {
  key: "credentials: the storage account {account} does not accept the key ({code}) | Give a key of this account: AZURE_STORAGE_CONNECTION_STRING comes before AZURE_STORAGE_KEY.",
  sas: `credentials: the storage account {account} does not accept the SAS token ({code}) | ${NEW_SAS}`,
  identity: `credentials: the storage account {account} does not accept the identity ({code}){said} | ${CREDENTIALS}`,
};

/** The error for a failed request. */
export function azureFailure(error: unknown, request: AzureRequest): StoreError {
  const { inputs, access, action, name, nowMs } = request;
  const { azureContainer: container, storageAccount: account } = inputs;
  const code = codeOf(error);
  const status = statusOf(error);
  const { host, protocol } = new URL(serviceUrl(inputs));
  const { name: kind = "", message = "" } = error as SdkError;
  const failed = new FailedRequest({
    ...{ code, status, action, requestId: headerOf(error, "x-ms-request-id") },
    text: message.split(/\r?\nRequestId:/)[0] ?? "",
    where:
      name === undefined
        ? placeUri(containerUri(inputs), inputs.prefix ?? "")
        : `${containerUri(inputs)}/${name}`,
    facts: {
      ...{ container, account, host },
      making:
        container === WEBSITE
          ? "Switch on the account's static website, which makes it."
          : "Make it, or correct the destination's azureContainer.",
      wrong:
        access.kind === "key"
          ? "the key is of another account"
          : `«${action}» is not among the permissions for the container`,
    },
  });
  const { text } = failed;

  if (/^(?:CredentialUnavailable|.*Authentication(?:Required)?)Error$/.test(kind)) {
    return failed.by(
      `credentials: no credentials for the storage account {account} were found: {text} | ${CREDENTIALS}`,
    );
  }
  const sasEnd = access.kind === "sas" ? (new URLSearchParams(access.token).get("se") ?? "") : "";
  if ((status === 403 || status === 401) && Date.parse(sasEnd) <= nowMs) {
    return failed.by(
      `credentials: the SAS token for the storage account {account} expired at {end} | ${NEW_SAS}`,
      { end: redact(sasEnd, 40) },
    );
  }
  const explained = failed.byCode(CODES);
  if (explained) return explained;
  // as Azurite words it
  if (code === "InvalidOperation" && /md5/i.test(text)) return failed.by(CORRUPTED);
  const isRefused = REFUSED.test(code);
  if (!isRefused && /immutab|legal ?hold|worm/i.test(`${code} ${text}`)) {
    return failed.by(
      "denied: {where} is protected by an immutability policy ({code}) | Use a container without such a policy, or remove the blob when its time is over.",
    );
  }
  if (isRefused || status === 401) {
    const date = Date.parse(headerOf(error, "date") ?? "");
    return Math.abs(date - nowMs) > LARGEST_SKEW_MS
      ? failed.by(`clock: the clock of this machine and that of {host} differ too much | ${REMEDIES.clock}`)
      : failed.by(REFUSALS[access.kind], { said: text === code ? "" : `: ${text}` });
  }
  if (status === undefined) return failed.by(unreachable(protocol, `${code} ${text}`));
  if (status === 403) {
    const role =
      action === "sign"
        ? "Give the identity the role «Storage Blob Delegator» on the account {account}: links are signed with a key of its own."
        : "Give the identity the role «Storage Blob Data Contributor» on the container {container}.";
    const sas =
      "Make a SAS token with the permissions read, create, write, delete and list (rcwdl) for the container.";
    return failed.by(
      `denied: {action} on {where} is not allowed ({shortCode}){request} | ${access.kind === "sas" ? sas : role}`,
    );
  }
  const failure =
    status === 404 ? "missing" : status === 412 ? "conflict" : status === 501 ? "unsupported" : "other";
  return failed.by(otherRow(failure, "the account's logs"));
}

function unreachable(protocol: string, said: string): FailureRow {
  const unknown = /EAI_AGAIN|ENOTFOUND/.test(said);
  if (unknown) {
    const code = said.includes("EAI_AGAIN") ? "EAI_AGAIN" : "ENOTFOUND";
    return `address: there is no host {host} (${code}) | Correct the destination's storageAccount, or give its \`endpoint\`: each account has a host of its own.`;
  }
  if (protocol === "http:" && /non-TLS/i.test(said))
    return "address: an identity is not sent to {host} without TLS | Give an `endpoint` with https:.";
  return "unreachable: {host} could not be reached for {where} ({plainCode}) | Check the network, the destination's endpoint, and the account's firewall. Make a private certificate authority known with NODE_EXTRA_CA_CERTS.";
}
