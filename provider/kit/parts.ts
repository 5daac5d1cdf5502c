import { createReadStream } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { tarEnd, tarHeader, tarPadding } from "../archive/writeTar";
import { InputError } from "../messages/errors";
import type { SummedFile } from "./sums";

/** The folder in the tar that the parts are joined to. */
const FOLDER = "kit";
/** How many digits a part's number has. */
const DIGITS = 3;

/**
 * Writes a kit as one tar, split into files of the same size: `kit.tar.001`, `kit.tar.002`, …
 *
 * @param files of the kit, in the order of writing
 * @param partSize in bytes
 * @returns the number of parts
 * @throws InputError for more than 999 parts; the error of the file system; the signal's reason
 */
export async function writeParts(
  kit: string,
  files: readonly SummedFile[],
  into: string,
  partSize: number,
  signal: AbortSignal,
): Promise<number> {
  const parts = new PartWriter(into, partSize);
  try {
    const folders = new Set<string>();
    for (const { path, size } of files) {
      const full = `${FOLDER}/${path}`;
      for (let at = full.indexOf("/"); at !== -1; at = full.indexOf("/", at + 1)) {
        const folder = full.slice(0, at + 1);
        if (!folders.has(folder)) await parts.write(tarHeader({ path: folder, size: 0 }));
        folders.add(folder);
      }
      await parts.write(tarHeader({ path: full, size, isExecutable: path.endsWith(".sh") }));
      const content = createReadStream(join(kit, path), { highWaterMark: 1 << 20, signal });
      for await (const chunk of content) await parts.write(chunk as Buffer);
      await parts.write(tarPadding(size));
    }
    await parts.write(tarEnd());
    return parts.count;
  } finally {
    await parts.close();
  }
}

class PartWriter {
  count = 0;
  readonly #into: string;
  readonly #partSize: number;
  #file: FileHandle | undefined;
  #free = 0;

  constructor(into: string, partSize: number) {
    this.#into = into;
    this.#partSize = partSize;
  }

  async write(bytes: Buffer): Promise<void> {
    for (let rest = bytes; rest.length > 0;) {
      const file = this.#free > 0 && this.#file ? this.#file : await this.#next();
      const piece = rest.subarray(0, this.#free);
      await file.writeFile(piece);
      this.#free -= piece.length;
      rest = rest.subarray(piece.length);
    }
  }

  async close(): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
  }

  async #next(): Promise<FileHandle> {
    await this.close();
    const number = String(++this.count).padStart(DIGITS, "0");
    if (number.length > DIGITS) {
      throw new InputError(
        `the kit has more than 999 parts of ${this.#partSize} bytes`,
        "Give a larger `partSize`.",
      );
    }
    this.#free = this.#partSize;
    return (this.#file = await open(join(this.#into, `kit.tar.${number}`), "wx", 0o644));
  }
}
