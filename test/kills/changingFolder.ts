import { existsSync, readdirSync } from "node:fs";

/**
 * All paths below a folder that another process changes. A folder that is renamed during the listing is ENOENT: the listing
 * begins again.
 */
export function pathsIn(folder: string): readonly string[] {
  for (;;) {
    if (!existsSync(folder)) return [];
    try {
      return readdirSync(folder, { recursive: true, encoding: "utf8" });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  }
}
