import { DestinationError } from "../../../base/runtime/messages/errors";
import { formatBytes } from "../../../base/runtime/messages/formatBytes";
import { sleep } from "../../../base/runtime/time/clock";
import { hasBlob, lacksBlob, type RangeReader } from "./blobs";
import type { RegistryClient } from "./client";
import type { Blob } from "./content";
import { checkDigest } from "./manifests";

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

/** The status of a registry, or of a proxy before it, that limits the size of a request. */
const TOO_LARGE = 413;

/** An upload that the registry has begun. */
interface Upload {
  /** The URL of the next request. */
  readonly to: URL;
  /** How many bytes the registry has. */
  readonly offset: number;
}

/**
 * Uploads one blob, see «Pushing blobs» in the distribution specification: in one request, or in chunks if it is large. After a
 * lost connection, the registry is asked how many bytes it has.
 *
 * @param onMoved gets the number of bytes that the registry has
 * @throws DestinationError; DeadlineExceededError; the signal's reason
 */
export async function uploadBlob(
  client: RegistryClient,
  { digest, size }: Blob,
  read: RangeReader,
  onMoved: (bytes: number) => void,
): Promise<void> {
  const retries = client.retries();
  let chunkBytes = CHUNK_BYTES;
  let losses = 0;
  let upload: Upload | undefined;

  const begin = async (): Promise<Upload> => {
    const to = await client.url(`${client.path("blobs", "uploads")}/`);
    return client.send({ method: "POST", to, accepted: [202] }, async ({ headers }) => {
      const least = Number(headers.get("oci-chunk-min-length") ?? 0);
      if (Number.isSafeInteger(least)) chunkBytes = Math.max(CHUNK_BYTES, least);
      return { to: await client.located(headers.get("location"), to), offset: 0 };
    });
  };

  const abandon = async (): Promise<void> => {
    if (upload) await cancelUpload(client, upload.to);
    upload = undefined;
  };

  try {
    for (;;) {
      const { to, offset } = (upload ??= await begin());
      const isLast = offset === size || (offset === 0 && size <= chunkBytes);
      const end = isLast ? size : Math.min(offset + chunkBytes, size);
      const url = new URL(to);
      // the existing query stays exactly as it is: it may be signed
      if (isLast) url.search = [url.search, `digest=${encodeURIComponent(digest)}`].filter(Boolean).join("&");
      const sent = await client.sendOnce(
        {
          method: isLast ? "PUT" : "PATCH",
          to: url,
          headers: {
            "content-type": "application/octet-stream",
            "content-length": String(end - offset),
            ...(end > offset && { "content-range": `${offset}-${end - 1}` }),
          },
          ...(end > offset && { body: () => counted(read(offset, end), offset, onMoved) }),
          accepted: isLast ? [200, 201, 204] : [202],
        },
        async ({ status, headers }) => {
          if (!isLast) return client.located(headers.get("location"), url);
          // a login page answers with 200, and the specification wants 201
          return { stored: headers.get("docker-content-digest"), isSaid: status !== 200 };
        },
      );
      if ("value" in sent) {
        const next = sent.value;
        upload = next instanceof URL ? { to: next, offset: end } : undefined;
        retries.moved(end - offset);
        if (next instanceof URL) continue;
        const { stored, isSaid } = next;
        checkDigest(client, digest, stored, "stored");
        if (!isSaid && stored === null && (await lacksBlob(client, digest))) {
          throw new DestinationError(
            `the registry ${client.repository.host} accepted ${digest}, and does not have it`,
            "If a proxy or a login page answers in its place, check the way to the registry. Run `pulumi up` again.",
          );
        }
        return onMoved(size);
      }
      if (sent.fault.kind === "status" && sent.fault.status === TOO_LARGE) {
        throw sent.error.withMessage(`${sent.error.message}. The request had ${formatBytes(end - offset)}`);
      }
      const isLost = sent.fault.kind === "status" && LOST.has(sent.fault.status);
      if (isLost && ++losses > MAX_LOSSES) throw sent.error;
      if (!isLost) await retries.pause(sent);
      // the lost reply may have reported completion
      if (isLast && (await hasBlob(client, digest))) return;
      upload = await findUpload(client, to, size);
      onMoved(upload?.offset ?? 0);
      if (upload && upload.offset > offset) retries.moved(upload.offset - offset);
      else if (isLost) await abandon();
    }
  } catch (error) {
    await abandon();
    throw error;
  }
}

/** Asks how many bytes have arrived. @returns undefined when the registry cannot tell: then the upload begins anew */
function findUpload(client: RegistryClient, to: URL, size: number): Promise<Upload | undefined> {
  return client.send(
    { method: "GET", to, accepted: [200, 204, 400, 404, 405] },
    async ({ status, headers }) => {
      const [, last = ""] = /^(?:bytes=)?0-(\d+)$/.exec(headers.get("range") ?? "") ?? [];
      const offset = last === "0" ? 0 : Number(last) + 1; // registries report «0-0» for no bytes
      if (status >= 400 || last === "" || offset > size) return undefined;
      const named = headers.get("location");
      return { to: named === null ? to : await client.located(named, to), offset };
    },
  );
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
