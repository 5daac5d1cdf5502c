import { ConfigurationError } from "../../../../base/runtime/messages/errors";
import type { DestinationContext } from "../../destination";
import { checkCredentialFiles } from "../credentialFiles";
import { connectionParts } from "./connectionString";
import { type AzureContainerInputs, serviceUrl } from "./inputs";
import { sasToken, unquoted } from "./sasToken";
import { type BlobsSdk, loadIdentity, type SharedKey, type TokenCredential } from "./sdk";

/** With what requests are authorized. */
export type Access =
  | { readonly kind: "key"; readonly credential: SharedKey }
  /** A token, without the question mark. */
  | { readonly kind: "sas"; readonly token: string }
  | { readonly kind: "identity"; readonly credential: TokenCredential };

const CONNECTION = "AZURE_STORAGE_CONNECTION_STRING";
const KEY = "AZURE_STORAGE_KEY";
const SAS = "AZURE_STORAGE_SAS_TOKEN";

/**
 * Finds the credentials: the variable that `connectionStringVariable` names; without it the first of AZURE_STORAGE_CONNECTION_STRING,
 * AZURE_STORAGE_KEY and AZURE_STORAGE_SAS_TOKEN that is set, otherwise what Azure's own tools find. It sends no request.
 *
 * @throws ConfigurationError when the connection string is of another account or endpoint, a token is none, or there are no credentials
 *   that may be sent to the endpoint
 */
export async function findAccess(
  inputs: AzureContainerInputs,
  { environment, secrets }: Pick<DestinationContext, "environment" | "secrets">,
  sdk: BlobsSdk,
): Promise<Access> {
  const { storageAccount, connectionStringVariable } = inputs;
  const { host, protocol } = new URL(serviceUrl(inputs));
  const given = (name: string): string => unquoted(environment(name) ?? "");
  const variable = connectionStringVariable ?? CONNECTION;
  const connection = given(variable);
  if (connectionStringVariable !== undefined && connection === "") {
    throw new ConfigurationError(
      `the variable ${connectionStringVariable}, which the destination's connectionStringVariable names, is not set`,
      `Set it to the connection string of the storage account ${storageAccount}.`,
    );
  }
  const parts = connection === "" ? undefined : connectionParts(connection, variable, inputs);
  const key = parts ? parts.get("AccountKey") : given(KEY);
  if (key) {
    secrets.add(key);
    return { kind: "key", credential: new sdk.StorageSharedKeyCredential(storageAccount, key) };
  }
  const sas = parts ? parts.get("SharedAccessSignature") : given(SAS);
  if (sas) {
    secrets.add(sas); // as it was given
    const token = sasToken(sas, parts ? variable : SAS, host);
    secrets.addLink(`https://account/?${token}`);
    return { kind: "sas", token };
  }
  if (parts) {
    throw new ConfigurationError(
      `${variable} has neither an AccountKey nor a SharedAccessSignature`,
      "Copy the whole connection string of the storage account.",
    );
  }
  if (protocol === "http:") {
    throw new ConfigurationError(
      `no credentials for the storage account ${storageAccount} were found, and an identity is not sent to ${host} without TLS`,
      `Set ${CONNECTION}, ${KEY} or ${SAS} (for Azurite: ${CONNECTION}=UseDevelopmentStorage=true), or give an \`endpoint\` with https:.`,
    );
  }
  checkCredentialFiles("azure", { environment, secrets });
  const { DefaultAzureCredential } = await loadIdentity();
  return { kind: "identity", credential: new DefaultAzureCredential() };
}
