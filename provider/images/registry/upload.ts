import type { FailedAttempt } from "../../http/retryPolicy";
import { sleep } from "../../runtime/time/clock";
import { type BlobSource, hasBlob } from "./blobs";
import { checkDigest } from "./manifests";
import type { RegistryClient } from "./client";

/** Maximum number of bytes in one request: what a lost connection can cost. */
const CHUNK_BYTES = 32 * 1024 * 1024;
/** How long cancelling an upload may take, in milliseconds. */
const CANCEL_LIMIT_MS = 1_500;
/** The delay before each attempt to cancel, in milliseconds. */
const CANCEL_PAUSE_MS = 50;
/** How often a registry may lose the state of an upload. */
const MAX_LOSSES = 5;

/** Statuses with which a registry reports another offset of an upload, or an unknown upload. */
const LOST = new Set([404, 416]);

/**
 * Uploads one blob, see «Pushing blobs» in the distribution specification: in one request, or in chunks if it is large. After a
 * lost connection, the registry is asked how many bytes it has.
 *
 * @param onMoved gets the number of bytes that the registry has
 * @throws DestinationError; DeadlineExceededError; the signal's reason
 */
export async function uploadBlob(
  client: RegistryClient,
  source: BlobSource,
  onMoved: (bytes: number) => void,
): Promise<void> {
  const { digest, size } = source;
  const retries = client.retries();
  /** The URL of the next request; undefined before the start. */
  let location: URL | undefined;
  /** How many bytes the registry has. */
  let offset = 0;
  let chunkBytes = CHUNK_BYTES;
  let losses = 0;

  const start = async (): Promise<URL> => {
    offset = 0;
    const to = await client.url(`${client.path("blobs", "uploads")}/`);
    return client.send({ method: "POST", to, accepted: [202] }, ({ headers }) => {
      const least = Number(headers.get("oci-chunk-min-length") ?? 0);
      if (Number.isSafeInteger(least)) chunkBytes = Math.max(CHUNK_BYTES, least);
      return client.located(headers.get("location"), to);
    });
  };

  const abandon = async (): Promise<void> => {
    if (location) await cancelUpload(client, location);
    location = undefined;
  };

  /** Sends the bytes of the next chunk; those of the last one with the digest. @returns the failure, if any */
  const send = async (at: URL, isLast: boolean): Promise<FailedAttempt | undefined> => {
    const [begin, end] = [offset, isLast ? size : Math.min(offset + chunkBytes, size)];
    const to = new URL(at);
    // the existing query stays exactly as it is: it may be signed
    if (isLast) to.search = [to.search, `digest=${encodeURIComponent(digest)}`].filter(Boolean).join("&");
    const outcome = await client.sendOnce(
      {
        method: isLast ? "PUT" : "PATCH",
        to,
        headers: {
          "content-type": "application/octet-stream",
          "content-length": String(end - begin),
          ...(end > begin && { "content-range": `${begin}-${end - 1}` }),
        },
        ...(end > begin && {
          body: () => counted(source.read(begin, end), begin, onMoved),
        }),
        accepted: isLast ? [200, 201, 204] : [202],
      },
      async ({ headers }) => {
        location = isLast ? undefined : await client.located(headers.get("location"), to);
        if (isLast) checkDigest(client, digest, headers.get("docker-content-digest"), "stored");
        offset = end;
      },
    );
    return "fault" in outcome ? outcome : undefined;
  };

  /** Reads how many bytes have arrived. The upload restarts when the registry cannot tell. */
  const queryOffset = async (to: URL): Promise<void> => {
    const found = await client.send(
      { method: "GET", to, accepted: [200, 204, 400, 404, 405] },
      async ({ status, headers }) => {
        const [, last = ""] = /^(?:bytes=)?0-(\d+)$/.exec(headers.get("range") ?? "") ?? [];
        const arrived = last === "0" ? 0 : Number(last) + 1; // registries report «0-0» for no bytes
        if (status >= 400 || last === "" || arrived > size) return undefined;
        const named = headers.get("location");
        return { offset: arrived, location: named === null ? to : await client.located(named, to) };
      },
    );
    ({ offset, location } = found ?? { offset: 0, location: undefined });
    onMoved(offset);
  };

  try {
    for (;;) {
      const to = (location ??= await start());
      const before = offset;
      const isLast = offset === size || (offset === 0 && size <= chunkBytes);
      const failed = await send(to, isLast);
      if (failed === undefined) {
        if (isLast) return onMoved(size);
        retries.moved(offset - before);
        continue;
      }
      const isLost = failed.fault.kind === "status" && LOST.has(failed.fault.status);
      if (isLost && ++losses > MAX_LOSSES) throw failed.error;
      if (!isLost) await retries.pause(failed);
      // the lost response may have reported completion
      if (isLast && (await hasBlob(client, digest))) return;
      await queryOffset(to);
      if (offset > before) retries.moved(offset - before);
      else if (isLost) await abandon();
    }
  } catch (error) {
    await abandon();
    throw error;
  }
}

/** Cancels an upload that is not continued. A failure does no harm: registries remove abandoned uploads themselves. */
export async function cancelUpload(client: RegistryClient, upload: URL): Promise<void> {
  const { clock } = client.context;
  const end = new AbortController();
  const { signal } = end;
  const stop = clock.after(CANCEL_LIMIT_MS, () => end.abort(new Error("too late")));
  try {
    for (let to = upload; ;) {
      // aborted data may still be arriving at the registry's storage
      await sleep(clock, CANCEL_PAUSE_MS, signal);
      const outcome = await client.sendOnce(
        { method: "DELETE", to, accepted: [200, 202, 204, 404, 416], signal },
        ({ status }) => status !== 416,
      );
      if ("fault" in outcome || outcome.value) return;
      // more bytes arrived than were known
      const found = await client.sendOnce(
        { method: "GET", to: upload, accepted: [200, 204], signal },
        ({ headers }) => client.located(headers.get("location"), upload),
      );
      if ("fault" in found) return;
      to = found.value;
    }
  } catch {
    // no harm
  } finally {
    stop();
  }
}

async function* counted(
  content: AsyncIterable<Uint8Array>,
  begin: number,
  onMoved: (bytes: number) => void,
): AsyncIterable<Uint8Array> {
  let offset = begin;
  for await (const chunk of content) {
    yield chunk;
    onMoved((offset += chunk.length));
  }
}
