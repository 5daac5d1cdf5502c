import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, lstatSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { Worker } from "node:worker_threads";
import { makeHomeFolder } from "../files/homeFolder";
import { freeName, isAbandoned, isOwnerless, ownName } from "../files/owner";
import type { PartAnswer, PartTask } from "./partWriter";

/** What the bytes of a part are of, so that others are never put behind them. */
export interface PartNote {
  /** What is downloaded, in words. Never the link. */
  readonly subject: string;
  /** A strong ETag, see RFC 9110 §8.8.1. */
  readonly etag: string;
  /** Size of the whole in bytes, where the store tells it. */
  readonly totalBytes?: number;
}

/** Bytes are handed to the thread in blocks of this size, of which so many are on their way at most. */
const BLOCK_BYTES = 512 * 1024;
const BLOCKS = 4;

/** How long the thread may take to bring what it has to the disk when the download has failed, in milliseconds. */
export const CLOSE_LIMIT_MS = 1_000;

const BUNDLE = "bundle";
const NOTE = "note.json";

/**
 * What has arrived of a download: a folder with the bytes and the note of what they are of, `NAME.OWNER.part`. It belongs to
 * one owner, who alone writes to it; what a dead owner left is taken over by giving the folder another name, which only one
 * of many can do. So two downloads never write to the same file, and need no lock that somebody could hold for ever.
 */
export class Part {
  /** What is downloaded, in words. Never the link. */
  readonly subject: string;
  /** Bytes that have arrived. */
  size = 0;
  note: PartNote | undefined;
  /** Nobody will ever want what has arrived. */
  isUseless = false;
  readonly #where: { readonly folder: string; readonly name: string };
  #folder: string;
  readonly #memory = new SharedArrayBuffer(BLOCK_BYTES * BLOCKS);
  readonly #bytes = Buffer.from(this.#memory);
  #worker: Worker | undefined;
  /** Those who wait for the thread, in the order in which it answers. */
  readonly #waiting: { resolve: (answer: PartAnswer) => void; reject: (error: Error) => void }[] = [];
  /** The block that is being filled, and how much of it is. */
  #block = 0;
  #filled = 0;
  /** What the thread does with each block. */
  readonly #writing = Array.from({ length: BLOCKS }, () => Promise.resolve());

  private constructor(folder: string, name: string, subject: string) {
    this.subject = subject;
    this.#where = { folder, name };
    this.#folder = join(folder, `${name}.${ownName()}.part`);
  }

