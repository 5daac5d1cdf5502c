import { createReadStream } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { InputError } from "../../base/runtime/messages/errors";
import { type TarFile, tarOf } from "../../publishing/index";
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
  let count = 0;
  let file: FileHandle | undefined;
  let free = 0;
  try {
    for await (const bytes of tarOf(filesOf(kit, files, signal))) {
      for (let rest = bytes; rest.length > 0;) {
        if (file === undefined || free === 0) {
          await file?.close();
          file = await openPart(into, ++count, partSize);
          free = partSize;
        }
        const piece = rest.subarray(0, free);
        await file.writeFile(piece);
        free -= piece.length;
        rest = rest.subarray(piece.length);
      }
    }
    return count;
  } finally {
    await file?.close();
  }
}

/** The folders and files of a kit. */
function* filesOf(kit: string, files: readonly SummedFile[], signal: AbortSignal): Generator<TarFile> {
  const folders = new Set<string>();
  for (const { path, size } of files) {
    const full = `${FOLDER}/${path}`;
    for (let at = full.indexOf("/"); at !== -1; at = full.indexOf("/", at + 1)) {
      const folder = full.slice(0, at + 1);
      if (!folders.has(folder)) yield { path: folder, size: 0 };
      folders.add(folder);
    }
    const isExecutable = path.endsWith(".sh");
    yield { path: full, size, isExecutable, content: contentOf(join(kit, path), signal) };
  }
}

/** Opens the file when its content is read. */
async function* contentOf(path: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  yield* createReadStream(path, { highWaterMark: 1 << 20, signal }) as AsyncIterable<Buffer>;
}

function openPart(into: string, count: number, partSize: number): Promise<FileHandle> {
  const number = String(count).padStart(DIGITS, "0");
  if (number.length > DIGITS) {
    throw new InputError(`the kit has more than 999 parts of ${partSize} bytes`, "Give a larger `partSize`.");
  }
  return open(join(into, `kit.tar.${number}`), "wx", 0o644);
}
