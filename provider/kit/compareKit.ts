import { createHash } from "node:crypto";
import { lstat, readFile, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { ignoreMissing } from "../files/ignoreMissing";
import { filesBelow, removeListed, staysText } from "../files/listing";
import type { Reporter } from "../messages/reporter";
import { signatureFiles } from "./signature";
import { parseSums } from "./sums";
import type { WrittenKit } from "./writeKit";

/**
 * Whether a kit still lies there as it was written: its list, all files of it and no other, of the same size together. Their bytes are
 * not read: for that there is `verify.sh`.
 *
 * @throws the error of the file system
 */
export async function compareKit(
  folder: string,
  { name, list, size, files }: WrittenKit,
): Promise<"same" | "changed" | "gone"> {
  const kit = resolve(folder, name);
  const seen = await lstat(kit).catch(ignoreMissing);
  if (!seen) return "gone";
  if (!seen.isDirectory()) return "changed";
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
 * Removes kits that were written, and not what others have beside them or in them. One that is gone already is no error.
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
    if (left.length > 0) reporter.warn(staysText(resolve(folder, kit.name), left, "kit"));
  }
}

/** @returns paths of what stays */
async function removeKit(kit: string, { list, signed }: WrittenKit, signal: AbortSignal): Promise<string[]> {
  const seen = await lstat(kit).catch(ignoreMissing);
  if (!seen?.isDirectory()) return seen ? [""] : [];
  const listed = (await readList(kit, list)) ?? [];
  const left = await removeListed(kit, new Map(listed.map(({ path, sha256 }) => [path, sha256])), signal);
  if (listed.length === 0) return left;
  // the list last: by it a removal that was cut off is completed
  if (signed) for (const file of signatureFiles(list.file)) await rm(join(kit, file), { force: true });
  return removeListed(kit, new Map([[list.file, list.sha256]]), signal);
}

/** The files of a kit that its list names. @returns `undefined` where the list is gone or another */
async function readList(
  kit: string,
  { file, sha256 }: WrittenKit["list"],
): Promise<ReturnType<typeof parseSums> | undefined> {
  const bytes = await readFile(join(kit, file)).catch(ignoreMissing);
  const isOurs = bytes && createHash("sha256").update(bytes).digest("hex") === sha256;
  return isOurs ? parseSums(bytes.toString()) : undefined;
}
