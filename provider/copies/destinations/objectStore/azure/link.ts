import { DestinationError } from "../../../../runtime/messages/errors";
import type { CopyLink } from "../../destination";
import type { ContainerAccess } from "./client";
import { serviceUrl } from "./inputs";

/** Longest life of a user delegation key, in milliseconds. */
const LONGEST_KEY_LIFE_MS = 7 * 24 * 3_600_000;
/** A key is valid from so long ago, in milliseconds: the service's clock may be behind. */
const KEY_AGE_MS = 5 * 60_000;

/** Signs a link to a blob: with the account's key, or with a key that the service makes for the identity. */
export async function signedLink(client: ContainerAccess, name: string, lifeMs: number): Promise<CopyLink> {
  const { access, inputs, sdk, context } = client;
  const { azureContainer: containerName, storageAccount } = inputs;
  const blob = client.blob(name);
  // signatures have no milliseconds
  const nowMs = Math.floor(context.clock.now() / 1_000) * 1_000;
  let expiresAtMs = nowMs + Math.floor(lifeMs / 1_000) * 1_000;
  const rights = (): Parameters<typeof sdk.generateBlobSASQueryParameters>[0] => ({
    ...{ containerName, blobName: name, expiresOn: new Date(expiresAtMs) },
    permissions: sdk.BlobSASPermissions.parse("r"),
    protocol: blob.url.startsWith("https:") ? sdk.SASProtocol.Https : sdk.SASProtocol.HttpsAndHttp,
  });
  let query;
  if (access.kind === "key") {
    query = sdk.generateBlobSASQueryParameters(rights(), access.credential);
  } else if (access.kind === "identity") {
    const startsMs = nowMs - KEY_AGE_MS;
    expiresAtMs = Math.min(expiresAtMs, startsMs + LONGEST_KEY_LIFE_MS);
    const service = new sdk.BlobServiceClient(serviceUrl(inputs), access.credential, {
      retryOptions: { maxTries: 1 },
    });
    const key = await client.run("sign", undefined, ({ abortSignal }) =>
      service.getUserDelegationKey(new Date(startsMs), new Date(expiresAtMs), { abortSignal }),
    );
    context.secrets.add(key.value);
    query = sdk.generateBlobSASQueryParameters(rights(), key, storageAccount);
  } else {
    throw new DestinationError(
      `a SAS token cannot sign a link to ${blob.url.split("?")[0] ?? ""}`,
      "Give the account's key as AZURE_STORAGE_KEY, or an identity, or leave out `linkLife`.",
    );
  }
  const url = `${blob.url}?${query.toString()}`;
  context.secrets.addLink(url);
  return { url, expiresAtMs };
}
