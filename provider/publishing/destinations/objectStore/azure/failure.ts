import { redact } from "../../../../base/runtime/messages/plainText";
import type { StoreError, StoreFailure } from "../storeError";
import {
  clockRow,
  CORRUPTED,
  type FailureRow,
  failuresOf,
  type FailureTable,
  NO_STORE,
  otherRow,
  STORE_REMEDIES,
  type StoreRequest,
} from "../storeFailure";
import type { Access } from "./credentials";
import { type AzureContainerInputs, containerUri, serviceUrl, WEBSITE } from "./inputs";

/** What a request does, as permissions of SAS tokens are named. */
export type AzureAction = "read" | "list" | "write" | "delete" | "sign";

/** How far a machine's clock may be from the service's, in milliseconds. */
const LARGEST_SKEW_MS = 15 * 60_000;

/** The fields of the SDK's errors that are used. */
interface AzureError {
  readonly name?: string;
  readonly message?: string;
  readonly code?: string;
  readonly statusCode?: number;
  readonly details?: { readonly errorCode?: string };
  readonly response?: { readonly headers?: { get(name: string): string | undefined } };
}

export const headerOf = (error: unknown, name: string): string | undefined =>
  (error as AzureError).response?.headers?.get(name);

/** The status of the service's reply; undefined without a reply. */
export const statusOf = (error: unknown): number | undefined => (error as AzureError).statusCode;

/** The service's error code, such as "BlobNotFound"; of a reply without one its status; of no reply the system's code. */
export function codeOf(error: unknown): string {
  const { code, details, statusCode, name = "failed" } = error as AzureError;
  const said = headerOf(error, "x-ms-error-code") ?? details?.errorCode ?? code;
  return said ?? (statusCode === undefined ? name : String(statusCode));
}

/** What is known about the request that failed. */
interface KnownRequest extends StoreRequest<AzureAction> {
  readonly inputs: AzureContainerInputs;
  readonly access: Access;
  readonly nowMs: number;
}

const CREDENTIALS =
  "Give credentials: AZURE_STORAGE_CONNECTION_STRING, AZURE_STORAGE_KEY or AZURE_STORAGE_SAS_TOKEN, or an identity as Azure's own tools " +
  "find it: AZURE_CLIENT_ID, AZURE_TENANT_ID and AZURE_CLIENT_SECRET, a workload or managed identity, or `az login`.";

const NEW_SAS =
  "Make a new one, with the permissions rcwdl for the container, and give it as AZURE_STORAGE_SAS_TOKEN.";

const MISSING_BLOB = "BlobNotFound ResourceNotFound";

/** Whether an error code of the service means that there is no such blob. */
export const isMissingBlob = (code: string | undefined): boolean =>
  code !== undefined && MISSING_BLOB.split(" ").includes(code);

const CODES: FailureTable = {
  "ContainerNotFound ContainerBeingDeleted": {
    failure: "noBucket",
    message: "there is no container {container} in the storage account {account} ({code})",
    remedy: "{making}",
  },
  [MISSING_BLOB]: {
    failure: "missing",
    message: "there is no blob {where}",
    remedy: "Check its name.",
  },
  "BlobAlreadyExists ConditionNotMet TargetConditionNotMet": {
    failure: "conflict",
    message: "{where} was written by somebody else ({code})",
    remedy: "Run `pulumi up` again.",
  },
  KeyBasedAuthenticationNotPermitted: {
    failure: "credentials",
    message: "the storage account {account} does not permit keys ({code})",
    remedy:
      "Unset AZURE_STORAGE_KEY, AZURE_STORAGE_CONNECTION_STRING and AZURE_STORAGE_SAS_TOKEN, and give an identity, such as by `az login`.",
  },
  AuthorizationFailure: {
    failure: "denied",
    message: "{action} on {where} is not allowed ({code}){request}",
    remedy: "The network rules of the account {account} exclude this machine, or {wrong}.",
  },
  "AuthorizationSourceIPMismatch AuthorizationProtocolMismatch": {
    failure: "denied",
    message: "the SAS token is not for requests from this machine ({code}): {text}",
    remedy: "Make a token without this restriction.",
  },
  "ServerBusy OperationTimedOut TooManyRequests 429 503": {
    failure: "busy",
    message: `the storage account {account} is too busy ({code}){request}`,
    remedy: STORE_REMEDIES.busy,
  },
  "Md5Mismatch Crc64Mismatch": CORRUPTED,
  "LeaseIdMissing LeaseIdMismatchWithBlobOperation LeaseAlreadyPresent": {
    failure: "denied",
    message: "{where} has a lease of somebody else ({code})",
    remedy: "Wait until it ends, or break it: `az storage blob lease break`.",
  },
  InvalidHeaderValue: {
    failure: "unsupported",
    message: "{host} does not accept a header of the Azure SDK ({code}){said}{request}",
    remedy:
      "An emulator that does not know the API version of the SDK is started with `azurite --skipApiVersionCheck`, or updated.",
  },
  "BlobArchived BlobBeingRehydrated": {
    failure: "denied",
    message: "{where} is in the archive tier ({code})",
    remedy: "Set its tier to Hot, and exclude copies from the rule that moves them there.",
  },
};

