import { hasBlob, type RangeReader, rangesOf } from "./blobs";
import type { RegistryClient } from "./client";
import { type Blob, type Content, describe } from "./content";
import { cancelUpload, uploadBlob } from "./upload";

/**
 * Ensures that the repository has a blob. An existing blob is not sent; a blob of another repository in the same registry is
 * mounted; an interrupted upload is resumed.
 *
 * @param options.mountFrom path of a repository in the same registry that may have the blob
 * @param options.source creates the content; only called when it must be sent
 * @param options.moved gets the number of bytes that the registry has
 * @returns whether it was sent
 * @throws DestinationError; DeadlineExceededError; the signal's reason
 */
export async function ensureBlob(
  client: RegistryClient,
  blob: Blob,
  {
    source,
    mountFrom,
    moved = () => undefined,
  }: {
    source: () => Promise<RangeReader> | RangeReader;
    mountFrom?: string | undefined;
    moved?: ((bytes: number) => void) | undefined;
  },
): Promise<boolean> {
  const { digest, size } = blob;
  const isThere =
    (await hasBlob(client, digest)) || (mountFrom !== undefined && (await mount(client, digest, mountFrom)));
  if (isThere) moved(size);
  else await uploadBlob(client, blob, await source(), moved);
  return !isThere;
}

/** Ensures that the repository has this content as a blob. @throws as {@link ensureBlob} */
export async function ensureContent(client: RegistryClient, content: Content): Promise<void> {
  await ensureBlob(client, describe(content), { source: () => rangesOf(content.bytes) });
}

/**
 * A mount that is refused in whatever way, its token included, is none.
 *
 * @returns whether the repository has the blob now; an upload that the registry started instead is cancelled
 */
async function mount(client: RegistryClient, digest: string, from: string): Promise<boolean> {
  const query = new URLSearchParams({ mount: digest, from });
  const to = await client.url(`${client.path("blobs", "uploads")}/?${query.toString()}`);
  const started = await client.attempt(
    { method: "POST", to, accepted: [201, 202], alsoReads: [from] },
    async ({ status, headers }) => (status === 202 ? client.located(headers.get("location"), to) : undefined),
    // whatever is temporary among them is so for the upload, too
    ({ kind }) => kind === "status" || kind === "malformed",
  );
  if ("refusal" in started) return false;
  if (started.value !== undefined) await cancelUpload(client, started.value);
  return started.value === undefined;
}
