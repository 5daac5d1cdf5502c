import { ConfigurationError } from "../../../../base/runtime/messages/errors";
import { type AzureContainerInputs, serviceUrl } from "./inputs";

/**
 * What `UseDevelopmentStorage=true` stands for: the account that every emulator has, see
 * https://learn.microsoft.com/azure/storage/common/storage-connect-azurite
 */
const DEVELOPMENT = {
  AccountName: "devstoreaccount1",
  AccountKey: "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==",
} as const;

const NAMES = [
  ...["AccountName", "AccountKey", "SharedAccessSignature", "BlobEndpoint", "EndpointSuffix"],
  ...["DefaultEndpointsProtocol", "UseDevelopmentStorage", "DevelopmentStorageProxyUri"],
];
/** The names in the letter case of this file: Azure's own libraries accept any. */
const NAME_OF = new Map(NAMES.map((name) => [name.toLowerCase(), name]));

/**
 * The fields of a connection string. They are never in a message.
 *
 * @param variable that has it
 * @throws ConfigurationError when it is of another account or endpoint than the destination
 */
export function connectionParts(
  text: string,
  variable: string,
  inputs: AzureContainerInputs,
): ReadonlyMap<string, string> {
  const given = new Map(
    Array.from(text.matchAll(/([^;=]*)=([^;]*)/g), ([, name = "", value = ""]) => [
      NAME_OF.get(name.trim().toLowerCase()) ?? name.trim(),
      value.trim(),
    ]),
  );
  const parts = /^true$/i.test(given.get("UseDevelopmentStorage") ?? "") ? developmentParts(given) : given;
  const account = parts.get("AccountName") ?? inputs.storageAccount;
  if (account !== inputs.storageAccount) {
    throw new ConfigurationError(
      `${variable} is of the storage account ${account}, and the destination's storageAccount is ${inputs.storageAccount}`,
      "Correct one of the two. In a program with several accounts, give each destination a `connectionStringVariable`: the name of the " +
        "variable that has its connection string.",
    );
  }
  const suffix = parts.get("EndpointSuffix") ?? "core.windows.net";
  const protocol = parts.get("DefaultEndpointsProtocol") ?? "https";
  const endpoint = URL.parse(parts.get("BlobEndpoint") ?? `${protocol}://${account}.blob.${suffix}`);
  const ours = serviceUrl(inputs);
  const isOurs = endpoint?.href.replace(/\/+$/, "") === new URL(ours).href.replace(/\/+$/, "");
  if (inputs.endpoint === undefined && !isOurs) {
    const theirs = endpoint
      ? `«${endpoint.origin}${endpoint.pathname.replace(/\/+$/, "")}»`
      : "the address of its account's blob service";
    throw new ConfigurationError(
      `${variable} is of another address than ${ours}`,
      `Give the destination the \`endpoint\` ${theirs}.`,
    );
  }
  return parts;
}

function developmentParts(given: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const proxy = URL.parse(given.get("DevelopmentStorageProxyUri") ?? "");
  const host = proxy ? `${proxy.protocol}//${proxy.hostname}` : "http://127.0.0.1";
  return new Map(
    Object.entries({ ...DEVELOPMENT, BlobEndpoint: `${host}:10000/${DEVELOPMENT.AccountName}` }),
  );
}
