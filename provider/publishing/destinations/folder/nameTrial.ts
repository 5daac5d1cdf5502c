import * as fs from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "../../../base/runtime/files/makeFolder";
import { DestinationError } from "../../../base/runtime/messages/errors";
import { firstOf } from "../../../base/runtime/messages/firstOf";
import { printable, truncate } from "../../../base/runtime/messages/plainText";

/** Failures of the disk, whatever the name. */
const NOT_OF_THE_NAME = new Set(["ENOSPC", "EDQUOT", "EROFS", "EMFILE", "ENFILE", "EIO"]);

const MAX_SHOWN = 4;

/** What a trial needs of the file system. */
export type NameDisk = Pick<typeof fs, "writeFile" | "readdir" | "rm">;

/** Where names are tried. */
interface NameTrial {
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
  const trial = join(draft, "names");
  const refused = new Set<string>();
  for (const [parent, wanted] of names) {
    signal.throwIfAborted();
    await makeFolder(trial);
    for (const name of wanted) {
      await disk.writeFile(join(trial, name), "", { flag: "wx" }).catch((error: unknown) => {
        if (NOT_OF_THE_NAME.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
        refused.add(join(parent, name));
      });
    }
    const found = new Set((await disk.readdir(trial)).map((name) => name.normalize()));
    for (const name of wanted) if (!found.has(name.normalize())) refused.add(join(parent, name));
    await disk.rm(trial, { recursive: true, force: true });
  }
  if (refused.size === 0) return;
  const shown = firstOf(
    Array.from(refused, (name) => `«${printable(truncate(name, 120))}»`),
    MAX_SHOWN,
  );
  throw new DestinationError(
    `the file system of ${folder} cannot hold ${refused.size === 1 ? "a name" : `${refused.size} names`} of the site beside its others: ${shown}`,
    'Give a folder on another file system, such as one of Linux, or `layout: "archive"`, a bucket or a registry: these hold every name.',
  );
}
