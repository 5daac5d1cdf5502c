import * as fs from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "../../../runtime/files/makeFolder";
import { DestinationError } from "../../../runtime/messages/errors";
import { firstOf } from "../../../runtime/messages/firstOf";
import { printable, truncate } from "../../../runtime/messages/plainText";

/** Failures of the disk, whatever the name. */
const NOT_OF_THE_NAME = new Set(["ENOSPC", "EDQUOT", "EROFS", "EMFILE", "ENFILE", "EIO"]);

const MAX_SHOWN = 4;

/** What a trial needs of the file system. */
export type NameDisk = Pick<typeof fs, "writeFile" | "readdir" | "rm">;

/** Where names are tried. */
export interface NameTrial {
  /** The destination, for messages. */
  readonly folder: string;
  /** A folder of this run on the same file system. */
  readonly draft: string;
  readonly signal: AbortSignal;
  /** @default the file system */
  readonly disk?: NameDisk;
}

/**
 * Tries whether the file system of a folder can hold names: it writes empty files with them, and reads them back. Its kind would not tell:
 * a Mac, Windows and a network folder have file systems that distinguish upper and lower case, and others that do not.
 *
 * @param names by the folder in the site in which they must exist beside each other
 * @throws DestinationError that names those that it cannot hold; the error of the file system
 */
export async function tryNames(
  names: ReadonlyMap<string, ReadonlySet<string>>,
  { folder, draft, signal, disk = fs }: NameTrial,
): Promise<void> {
  if (names.size === 0) return;
  const trial = join(draft, "names");
  const refused: string[] = [];
  for (const [parent, wanted] of names) {
    signal.throwIfAborted();
    await makeFolder(trial);
    for (const name of wanted)
      if (!(await isWritten(join(trial, name), disk))) refused.push(join(parent, name));
    const found = new Set((await disk.readdir(trial)).map((name) => name.normalize()));
    for (const name of wanted) if (!found.has(name.normalize())) refused.push(join(parent, name));
    await disk.rm(trial, { recursive: true, force: true });
  }
  const lacking = [...new Set(refused)];
  if (lacking.length === 0) return;
  const shown = firstOf(
    lacking.map((name) => `«${printable(truncate(name, 120))}»`),
    MAX_SHOWN,
  );
  throw new DestinationError(
    `the file system of ${folder} cannot hold ${lacking.length === 1 ? "a name" : `${lacking.length} names`} of the site beside its others: ${shown}`,
    'Give a folder on another file system, such as one of Linux, or `layout: "archive"`, a bucket or a registry: these hold every name.',
  );
}

/** Whether a new file of this name could be written. @throws the error of a full or broken disk */
async function isWritten(path: string, disk: NameDisk): Promise<boolean> {
  try {
    await disk.writeFile(path, "", { flag: "wx" });
    return true;
  } catch (error) {
    if (NOT_OF_THE_NAME.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
    return false;
  }
}
