import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Makes a folder and its parents. It does not use `recursive` of `mkdir`: if a file system returns ENOENT for every folder, as
 * `/proc` does, Node.js retries forever and cannot be stopped.
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    return await makeOne(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || dirname(path) === path) throw error;
  }
  await makeFolder(dirname(path));
  await makeOne(path);
}

/** Makes a folder, unless another process has made it. */
async function makeOne(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === "EEXIST" && (await stat(path)).isDirectory();
    if (!isThere) throw error;
  }
}
