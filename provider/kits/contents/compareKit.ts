import { createHash } from "node:crypto";
import { lstat, readFile, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { ignoreMissing } from "../../runtime/files/ignoreMissing";
import { filesBelow, foreignText, removeListed, keptText } from "../../runtime/files/listing";
import type { OwnershipContext } from "../../copies/ownership/ownership";
import { kitOwnership } from "./kitFolder";
import { signatureFiles } from "./signatureFiles";
import { LISTS, parseSums } from "./sums";
import type { WrittenKit } from "./writtenKit";

/**
 * Compares a kit with what was written: its list, exactly its files, and their total size. It does not read their bytes;
 * `verify.sh` does.
 *
 * @throws the error of the file system
 */
export async function compareKit(
  folder: string,
  { name, list, size, files }: WrittenKit,
  context: OwnershipContext,
): Promise<"same" | "unmarked" | "changed" | "gone"> {
  const kit = resolve(folder, name);
  const stats = await lstat(kit).catch(ignoreMissing);
  if (!stats) return "gone";
  if (!stats.isDirectory()) return "changed";
  const paths = await filesBelow(kit);
  const listed = await readList(kit, list);
  if (!listed) return "changed";
  const own = new Set([...listed.map(({ path }) => path), ...listFiles(list)]);
  const written = paths.filter((path) => own.has(path));
  const foreign = paths.filter((path) => !own.has(path));
  let total = 0;
  for (const path of written) {
    const file = await lstat(join(kit, path));
    if (!file.isFile()) return "changed";
    total += file.size;
  }
  if (written.length !== files || total !== size) return "changed";
  if (foreign.length > 0) context.reporter.warn(foreignText(kit, foreign, "kit"));
  return kitOwnership(folder, context).compared(name);
}

/** The list of a kit's files, and its signatures: the list does not contain them. */
function listFiles({ file }: WrittenKit["list"]): string[] {
  return [file, ...signatureFiles(file)];
}

/**
 * Removes the owner's marks at kits, and the kits that no other owner has, but no files of others beside or in them. A kit that is
 * already gone is not an error.
 *
 * @throws the error of the file system; the signal's reason
 */
export async function removeKits(
  folder: string,
  kits: readonly WrittenKit[],
  kept: readonly WrittenKit[],
  context: OwnershipContext,
): Promise<void> {
  const stay = new Set(kept.map(({ name }) => name));
  const ownership = kitOwnership(folder, context);
  const removed = new Map(kits.filter(({ name }) => !stay.has(name)).map((kit) => [kit.name, kit]));
  const leftover = kept.length === 0 ? await ownership.ownItems() : []; // of an interrupted run
  await ownership.release(
    new Set([...removed.keys(), ...leftover]),
    async (name) => (await lstat(resolve(folder, name)).catch(ignoreMissing)) !== undefined,
    async (names) => {
      for (const name of names) {
        const path = resolve(folder, name);
        const kit = removed.get(name) ?? (await writtenKit(path));
        const left = kit ? await removeKit(path, kit, context.signal) : [];
        if (left.length > 0) context.reporter.warn(keptText(path, left, "kit"));
      }
    },
  );
}

/** What a kit's folder says about its files; `undefined` for another folder. */
async function writtenKit(kit: string): Promise<Pick<WrittenKit, "list" | "signed"> | undefined> {
  for (const file of LISTS) {
    const bytes = await readFile(join(kit, file)).catch(ignoreMissing);
    if (bytes)
      return { list: { file, sha256: createHash("sha256").update(bytes).digest("hex") }, signed: true };
  }
  return undefined;
}

/** @returns paths of the files that stay */
async function removeKit(
  kit: string,
  { list, signed }: Pick<WrittenKit, "list" | "signed">,
  signal: AbortSignal,
): Promise<string[]> {
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
