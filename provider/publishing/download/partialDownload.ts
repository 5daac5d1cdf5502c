import { lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeHomeFolder } from "../../base/runtime/files/homeFolder";
import { freeName, hasNoOwner, isAbandoned, ownName } from "../../base/runtime/files/ownerProcess";
import { Thread } from "../../base/runtime/files/thread";
import type { WriterTask, Written } from "./downloadWriter";

/** Identifies the bundle that a partial download's bytes belong to, so that bytes of another bundle are never appended. */
export interface DownloadNote {
  /** What is downloaded, for people. Never the link. */
  readonly subject: string;
  /** A strong ETag, see RFC 9110 §8.8.1. */
  readonly etag: string;
  /** Size of the whole bundle in bytes, if the store reports it. */
  readonly totalBytes?: number | undefined;
}

/** Size of the blocks that are passed to the thread, and how many may be pending. */
const BLOCK_BYTES = 512 * 1024;
const BLOCKS = 4;

const BUNDLE = "bundle";
const NOTE = "note.json";

/**
 * A partial download: a folder `NAME.OWNER.part` with the bytes and a note about their bundle. One owner alone writes to it.
 * Another process takes over the partial download of a dead owner by renaming the folder; only one of several processes can succeed. So two
 * downloads never write to the same file, and need no lock that could be held forever.
 */
export class PartialDownload {
  /** What is downloaded, for people. Never the link. */
  readonly subject: string;
  /** Number of received bytes. */
  size = 0;
  note: DownloadNote | undefined;
  /** The received bytes cannot be used again. */
  isUseless = false;
  #folder: string;
  /** Where it is without an owner. */
  readonly #free: string;
  #thread: Thread<WriterTask, Written> | undefined;
  /** The blocks, in memory that the thread shares. Empty without a thread: a complete partial download may be kept for long. */
  #bytes: Buffer = Buffer.alloc(0);
  /** The block that is being filled, and how many bytes it has. */
  #block = 0;
  #filled = 0;
  /** The pending write of each block. */
  readonly #writing = Array.from({ length: BLOCKS }, () => Promise.resolve());

  private constructor(folder: string, name: string, subject: string) {
    this.subject = subject;
    this.#folder = join(folder, `${name}.${ownName()}.part`);
    this.#free = join(folder, `${name}.${freeName()}.part`);
  }

