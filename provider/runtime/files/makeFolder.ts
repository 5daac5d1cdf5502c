import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Makes a folder and its parents. It does not use `recursive` of `mkdir`: if a file system returns ENOENT for every folder, as
 * `/proc` does, Node.js retries forever and cannot be stopped.
 */
export async function makeFolder(path: string, withParents = true): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST" && (await stat(path)).isDirectory()) return; // another process may have made it
    if (code !== "ENOENT" || !withParents || dirname(path) === path) throw error;
    await makeFolder(dirname(path));
    await makeFolder(path, false);
  }
}
