import { existsSync, mkdirSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

/** One of our folders in Pulumi's own folder of the user: on a disk, and not in memory. */
export function homeFolder(environment: (name: string) => string | undefined, name: string): string {
  // Pulumi takes an empty one for none, too
  return join(environment("PULUMI_HOME") || join(homedir(), ".pulumi"), "docs-hosting", name);
}

/** How a user names another one, for messages. */
export const ELSEWHERE = { elsewhere: "set PULUMI_HOME to another folder" };

/** Makes a folder that only its owner can read, and those above it. Not with `recursive` of `mkdirSync`, see `makeFolder`. */
export function makeHomeFolder(path: string): void {
  const missing: string[] = [];
  for (let at = path; !existsSync(at); at = dirname(at)) missing.unshift(at);
  for (const each of missing) {
    try {
      mkdirSync(each, { mode: 0o700 });
    } catch (error) {
      if (!existsSync(each)) throw error; // else another process was faster
    }
  }
}

/** Removes a file. Best effort: one too many does no harm, for whoever reads it compares it with what is there. */
export function removeFile(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // it is no file, or its folder is none
  }
}
