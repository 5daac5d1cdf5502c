import { createHash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";

const CHUNK_BYTES = 256 * 1_024;

/** The content of an open file. Each chunk belongs to the caller. Unlike a stream, it holds nothing open if it is not read. */
export async function* chunksOf(file: FileHandle): AsyncGenerator<Buffer, void, undefined> {
  for (let position = 0; ;) {
    const chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
    const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield chunk.subarray(0, bytesRead);
  }
}

/** Called from time to time with the number of bytes that were read. */
export type OnRead = (readBytes: number, size: number) => void;

/**
 * Reads an archive once from start to end, and computes its digest. So the digest covers exactly the bytes that were inspected,
 * even if the file changes.
 */
export class ArchiveFile {
  readonly size: number;
  readonly #file: FileHandle;
  readonly #hash = createHash("sha256");
  readonly #onRead: OnRead | undefined;
  #readBytes = 0;

  private constructor(file: FileHandle, size: number, onRead?: OnRead) {
    this.#file = file;
    this.size = size;
    this.#onRead = onRead;
  }

  static async open(path: string, onRead?: OnRead): Promise<ArchiveFile> {
    const file = await open(path);
    return new ArchiveFile(file, (await file.stat()).size, onRead);
  }

  /** Yields all bytes, in order, see {@link chunksOf}. */
  async *chunks(signal: AbortSignal): AsyncGenerator<Buffer, void, undefined> {
    for await (const chunk of chunksOf(this.#file)) {
      this.#hash.update(chunk);
      this.#readBytes += chunk.length;
      this.#onRead?.(this.#readBytes, this.size);
      yield chunk;
      signal.throwIfAborted();
    }
  }

  /** Reads bytes out of order, which the digest does not cover: the caller compares them with those of {@link chunks}. */
  async peek(position: number, length: number): Promise<Buffer> {
    const { buffer, bytesRead } = await this.#file.read(Buffer.alloc(length), 0, length, position);
    return buffer.subarray(0, bytesRead);
  }

  /** SHA-256 of all bytes that {@link chunks} read: hexadecimal digits. */
  digest(): string {
    return this.#hash.digest("hex");
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}
