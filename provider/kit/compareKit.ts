import { createHash } from "node:crypto";
import { lstat, readFile, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { ignoreMissing } from "../files/ignoreMissing";
import { filesBelow, removeListed, keptText } from "../files/listing";
import type { Reporter } from "../messages/reporter";
import { signatureFiles } from "./signatureFiles";
import { parseSums } from "./sums";
import type { WrittenKit } from "./writeKit";

/**
 * Compares a kit with what was written: its list, exactly its files, and their total size. It does not read their bytes;
 * `verify.sh` does.
 *
 * @throws the error of the file system
 */
export async function compareKit(
  folder: string,
  { name, list, size, files }: WrittenKit,
): Promise<"same" | "changed" | "gone"> {
  const kit = resolve(folder, name);
  const stats = await lstat(kit).catch(ignoreMissing);
  if (!stats) return "gone";
  if (!stats.isDirectory()) return "changed";
  const paths = await filesBelow(kit);
  const listed = await readList(kit, list);
  const there = new Set(paths);
  if (!listed || paths.length !== files || !listed.every(({ path }) => there.has(path))) return "changed";
  let total = 0;
  for (const path of paths) {
    const file = await lstat(join(kit, path));
    if (!file.isFile()) return "changed";
    total += file.size;
  }
  return total === size ? "same" : "changed";
}

/**
 * Removes written kits, but no files of others beside or in them. A kit that is already gone is not an error.
 *
 * @throws the error of the file system; the signal's reason
 */
export async function removeKits(
  folder: string,
  kits: readonly WrittenKit[],
  kept: readonly WrittenKit[],
  { signal, reporter }: { signal: AbortSignal; reporter: Pick<Reporter, "warn"> },
): Promise<void> {
  const stay = new Set(kept.map(({ name }) => name));
  for (const kit of kits) {
    if (stay.has(kit.name)) continue;
    const left = await removeKit(resolve(folder, kit.name), kit, signal);
    if (left.length > 0) reporter.warn(keptText(resolve(folder, kit.name), left, "kit"));
  }
}

/** @returns paths of the files that stay */
async function removeKit(kit: string, { list, signed }: WrittenKit, signal: AbortSignal): Promise<string[]> {
  const stats = await lstat(kit).catch(ignoreMissing);
  if (!stats?.isDirectory()) return stats ? [""] : [];
  const listed = (await readList(kit, list)) ?? [];
  const left = await removeListed(kit, new Map(listed.map(({ path, sha256 }) => [path, sha256])), signal);
  if (listed.length === 0) return left;
  // the list last: with it, a later run completes an interrupted removal
  if (signed) for (const file of signatureFiles(list.file)) await rm(join(kit, file), { force: true });
  return removeListed(kit, new Map([[list.file, list.sha256]]), signal);
}

/** Reads the file names in a kit's list. @returns `undefined` when the list is missing or changed */
async function readList(
  kit: string,
  { file, sha256 }: WrittenKit["list"],
): Promise<ReturnType<typeof parseSums> | undefined> {
  const bytes = await readFile(join(kit, file)).catch(ignoreMissing);
  const isUnchanged = bytes && createHash("sha256").update(bytes).digest("hex") === sha256;
  return isUnchanged ? parseSums(bytes.toString()) : undefined;
}
