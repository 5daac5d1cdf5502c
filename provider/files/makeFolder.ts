import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Makes a folder and its parents. It does not use `recursive` of `mkdir`: if a file system returns ENOENT for every folder, as
 * `/proc` does, Node.js retries forever and cannot be stopped.
 */
export async function makeFolder(path: string): Promise<void> {
  if (await isMade(path)) return;
  await makeFolder(dirname(path));
  await mkdir(path).catch(unlessThere(path));
}

/** @returns whether the folder exists now; `false` if its parent is missing */
async function isMade(path: string): Promise<boolean> {
  try {
    await mkdir(path).catch(unlessThere(path));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT" && dirname(path) !== path) return false;
    throw error;
  }
}

/** Ignores the error if another process made the folder at the same time. */
function unlessThere(path: string): (error: unknown) => Promise<void> {
  return async (error) => {
    if ((error as NodeJS.ErrnoException).code === "EEXIST" && (await stat(path)).isDirectory()) return;
    throw error;
  };
}
