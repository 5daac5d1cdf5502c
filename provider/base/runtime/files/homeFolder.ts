import { existsSync, mkdirSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { ConfigurationError } from "../messages/errors";

/** A folder of this package in Pulumi's home folder: on disk, not in memory. */
export function homeFolder(
  environment: (name: string) => string | undefined,
  name: string,
  findHome: () => string = homedir,
): string {
  // an empty variable counts as unset, as in Pulumi
  return join(environment("PULUMI_HOME") || join(userHome(findHome), ".pulumi"), "docs-hosting", name);
}

/** @throws ConfigurationError for a user without one: a number that the system does not know, as of `docker run --user 4711` */
function userHome(findHome: () => string): string {
  try {
    return findHome();
  } catch {
    throw new ConfigurationError(
      "this user has no home folder",
      "Set PULUMI_HOME to a folder that this user may write, or set HOME.",
    );
  }
}

/** How a user can choose another folder, for messages. */
export const ELSEWHERE = { elsewhere: "set PULUMI_HOME to another folder" };

/** Makes a folder that only its owner can read, and its parents. It does not use `recursive` of `mkdirSync`, see `makeFolder`. */
export function makeHomeFolder(path: string): void {
  if (existsSync(path)) return;
  if (dirname(path) !== path) makeHomeFolder(dirname(path)); // it may be a missing drive of Windows
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (!existsSync(path)) throw error; // otherwise another process made it first
  }
}

/** Removes a file. Best effort: a remaining file does no harm, because its reader compares it with the current state. */
export function removeFile(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // the path is not a file, or its parent is not a folder
  }
}
