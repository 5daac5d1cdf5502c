import { DestinationError } from "../../../../base/runtime/messages/errors";
import type { CopyLink } from "../../destination";
import { signedLink } from "../signedLink";
import type { ContainerClient } from "./client";

/** Longest life of a user delegation key, in milliseconds. */
const LONGEST_KEY_LIFE_MS = 7 * 24 * 3_600_000;
/** A key is valid from so long ago, in milliseconds: the service's clock may be behind. */
const KEY_AGE_MS = 5 * 60_000;

/** Signs a link to a blob: with the account's key, or with a key that the service makes for the identity. */
export async function blobLink(client: ContainerClient, blobName: string, lifeMs: number): Promise<CopyLink> {
  const { access, inputs, sdk, context } = client;
  const { url } = client.blob(blobName);
  if (access.kind === "sas") {
    throw new DestinationError(
      `a SAS token cannot sign a link to ${url.split("?")[0] ?? ""}`,
      "Give the account's key as AZURE_STORAGE_KEY, or an identity, or leave out `linkLife`.",
    );
  }
  return signedLink(context, lifeMs, async (nowMs, endMs) => {
    const startsOn = new Date(nowMs - KEY_AGE_MS);
    const latestMs = access.kind === "key" ? endMs : startsOn.getTime() + LONGEST_KEY_LIFE_MS;
    const expiresOn = new Date(Math.min(endMs, latestMs));
    const rights = {
      containerName: inputs.azureContainer,
      blobName,
      expiresOn,
      permissions: sdk.BlobSASPermissions.parse("r"),
      protocol: url.startsWith("https:") ? sdk.SASProtocol.Https : sdk.SASProtocol.HttpsAndHttp,
    };
    const sign = sdk.generateBlobSASQueryParameters;
    if (access.kind === "key") return { url: `${url}?${sign(rights, access.credential).toString()}` };
    const key = await client.run({ action: "sign" }, ({ abortSignal }) =>
      client.service.getUserDelegationKey(startsOn, expiresOn, { abortSignal }),
    );
    context.secrets.add(key.value);
    return { url: `${url}?${sign(rights, key, inputs.storageAccount).toString()}`, latestMs };
  });
}
