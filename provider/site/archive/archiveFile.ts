import { createHash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";

const CHUNK_BYTES = 256 * 1_024;

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
    try {
      return new ArchiveFile(file, (await file.stat()).size, onRead);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Yields all bytes, in order. Each chunk belongs to the caller. */
  async *chunks(signal: AbortSignal): AsyncGenerator<Buffer, void, undefined> {
    for (;;) {
      signal.throwIfAborted();
      const { buffer, bytesRead } = await this.#file.read(
        Buffer.allocUnsafeSlow(CHUNK_BYTES),
        0,
        CHUNK_BYTES,
        this.#readBytes,
      );
      if (bytesRead === 0) return;
      const chunk = buffer.subarray(0, bytesRead);
      this.#hash.update(chunk);
      this.#readBytes += bytesRead;
      this.#onRead?.(this.#readBytes, this.size);
      yield chunk;
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