/** Codes of refused credentials. */
const REFUSED =
  /^(?:AuthenticationFailed|InvalidAuthenticationInfo|NoAuthenticationInformation|PublicAccessNotPermitted)$/;

/** What refused credentials mean, by their kind. */
const REFUSALS: Readonly<Record<Access["kind"], FailureRow>> = {
  key: {
    failure: "credentials",
    message: "the storage account {account} does not accept the key ({code})",
    remedy: "Give a key of this account: AZURE_STORAGE_CONNECTION_STRING comes before AZURE_STORAGE_KEY.",
  },
  sas: {
    failure: "credentials",
    message: `the storage account {account} does not accept the SAS token ({code})`,
    remedy: NEW_SAS,
  },
  identity: {
    failure: "credentials",
    message: `the storage account {account} does not accept the identity ({code}){said}`,
    remedy: CREDENTIALS,
  },
};

/** What statuses mean without a code that says more. */
const STATUSES: Readonly<Record<number, StoreFailure>> = {
  412: "conflict",
  501: "unsupported",
};

/** The error for a failed request. */
export function azureFailure(
  error: unknown,
  { inputs, access, action, key, nowMs }: KnownRequest,
): StoreError {
  const { azureContainer: container, storageAccount: account, prefix } = inputs;
  const code = codeOf(error);
  const status = statusOf(error);
  const { host } = new URL(serviceUrl(inputs));
  const { name = "", message = "" } = error as AzureError;
  const sasEnd = access.kind === "sas" ? (new URLSearchParams(access.token).get("se") ?? "") : "";
  const { text, by, byCode } = failuresOf({
    code,
    status,
    action,
    key,
    uri: containerUri(inputs),
    prefix,
    text: message.split(/\r?\nRequestId:/)[0] ?? "",
    requestId: headerOf(error, "x-ms-request-id"),
    facts: {
      container,
      account,
      host,
      end: redact(sasEnd, 40),
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
  const said = `${code} ${text}`;

  if (/^(?:CredentialUnavailable|.*Authentication(?:Required)?)Error$/.test(name)) {
    return by({
      failure: "credentials",
      message: `no credentials for the storage account {account} were found: {text}`,
      remedy: CREDENTIALS,
    });
  }
  if ((status === 403 || status === 401) && Date.parse(sasEnd) <= nowMs) {
    return by({
      failure: "credentials",
      message: `the SAS token for the storage account {account} expired at {end}`,
      remedy: NEW_SAS,
    });
  }
  const explained = byCode(CODES);
  if (explained) return explained;
  // as Azurite words it
  if (code === "InvalidOperation" && /md5/i.test(text)) return by(CORRUPTED);
  const isRefused = REFUSED.test(code);
  if (!isRefused && /immutab|legal ?hold|worm/i.test(said)) {
    return by({
      failure: "denied",
      message: "{where} is protected by an immutability policy ({code})",
      remedy: "Use a container without such a policy, or remove the blob when its time is over.",
    });
  }
  if (isRefused || status === 401) {
    const skewMs = Math.abs(Date.parse(headerOf(error, "date") ?? "") - nowMs);
    return by(skewMs > LARGEST_SKEW_MS ? clockRow("{host}") : REFUSALS[access.kind]);
  }
  if (status === undefined) return by(unreachable(said));
  // a reply of the service has a code, also to HEAD
  if (status === 404 && code === "404") return by(NO_STORE);
  if (status !== 403) return by(otherRow(STATUSES[status] ?? "other", "the account's logs"));
  const role =
    action === "sign"
      ? "Give the identity the role «Storage Blob Delegator» on the account {account}: links are signed with a key of its own."
      : "Give the identity the role «Storage Blob Data Contributor» on the container {container}.";
  const sas =
    "Make a SAS token with the permissions read, create, write, delete and list (rcwdl) for the container.";
  const remedy = access.kind === "sas" ? sas : role;
  return by({
    failure: "denied",
    message: `{action} on {where} is not allowed ({shortCode}){request}`,
    remedy: remedy,
  });
}

function unreachable(said: string): FailureRow {
  const [code] = /EAI_AGAIN|ENOTFOUND/.exec(said) ?? [];
  if (code !== undefined) {
    return {
      failure: "address",
      message: `there is no host {host} (${code})`,
      remedy: `Correct the destination's storageAccount, or give its \`endpoint\`: each account has a host of its own.`,
    };
  }
  return {
    failure: "unreachable",
    message: "{host} could not be reached for {where} ({plainCode})",
    remedy:
      "Check the network, the destination's endpoint, and the account's firewall. Make a private certificate authority known with NODE_EXTRA_CA_CERTS.",
  };
}
