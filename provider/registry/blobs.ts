import { createReadStream } from "node:fs";
import type { RegistrySession } from "./session";

/** Bytes of which digest and size are known. */
export interface Blob {
  readonly digest: string;
  readonly size: number;
}

/** Bytes that may have to be sent, again or from somewhere in the middle. */
export interface BlobSource extends Blob {
  /** @param end the byte after the last */
  read(start: number, end: number): AsyncIterable<Uint8Array>;
}

/** A blob that is a file. */
export function fileBlob(path: string, blob: Blob): BlobSource {
  return {
    ...blob,
    // opened by who reads it: a request that fails before leaves no file open, and no error that nobody hears
    async *read(start, end) {
      const content = createReadStream(path, { start, end: end - 1, highWaterMark: 256 * 1024 });
      yield* content as AsyncIterable<Buffer>;
    },
  };
}

/** A blob in memory. */
export function bytesBlob(bytes: Buffer, digest: string): BlobSource {
  return {
    digest,
    size: bytes.length,
    // eslint-disable-next-line @typescript-eslint/require-await -- to be read as the others are
    async *read(start, end) {
      yield bytes.subarray(start, end);
    },
  };
}

/** Whether the repository has a blob. @throws DestinationError; DeadlineExceededError; the signal's reason */
export async function hasBlob(session: RegistrySession, digest: string): Promise<boolean> {
  return session.send(
    { method: "HEAD", to: session.path("blobs", digest), accepted: [200, 404] },
    ({ status }) => Promise.resolve(status === 200),
  );
}
