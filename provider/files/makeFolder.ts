import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Makes a folder, and those above it. Not with `recursive` of `mkdir`: where a file system answers ENOENT to every folder, as
 * `/proc` does, Node.js asks for ever and cannot be stopped.
 */
export async function makeFolder(path: string): Promise<void> {
  if (await isMade(path)) return;
  await makeFolder(dirname(path));
  await mkdir(path).catch(unlessThere(path));
}

/** @returns whether it is there now; `false` where what is above it is missing */
async function isMade(path: string): Promise<boolean> {
  try {
    await mkdir(path).catch(unlessThere(path));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT" && dirname(path) !== path) return false;
    throw error;
  }
}

/** Somebody may have made it at the same time. */
function unlessThere(path: string): (error: unknown) => Promise<void> {
  return async (error) => {
    if ((error as NodeJS.ErrnoException).code === "EEXIST" && (await stat(path)).isDirectory()) return;
    throw error;
  };
}
