import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { InFlight } from "../concurrency/inFlight";
import { makeFolder } from "./makeFolder";
import { FILE_MODE, FILES_AT_ONCE, writeNewFile } from "./writeFile";

/** Up to this size, a file is read into memory and written while the next ones are read, in bytes. */
const SMALL = 256 * 1024;

/**
 * Writes the files of a folder that nobody else writes to, without flushing them: several small ones at once, and each of their
 * folders is made once.
 */
export class FolderWriter {
  readonly #root: string;
  readonly #folders = new Map<string, Promise<void>>();
  readonly #running = new InFlight();

  constructor(root: string) {
    this.#root = root;
  }

  /**
   * Writes a new file. Returns when the content was read; a small file may be written later.
   *
   * @param path below the folder, with `/`
   * @returns SHA-256 of the content
   * @throws the error of this file, or of one before it: nothing more is written then
   */
  async write(path: string, size: number, content: AsyncIterable<Uint8Array>): Promise<string> {
    const target = join(this.#root, path);
    this.#running.throwFailure();
    if (size > SMALL) {
      await this.#folder(dirname(target));
      return (await writeNewFile(target, content, { flush: false })).sha256;
    }
    const digest = createHash("sha256");
    const pieces: Buffer[] = [];
    for await (const piece of content) {
      digest.update(piece);
      pieces.push(Buffer.from(piece)); // a copy: the reader may use its memory again
    }
    while (this.#running.count >= FILES_AT_ONCE) await this.#running.oneEnds();
    this.#running.throwFailure();
    const made = this.#folder(dirname(target));
    this.#running.add(made.then(() => writeFile(target, pieces, { flag: "wx", mode: FILE_MODE })));
    return digest.digest("hex");
  }

  /** Waits until all files are written. @throws the first failure */
  async end(): Promise<void> {
    await this.settle();
    this.#running.throwFailure();
  }

  /** Waits until nothing is being written any more. Never throws. */
  async settle(): Promise<void> {
    await this.#running.allEnd();
  }

  /** Makes a folder after its parents, unless that was begun before. */
  #folder(path: string): Promise<void> {
    const underWay = this.#folders.get(path);
    if (underWay !== undefined) return underWay;
    const parent = path === this.#root ? Promise.resolve() : this.#folder(dirname(path));
    const made = parent.then(() => makeFolder(path));
    this.#folders.set(path, made);
    return made;
  }
}
