import { lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../time/clock";

/** How what is in the making is named: hidden, ours, and beside what it becomes, so that one rename puts it in place. */
const DRAFT = /^\.docs-hosting-[0-9a-f]{13}\.draft$/;

/** How long a draft of another run is left alone, in milliseconds: it may still be at work. */
const DRAFT_LIFE_MS = 24 * 3_600_000;

export function draftName(clock: Clock): string {
  const random = Math.floor(clock.random() * 2 ** 52).toString(16);
  return `.docs-hosting-${random.padStart(13, "0")}.draft`;
}

/** Removes what runs that were killed have left. Best effort. @param nowMs milliseconds since 1970 */
export async function removeOldDrafts(folder: string, nowMs: number): Promise<void> {
  for (const name of (await readdir(folder)).filter((each) => DRAFT.test(each))) {
    const path = join(folder, name);
    try {
      if (nowMs - (await lstat(path)).mtimeMs > DRAFT_LIFE_MS) await rm(path, { recursive: true });
    } catch {
      // another run was quicker, or it is not ours to remove
    }
  }
}
