import { lstat, mkdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";

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

/**
 * Makes folders in a folder that others may write to: follows no link.
 *
 * @param path with `/`; empty for the folder itself
 * @throws the error of the file system: also if anything else than a folder has one of the names
 */
export async function makeFolderBelow(root: string, path: string): Promise<void> {
  let at = root;
  for (const name of ["", ...path.split("/").filter(Boolean)]) {
    at = join(at, name);
    try {
      await mkdir(at);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== "EEXIST" || !(await lstat(at)).isDirectory()) throw error;
    }
  }
}