  /**
   * Creates a partial download for this process: from the largest partial download without an owner, otherwise a new one.
   *
   * @param nowMs wall-clock time in milliseconds since 1970
   * @throws the error of the file system, as all methods that access the disk
   */
  static claim(folder: string, name: string, subject: string, nowMs: number): PartialDownload {
    const partial = new PartialDownload(folder, name, subject);
    makeHomeFolder(folder);
    removeOld(folder, nowMs);
    const left = partialsIn(folder)
      .filter((each) => each.name === name && hasNoOwner(each.owner))
      .map(({ path }) => ({ path, size: sizeOf(path) }))
      .sort((one, other) => other.size - one.size);
    for (const { path } of left) {
      if (partial.note) rmSync(path, { recursive: true, force: true });
      else partial.#takeOver(path);
    }
    if (!partial.note) mkdirSync(partial.#folder, { mode: 0o700 });
    return partial;
  }

  /** Path of the file with the bytes. */
  get path(): string {
    return join(this.#folder, BUNDLE);
  }

  /** Opens the partial download and reads the bytes received so far. */
  async open(): Promise<void> {
    const memory = new SharedArrayBuffer(BLOCK_BYTES * BLOCKS);
    this.#thread = new Thread("publishing/download/downloadWriter", memory);
    this.#bytes = Buffer.from(memory);
    this.size = (await this.#do({ do: "open", path: this.path })).size;
    if (this.size > 0 && (!this.note || this.size > (this.note.totalBytes ?? Infinity))) {
      await this.begin(undefined);
    }
  }

  /** Discards the received bytes. @param note identifies the bytes that follow; without it, the next call cannot resume */
  async begin(note: DownloadNote | undefined): Promise<void> {
    this.#filled = 0;
    await this.#do({ do: "empty" });
    this.size = 0;
    this.note = note;
    // before the first byte that it describes
    if (note) writeFileSync(join(this.#folder, NOTE), JSON.stringify(note), { mode: 0o600 });
    else rmSync(join(this.#folder, NOTE), { force: true });
  }

  /** Appends bytes. Resolves when there is space for more. @throws the error of writing these bytes, or earlier ones */
  async append(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length;) {
      if (this.#filled === 0) await this.#writing[this.#block];
      const some = bytes.subarray(at, at + BLOCK_BYTES - this.#filled);
      this.#bytes.set(some, this.#block * BLOCK_BYTES + this.#filled);
      this.#filled += some.length;
      this.size += some.length;
      at += some.length;
      if (this.#filled === BLOCK_BYTES) this.write();
    }
  }

  /** Passes the bytes since the last call to the thread, even an incomplete block: only written bytes survive a kill. */
  write(): void {
    if (this.#filled === 0) return;
    const task = { do: "append", from: this.#block * BLOCK_BYTES, length: this.#filled } as const;
    const written = this.#do(task).then(() => undefined);
    written.catch(() => undefined); // the next use of the block reports the error
    this.#writing[this.#block] = written;
    this.#block = (this.#block + 1) % BLOCKS;
    this.#filled = 0;
  }

  /** Flushes the file to the disk. @returns its SHA-256: hexadecimal digits */
  async finish(): Promise<string> {
    await this.#flush();
    return (await this.#do({ do: "finish" })).digest ?? "";
  }

  /** Writes the remaining bytes and ends the thread. */
  async close(): Promise<void> {
    const thread = this.#thread;
    if (!thread) return;
    try {
      await this.#flush();
      await this.#do({ do: "close" });
    } finally {
      this.#thread = undefined;
      this.#bytes = Buffer.alloc(0);
      await thread.end();
    }
  }

  /** Leaves the partial download to the next call, if that can use it. */
  release(): void {
    if (this.isUseless) return this.remove();
    try {
      renameSync(this.#folder, this.#free);
      this.#folder = this.#free;
    } catch {
      // the next process takes it over when this one ends
    }
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 2 });
  }

  async #flush(): Promise<void> {
    this.write();
    await Promise.all(this.#writing);
  }

  #do(task: WriterTask): Promise<Written> {
    return this.#thread?.do(task) ?? Promise.reject(new Error("no file is open"));
  }

  /** Takes over the partial download at a path if its note is valid; otherwise deletes it. */
  #takeOver(path: string): void {
    try {
      renameSync(path, this.#folder);
    } catch {
      return; // another process was faster
    }
    this.note = readNote(join(this.#folder, NOTE), this.subject);
    if (!this.note) this.remove();
  }
}

/** An ETag whose characters between the quotation marks can be sent back unchanged. */
const STRONG_ETAG = /^"[\x21\x23-\x7e]{1,1000}"$/;

/** @returns undefined for a missing, weak or too long ETag: it proves nothing */
export function strongEtag(header: string | null): string | undefined {
  return header !== null && STRONG_ETAG.test(header) ? header : undefined;
}

function readNote(path: string, subject: string): DownloadNote | undefined {
  try {
    const note = (JSON.parse(readFileSync(path, "utf8")) ?? {}) as Record<string, unknown>;
    const { totalBytes } = note;
    const etag = strongEtag(String(note["etag"]));
    if (note["subject"] !== subject || etag === undefined) return undefined;
    return { subject, etag, ...(Number.isSafeInteger(totalBytes) && { totalBytes: totalBytes as number }) };
  } catch {
    return undefined;
  }
}

/** All partial downloads in a folder. Only folders count: a symbolic link does not. */
function partialsIn(folder: string): { path: string; name: string; owner: string }[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const [, name, owner] = /^(.+)\.([0-9a-z-]+)\.part$/.exec(entry.name) ?? [];
    if (name === undefined || owner === undefined || !entry.isDirectory()) return [];
    return [{ path: join(folder, entry.name), name, owner }];
  });
}

function sizeOf(partial: string): number {
  return lstatSync(join(partial, BUNDLE), { throwIfNoEntry: false })?.size ?? 0;
}

/** Removes abandoned partial downloads, also those of other names and of unknown owners. Best effort. */
function removeOld(folder: string, nowMs: number): void {
  for (const { path, owner } of partialsIn(folder)) {
    try {
      const changed = lstatSync(join(path, BUNDLE), { throwIfNoEntry: false }) ?? lstatSync(path);
      if (isAbandoned(owner, changed.mtimeMs, nowMs)) rmSync(path, { recursive: true, force: true });
    } catch {
      // another process was faster
    }
  }
}
