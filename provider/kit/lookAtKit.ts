import { createHash } from "node:crypto";
import { lstat, readFile, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { ignoreMissing } from "../disk/ignoreMissing";
import { filesBelow } from "../disk/listing";
import { parseSums } from "./sums";
import type { WrittenKit } from "./writeKit";

/**
 * Whether a kit still lies there as it was written: its list, all files of it and no other, of the same size together. Their bytes are
 * not read: for that there is `verify.sh`.
 *
 * @throws the error of the file system
 */
export async function lookAtKit(
  folder: string,
  { name, list, size, files }: WrittenKit,
): Promise<"same" | "changed" | "gone"> {
  const kit = resolve(folder, name);
  const seen = await lstat(kit).catch(ignoreMissing);
  if (!seen) return "gone";
  if (!seen.isDirectory()) return "changed";
  const paths = await filesBelow(kit);
  const bytes = await readFile(join(kit, list.file)).catch(ignoreMissing);
  if (!bytes || createHash("sha256").update(bytes).digest("hex") !== list.sha256) return "changed";
  const there = new Set(paths);
  if (paths.length !== files || !parseSums(bytes.toString()).every(({ path }) => there.has(path)))
    return "changed";
  let total = 0;
  for (const path of paths) {
    const file = await lstat(join(kit, path));
    if (!file.isFile()) return "changed";
    total += file.size;
  }
  return total === size ? "same" : "changed";
}

/** Removes kits that were written, and not what others have beside them. One that is gone already is no error. */
export async function removeKits(
  folder: string,
  kits: readonly WrittenKit[],
  kept: readonly WrittenKit[],
): Promise<void> {
  const stay = new Set(kept.map(({ name }) => name));
  for (const { name } of kits) {
    if (!stay.has(name)) await rm(resolve(folder, name), { recursive: true, force: true });
  }
}
