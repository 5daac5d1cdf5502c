import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { ignoring } from "./ignoreMissing";

/**
 * How a file is opened in a folder that others may write to: no link is followed, and a pipe in its place is not waited for. Windows has
 * neither: `undefined` has no effect.
 */
export const OPEN_ITSELF: number = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** A file that is gone, a link (`EMLINK` on FreeBSD) or a socket. */
export const ignoreNoFile: (error: unknown) => undefined = ignoring("ENOENT", "ELOOP", "EMLINK", "ENXIO");

/** Longest record that is read: the list of the files of a site or a kit, in bytes. */
const LONGEST_RECORD = 256 * 1024 * 1024;

/**
 * Reads a record in a folder that others may write to.
 *
 * @returns `undefined` if there is none, or something else has its name: a link, a pipe, a folder, a file that is too long
 * @throws the error of the file system
 */
export async function readRecord(path: string, limit: number = LONGEST_RECORD): Promise<Buffer | undefined> {
  const file: FileHandle | undefined = await open(path, OPEN_ITSELF).catch(ignoreNoFile);
  if (!file) return undefined;
  try {
    const stats = await file.stat();
    return stats.isFile() && stats.size <= limit ? await file.readFile() : undefined;
  } finally {
    await file.close();
  }
}
