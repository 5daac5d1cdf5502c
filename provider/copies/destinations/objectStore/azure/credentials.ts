import { checkCredentialFiles } from "../credentialFiles";
import { ConfigurationError } from "../../../../runtime/messages/errors";
import type { DestinationContext } from "../../destination";
import { serviceUrl, type AzureContainerInputs } from "./inputs";
import { loadIdentity, type BlobsSdk, type SharedKey, type TokenCredential } from "./sdk";

/** With what requests are authorized. */
export type Access =
  | { readonly kind: "key"; readonly credential: SharedKey }
  /** A token, without the question mark. */
  | { readonly kind: "sas"; readonly token: string }
  | { readonly kind: "identity"; readonly credential: TokenCredential };

const CONNECTION = "AZURE_STORAGE_CONNECTION_STRING";

/**
 * Finds the credentials: the first of AZURE_STORAGE_CONNECTION_STRING, AZURE_STORAGE_KEY and AZURE_STORAGE_SAS_TOKEN that is set,
 * otherwise what Azure's own tools find. It sends no request.
 *
 * @throws ConfigurationError when the connection string is of another account or endpoint
 */
export async function findAccess(
  inputs: AzureContainerInputs,
  { environment, secrets }: Pick<DestinationContext, "environment" | "secrets">,
  sdk: BlobsSdk,
): Promise<Access> {
  const connection = environment(CONNECTION);
  const parts = connection ? connectionParts(connection, inputs) : undefined;
  const key = parts ? parts.get("AccountKey") : environment("AZURE_STORAGE_KEY");
  if (key) {
    secrets.add(key);
    return { kind: "key", credential: new sdk.StorageSharedKeyCredential(inputs.storageAccount, key) };
  }
  const sas = parts ? parts.get("SharedAccessSignature") : environment("AZURE_STORAGE_SAS_TOKEN");
  if (sas) {
    const token = sas.replace(/^\?/, "");
    secrets.addLink(`https://account/?${token}`);
    return { kind: "sas", token };
  }
  if (parts) {
    throw new ConfigurationError(
      `${CONNECTION} has neither an AccountKey nor a SharedAccessSignature`,
      "Copy the whole connection string of the storage account.",
    );
  }
  checkCredentialFiles("azure", { environment, secrets });
  const { DefaultAzureCredential } = await loadIdentity();
  return { kind: "identity", credential: new DefaultAzureCredential() };
}

/** The fields of a connection string. They are never in a message. */
function connectionParts(text: string, inputs: AzureContainerInputs): ReadonlyMap<string, string> {
  const parts = new Map(
    Array.from(text.matchAll(/([^;=]*)=([^;]*)/g), ([, name = "", value = ""]) => [
      name.trim(),
      value.trim(),
    ]),
  );
  const account = parts.get("AccountName") ?? inputs.storageAccount;
  if (account !== inputs.storageAccount) {
    throw new ConfigurationError(
      `${CONNECTION} is of the storage account ${account}, and the destination's storageAccount is ${inputs.storageAccount}`,
      "Correct one of the two.",
    );
  }
  const suffix = parts.get("EndpointSuffix") ?? "core.windows.net";
  const protocol = parts.get("DefaultEndpointsProtocol") ?? "https";
  const endpoint = parts.get("BlobEndpoint") ?? `${protocol}://${account}.blob.${suffix}`;
  const ours = serviceUrl(inputs);
  if (inputs.endpoint === undefined && URL.parse(endpoint)?.href !== new URL(ours).href) {
    throw new ConfigurationError(
      `${CONNECTION} is of another address than ${ours}`,
      `Give the destination an \`endpoint\`, the address of its account's blob service.`,
    );
  }
  return parts;
}
