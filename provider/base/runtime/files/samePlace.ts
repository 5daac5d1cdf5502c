import { realpathSync, statSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";

/**
 * Identifies a folder, however its path is written: through links, in other letter case, or through another mount. A folder that does
 * not exist yet is identified by the nearest parent that does.
 *
 * @returns plain text, comparable on this machine until a folder is moved
 */
export function folderIdentity(folder: string): string {
  const below: string[] = [];
  for (let at = resolve(folder); ; at = dirname(at)) {
    try {
      const { dev, ino } = statSync(at, { bigint: true });
      // some file systems have no inodes
      return JSON.stringify([ino === 0n ? realpathSync.native(at) : `${dev}:${ino}`, ...below]);
    } catch {
      if (dirname(at) === at) return JSON.stringify([at, ...below]);
      below.unshift(basename(at));
    }
  }
}