  /**
   * A part of one's own: the largest that nobody has any more, else a new one.
   *
   * @param nowMs wall-clock time in milliseconds since 1970
   * @throws the error of the file system, as all that it does to the disk
   */
  static claim(folder: string, name: string, subject: string, nowMs: number): Part {
    const part = new Part(folder, name, subject);
    makeHomeFolder(folder);
    removeOld(folder, nowMs);
    const left = partsIn(folder)
      .filter((each) => each.name === name && isOwnerless(each.owner))
      .map(({ path }) => ({ path, size: sizeOf(path) }))
      .sort((one, other) => other.size - one.size);
    for (const { path } of left) {
      if (part.note) rmSync(path, { recursive: true, force: true });
      else part.#takeOver(path);
    }
    if (!part.note) mkdirSync(part.#folder, { mode: 0o700 });
    return part;
  }

  /** Where the bytes are. */
  get path(): string {
    return join(this.#folder, BUNDLE);
  }

  /** Opens it, and reads what has arrived so far. */
  async open(): Promise<void> {
    // as this file is: JavaScript in the package, TypeScript in tests
    const worker = new Worker(join(__dirname, `partWriter${extname(__filename)}`), {
      workerData: this.#memory,
      execArgv: [],
      resourceLimits: { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 32 }, // it makes no garbage to speak of
    });
    this.#worker = worker;
    worker.unref();
    worker.on("message", (answer: PartAnswer) => this.#waiting.shift()?.resolve(answer));
    worker.on("error", (error: Error) => {
      for (const { reject } of this.#waiting.splice(0)) reject(error);
    });
    this.size = (await this.#do({ do: "open", path: this.path })).size;
    if (this.size > 0 && (!this.note || this.size > (this.note.totalBytes ?? Infinity)))
      await this.begin(undefined);
  }

  /** Forgets what has arrived. @param note what comes now is of; without it the next call cannot go on from it */
  async begin(note: PartNote | undefined): Promise<void> {
    this.#filled = 0;
    await this.#do({ do: "empty" });
    this.size = 0;
    this.note = note;
    // before the first byte that it is about
    if (note) writeFileSync(join(this.#folder, NOTE), JSON.stringify(note), { mode: 0o600 });
    else rmSync(join(this.#folder, NOTE), { force: true });
  }

  /** Takes bytes. Resolves when there is room for more. @throws what befell these bytes, or those that came before */
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

  /** Hands what came since the last time to the thread, though it is no whole block: only what is written survives a kill. */
  write(): void {
    if (this.#filled === 0) return;
    const task = { do: "append", from: this.#block * BLOCK_BYTES, length: this.#filled } as const;
    const written = this.#do(task).then(() => undefined);
    written.catch(() => undefined); // it is told to who waits for the block
    this.#writing[this.#block] = written;
    this.#block = (this.#block + 1) % BLOCKS;
    this.#filled = 0;
  }

  /** Brings it to the disk. @returns its SHA-256: hexadecimal digits */
  async finish(): Promise<string> {
    await this.#flush();
    return (await this.#do({ do: "finish" })).digest ?? "";
  }

  /** Nothing more comes: what has arrived is brought to its file. */
  async close(): Promise<void> {
    const worker = this.#worker;
    if (!worker) return;
    try {
      await this.#flush();
      await this.#do({ do: "close" });
    } finally {
      this.#worker = undefined;
      await worker.terminate();
    }
  }

  /** Leaves it to the next call, where that may want it. */
  release(): void {
    if (this.isUseless) return this.remove();
    const free = join(this.#where.folder, `${this.#where.name}.${freeName()}.part`);
    try {
      renameSync(this.#folder, free);
      this.#folder = free;
    } catch {
      // it is left when this process ends
    }
  }

  /** It is of no use any more. */
  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 2 });
  }

  async #flush(): Promise<void> {
    this.write();
    await Promise.all(this.#writing);
  }

  async #do(task: PartTask): Promise<{ size: number; digest: string | undefined }> {
    const answer = await new Promise<PartAnswer>((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#worker?.postMessage(task);
    });
    if (answer.ok) return answer;
    throw Object.assign(new Error(answer.message), { code: answer.code });
  }

  /** Makes it this part, where its note is understood; else it goes. */
  #takeOver(path: string): void {
    try {
      renameSync(path, this.#folder);
    } catch {
      return; // somebody was faster
    }
    this.note = readNote(join(this.#folder, NOTE), this.subject);
    if (!this.note) this.remove();
  }
}

/** What stands between two quotation marks there, so that it can be sent back as it came. */
const STRONG_ETAG = /^"[\x21\x23-\x7e]{1,1000}"$/;

/** @returns undefined for one that is weak, too long, or none: it proves nothing */
export function strongEtag(header: string | null): string | undefined {
  return header !== null && STRONG_ETAG.test(header) ? header : undefined;
}

function readNote(path: string, subject: string): PartNote | undefined {
  try {
    const note = (JSON.parse(readFileSync(path, "utf8")) ?? {}) as Record<string, unknown>;
    const { etag, totalBytes } = note;
    if (note["subject"] !== subject || typeof etag !== "string" || strongEtag(etag) === undefined)
      return undefined;
    return { subject, etag, ...(Number.isSafeInteger(totalBytes) && { totalBytes: totalBytes as number }) };
  } catch {
    return undefined;
  }
}

/** The parts of all names in a folder. What is no folder, such as a symbolic link, is none. */
function partsIn(folder: string): { path: string; name: string; owner: string }[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const [, name, owner] = /^(.+)\.([0-9a-z-]+)\.part$/.exec(entry.name) ?? [];
    if (name === undefined || owner === undefined || !entry.isDirectory()) return [];
    return [{ path: join(folder, entry.name), name, owner }];
  });
}

function sizeOf(part: string): number {
  return lstatSync(join(part, BUNDLE), { throwIfNoEntry: false })?.size ?? 0;
}

/** Best effort: also parts of which nobody can tell whose they are, and those of other names. */
function removeOld(folder: string, nowMs: number): void {
  for (const { path, owner } of partsIn(folder)) {
    try {
      const changed = lstatSync(join(path, BUNDLE), { throwIfNoEntry: false }) ?? lstatSync(path);
      if (isAbandoned(owner, changed.mtimeMs, nowMs)) rmSync(path, { recursive: true, force: true });
    } catch {
      // another process was faster
    }
  }
}
