import type { DestinationFields, FieldsOfKind, Layout } from "../../destination";
import { addressProblem, KEEPING, type KeepingInputs, prefixFor, sameAddress } from "../inputs";

/** Where in a container of Azure Blob Storage copies are kept, and how. */
export interface AzureContainerInputs extends KeepingInputs {
  /**
   * Name of a container of Azure Blob Storage; `$web` is the website of the account. Credentials come from
   * AZURE_STORAGE_CONNECTION_STRING, AZURE_STORAGE_KEY or AZURE_STORAGE_SAS_TOKEN, in this order, otherwise from where Azure's own
   * tools find them (DefaultAzureCredential).
   */
  readonly azureContainer: string;
  /** Name of the storage account. */
  readonly storageAccount: string;
  /** What every name of a blob begins with, without the slash that follows it. @default "" */
  readonly prefix?: string;
  /**
   * URL of the account's blob service, without the container: for another cloud, a private endpoint or an emulator.
   *
   * @default "https://ACCOUNT.blob.core.windows.net"
   */
  readonly endpoint?: string;
  /**
   * URL of the account's website, its output `primaryEndpoints.web`: with `$web`, copies of the layout "site" are found below it.
   *
   * @default the address in `endpoint`, which serves no index documents
   */
  readonly websiteEndpoint?: string;
  /**
   * Name of the environment variable that has the connection string of the account, for programs with several accounts. No other variable
   * counts then.
   *
   * @default "AZURE_STORAGE_CONNECTION_STRING"
   */
  readonly connectionStringVariable?: string;
  /** One blob, named by its digest; or every file of the site. @default "archive" */
  readonly layout?: Layout;
}

/**
 * Longest name of a blob, see https://learn.microsoft.com/rest/api/storageservices/naming-and-referencing-containers--blobs--and-metadata
 */
export const LONGEST_NAME = 1_024;

/** See {@link LONGEST_NAME}: the service drops a dot at the end, and stores under a name without it. */
export function brokenBlobRule(name: string): string | undefined {
  const segments = name.split("/");
  if (segments.some((segment) => segment.endsWith("."))) {
    return "In Azure no part of a name ends with a dot: the service drops it";
  }
  return segments.length > MOST_SEGMENTS ? `In Azure a name has ${MOST_SEGMENTS} parts at most` : undefined;
}

const MOST_SEGMENTS = 254;

/** The container of an account's website. */
export const WEBSITE = "$web";

const CREDENTIALS = "the environment, as Azure's own tools find them";

/** The rows of {@link AzureContainerInputs}. */
export const AZURE_FIELDS: FieldsOfKind<AzureContainerInputs> = {
  azureContainer: { change: "replaces", problem: containerProblem },
  storageAccount: { change: "replaces", isRequired: true, problem: accountProblem },
  prefix: prefixFor(brokenBlobRule),
  endpoint: { change: "replaces", key: sameAddress, problem: endpointProblem },
  websiteEndpoint: { change: "content", key: sameAddress, problem: websiteProblem },
  connectionStringVariable: { change: "none", problem: variableProblem },
  ...KEEPING,
};

function containerProblem(value: unknown): string | undefined {
  if (typeof value !== "string") return "must be a string: the name of a container";
  if (value === WEBSITE) return undefined;
  if (/^https?:/i.test(value)) return "must be the container's name alone, without an address";
  if (value.includes("/")) {
    return "must be the container's name alone: what follows the slash is the `prefix`";
  }
  if (value.length < 3 || value.length > 63) return "must have 3 to 63 characters";
  return /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(value)
    ? undefined
    : "must consist of a-z, 0-9 and single «-», and begin and end with a letter or digit; or be «$web»";
}

function accountProblem(value: unknown): string | undefined {
  if (typeof value !== "string") return "must be a string: the name of a storage account";
  if (/[/.:]/.test(value)) return "must be the account's name alone: its address is the `endpoint`";
  return /^[a-z0-9]{3,24}$/.test(value) ? undefined : "must have 3 to 24 characters of a-z and 0-9";
}

function endpointProblem(
  value: unknown,
  { storageAccount, azureContainer }: DestinationFields,
): string | undefined {
  const account = typeof storageAccount === "string" ? storageAccount : "ACCOUNT";
  const example = `https://${account}.blob.core.chinacloudapi.cn`;
  return addressProblem(value, example, CREDENTIALS, ({ hostname, pathname }) => {
    const path = pathname.replace(/^\/+|\/+$/g, "");
    if (typeof azureContainer === "string" && path.split("/").at(-1) === azureContainer) {
      return "must not contain the container";
    }
    if (typeof storageAccount !== "string") return undefined;
    const isInHost = path === "" && hostname.startsWith(`${account}.`) && HOST_OF_ACCOUNT.test(hostname);
    return isInHost || (path === account && !HOST_OF_ACCOUNT.test(hostname))
      ? undefined
      : `must be the address of the blob service of ${account}: https://${account}.blob.SUFFIX, or for an emulator http://HOST:PORT/${account}`;
  });
}

function variableProblem(value: unknown): string | undefined {
  return typeof value === "string" && /^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(value)
    ? undefined
    : "must be the name of an environment variable such as «DOCS_CONNECTION_STRING», not the connection string";
}

function websiteProblem(value: unknown, { azureContainer }: DestinationFields): string | undefined {
  return addressProblem(value, "https://ACCOUNT.z6.web.core.windows.net", CREDENTIALS, () =>
    typeof azureContainer === "string" && azureContainer !== WEBSITE
      ? "is for the container «$web» only: no other one is a website"
      : undefined,
  );
}

/** The host of an account's blob service, in any cloud. */
const HOST_OF_ACCOUNT = /^[a-z0-9]{3,24}\.(?:[a-z0-9-]+\.)?blob\./;

const ADDRESS =
  /^(?<endpoint>https?:\/\/(?:(?<hosted>[a-z0-9]{3,24})\.(?:[a-z0-9-]+\.)?blob\.[^/?#]+|[^/?#]+\/(?<rooted>[a-z0-9]{3,24})))\/(?<azureContainer>\$web|[a-z0-9-]{3,63})\//;

/** The container that the address of a copy names, and how much of the address does. */
export function containerIn(
  uri: string,
): { readonly begin: string; readonly fields: Partial<AzureContainerInputs> } | undefined {
  const [begin = "", ...groups] = ADDRESS.exec(uri) ?? [];
  const [endpoint = "", hosted, rooted, azureContainer = ""] = groups;
  const storageAccount = hosted ?? rooted ?? "";
  const fields = { azureContainer, storageAccount };
  if (begin === "") return undefined;
  const isOwn = endpoint !== serviceUrl(fields);
  return { begin, fields: { ...fields, ...(isOwn && { endpoint }) } };
}

/** URL of the account's blob service, without a slash at its end. */
export function serviceUrl({ endpoint, storageAccount }: AzureContainerInputs): string {
  return endpoint?.replace(/\/+$/, "") ?? `https://${storageAccount}.blob.core.windows.net`;
}

/** The container in addresses of copies. */
export const containerUri = (inputs: AzureContainerInputs): string =>
  `${serviceUrl(inputs)}/${inputs.azureContainer}`;

/** Where a blob is fetched without a signature. */
export function blobAddress(inputs: AzureContainerInputs, name: string): string {
  const path = name.split("/").map(encodeURIComponent).join("/");
  const { websiteEndpoint, azureContainer } = inputs;
  return azureContainer === WEBSITE && websiteEndpoint !== undefined
    ? `${websiteEndpoint.replace(/\/+$/, "")}/${path}`
    : `${containerUri(inputs)}/${path}`;
}
