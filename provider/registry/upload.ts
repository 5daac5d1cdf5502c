import type { FailedAttempt } from "../http/failedAttempt";
import { sleep } from "../time/clock";
import { DestinationError } from "../messages/errors";
import { hasBlob, type BlobSource } from "./blobs";
import { isDigest, pinned } from "./reference";
import type { RegistryCall, RegistrySession } from "./session";

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
 * The upload of one blob, see «Pushing blobs» in the distribution specification: in one request, or in chunks if it is large.
 * After a lost connection, the registry is asked how many bytes it has.
 */
export class Upload {
  readonly #session: RegistrySession;
  readonly #source: BlobSource;
  readonly #moved: (bytes: number) => void;
  /** The URL of the next request; undefined before the start. */
  #location: URL | undefined;
  /** How many bytes the registry has. */
  #offset = 0;
  #chunkBytes = CHUNK_BYTES;
  #losses = 0;

  /** @param moved gets the number of bytes that the registry has */
  constructor(session: RegistrySession, source: BlobSource, moved: (bytes: number) => void) {
    this.#session = session;
    this.#source = source;
    this.#moved = moved;
  }

  /** @throws DestinationError; DeadlineExceededError; the signal's reason */
  async run(): Promise<void> {
    const retries = this.#session.retries();
    try {
      for (;;) {
        const location = (this.#location ??= await this.#start());
        const { size } = this.#source;
        const before = this.#offset;
        const isLast = this.#offset === size || (this.#offset === 0 && size <= this.#chunkBytes);
        const failed = isLast ? await this.#finish(location) : await this.#chunk(location);
        if (failed === undefined) {
          if (isLast) return;
          retries.moved(this.#offset - before);
          continue;
        }
        const isLost = failed.fault.kind === "status" && LOST.has(failed.fault.status);
        if (isLost && ++this.#losses > MAX_LOSSES) throw failed.error;
        if (!isLost) await retries.pause(failed);
        // the lost response may have reported completion
        if (isLast && (await hasBlob(this.#session, this.#source.digest))) return;
        await this.#queryOffset(location);
        if (this.#offset > before) retries.moved(this.#offset - before);
        else if (isLost) await this.#abandon();
      }
    } catch (error) {
      await this.#abandon();
      throw error;
    }
  }

  async #abandon(): Promise<void> {
    if (this.#location) await cancelUpload(this.#session, this.#location);
    this.#location = undefined;
  }

  async #start(): Promise<URL> {
    this.#offset = 0;
    const to = await this.#session.url(`${this.#session.path("blobs", "uploads")}/`);
    return this.#session.send({ method: "POST", to, accepted: [202] }, ({ headers }) => {
      const least = Number(headers.get("oci-chunk-min-length") ?? 0);
      if (Number.isSafeInteger(least)) this.#chunkBytes = Math.max(CHUNK_BYTES, least);
      return this.#session.located(headers.get("location"), to);
    });
  }

  /** Sends the next chunk. @returns the failure, if any */
  async #chunk(location: URL): Promise<FailedAttempt | undefined> {
    const end = Math.min(this.#offset + this.#chunkBytes, this.#source.size);
    const outcome = await this.#session.sendOnce(
      {
        method: "PATCH",
        to: location,
        ...this.#content(end),
        accepted: [202],
      },
      ({ headers }) => this.#session.located(headers.get("location"), location),
    );
    if ("fault" in outcome) return outcome;
    this.#location = outcome.value;
    this.#offset = end;
    return undefined;
  }

  /** Sends all remaining bytes, and the digest. @returns the failure, if any */
  async #finish(location: URL): Promise<FailedAttempt | undefined> {
    const { digest, size } = this.#source;
    const to = new URL(location);
    // the existing query stays exactly as it is: it may be signed
    to.search = [to.search, `digest=${encodeURIComponent(digest)}`].filter(Boolean).join("&");
    const outcome = await this.#session.sendOnce(
      { method: "PUT", to, ...this.#content(size), accepted: [200, 201, 204] },
      ({ headers }) => Promise.resolve(headers.get("docker-content-digest")),
    );
    if ("fault" in outcome) return outcome;
    this.#location = undefined;
    const stored = outcome.value;
    if (stored !== null && stored !== digest) {
      throw new DestinationError(
        `the registry stored something else for ${pinned(this.#session.repository, digest)}: its digest is ${isDigest(stored) ? stored : "unusable"}`,
        "Something between here and the registry, or the registry's own store, changes content: check both.",
      );
    }
    this.#moved(size);
    return undefined;
  }

  /** The bytes that have not arrived yet, up to an end. */
  #content(end: number): Pick<RegistryCall, "headers" | "body"> {
    const start = this.#offset;
    const headers = { "content-type": "application/octet-stream", "content-length": String(end - start) };
    if (end === start) return { headers };
    return {
      headers: { ...headers, "content-range": `${start}-${end - 1}` },
      body: () => counted(this.#source.read(start, end), (bytes) => this.#moved(start + bytes)),
    };
  }

  /** Reads how many bytes have arrived. The upload restarts when the registry cannot tell. */
  async #queryOffset(location: URL): Promise<void> {
    const found = await this.#session.send(
      { method: "GET", to: location, accepted: [200, 204, 400, 404, 405] },
      async ({ status, headers }) => {
        const [, last] = /^(?:bytes=)?0-(\d+)$/.exec(headers.get("range") ?? "") ?? [];
        if (status >= 400 || last === undefined) return undefined;
        // registries report «0-0» for no bytes
        const offset = last === "0" ? 0 : Number(last) + 1;
        const named = headers.get("location");
        return { offset, location: named === null ? location : await this.#session.located(named, location) };
      },
    );
    const isUsable = found !== undefined && found.offset <= this.#source.size;
    this.#offset = isUsable ? found.offset : 0;
    this.#location = isUsable ? found.location : undefined;
    this.#moved(this.#offset);
  }
}

/** Cancels an upload that is not continued. A failure does no harm: registries remove abandoned uploads themselves. */
export async function cancelUpload(session: RegistrySession, upload: URL): Promise<void> {
  const { clock } = session.context;
  const end = new AbortController();
  const { signal } = end;
  const stop = clock.after(CANCEL_LIMIT_MS, () => end.abort(new Error("too late")));
  try {
    for (let to = upload; ;) {
      // aborted data may still be arriving at the registry's storage
      await sleep(clock, CANCEL_PAUSE_MS, signal);
      const outcome = await session.sendOnce(
        { method: "DELETE", to, accepted: [200, 202, 204, 404, 416], signal },
        ({ status }) => Promise.resolve(status !== 416),
      );
      if ("fault" in outcome || outcome.value) return;
      // more bytes arrived than were known
      const found = await session.sendOnce(
        { method: "GET", to: upload, accepted: [200, 204], signal },
        ({ headers }) => session.located(headers.get("location"), upload),
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
  moved: (bytes: number) => void,
): AsyncIterable<Uint8Array> {
  let bytes = 0;
  for await (const chunk of content) {
    yield chunk;
    moved((bytes += chunk.length));
  }
}
