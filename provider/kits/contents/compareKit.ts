import { lstat, readFile, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { ignoreMissing } from "../../base/runtime/files/ignoreMissing";
import {
  compareFolder,
  filesBelow,
  foreignText,
  keptText,
  type Listing,
  removeListed,
} from "../../base/runtime/files/listing";
import { readRecord } from "../../base/runtime/files/regularFile";
import type { Reporter } from "../../base/runtime/messages/reporter";
import {
  type AdditionFacts,
  fieldsOf,
  folderOwner,
  folderRecords,
  type Kept,
  type PlaceContext,
  removeRecordedCopies,
  type Verifier,
} from "../../publishing/index";
import { MANIFEST } from "./manifest";
import { PARTS_SUMS, readList, signatureFiles, SUMS } from "./sums";

/** What the state stores of a kit, so that later runs can find, compare and remove it. */
export interface WrittenKit {
  /** Name of its folder. */
  readonly name: string;
  /** SHA-256 of its `SHA256SUMS`. */
  readonly sha256: string;
  /**
   * The list of the files in its folder, and the digest of that list: of a kit in parts, the list of the parts.
   */
  readonly list: { readonly file: string; readonly sha256: string };
  /** Size of all files in its folder, in bytes. */
  readonly size: number;
  /** Number of files in its folder. */
  readonly files: number;
  readonly signed: boolean;
  /** ISO 8601. */
  readonly createdAt: string;
  /** About what was added to the site's image. The name is that of the first addition: states have it. */
  readonly search?: AdditionFacts;
}

/**
 * Compares a kit with what was written: its list, exactly its files, and their total size. It does not read their bytes;
 * `verify.sh` does.
 *
 * @throws the error of the file system
 */
export async function compareKit(
  folder: string,
  { name, list, size, files }: WrittenKit,
  reporter: Reporter,
): Promise<"same" | "changed" | "gone"> {
  const kit = resolve(folder, name);
  const stats = await lstat(kit).catch(ignoreMissing);
  if (!stats) return "gone";
  const listed = stats.isDirectory() ? await listedIn(kit, list) : undefined;
  if (!listed) return "changed";
  // the list does not contain itself and its signatures
  const own = new Set([...listed.keys(), list.file, ...signatureFiles(list.file)]);
  const paths = await filesBelow(kit);
  const foreign = paths.filter((path) => !own.has(path));
  let total = 0;
  for (const path of paths.filter((each) => own.has(each))) {
    const file = await lstat(join(kit, path));
    if (!file.isFile()) return "changed";
    total += file.size;
  }
  if (paths.length - foreign.length !== files || total !== size) return "changed";
  if (foreign.length > 0) reporter.warn(foreignText(kit, foreign, "kit"));
  return "same";
}

/**
 * Reads an existing kit of the same name: another resource wrote the same content, at another time. Both keep it, because each would
 * otherwise find that the other one changed the kit. A kit in parts is not read: its date is inside the parts.
 *
 * @param finished a kit that is complete and not published yet, and its folder
 * @param verifier of its signature, if it is signed
 * @returns `undefined` unless all its files are those of the finished kit, except the date, and the list is signed
 * @throws the error of the file system; the signal's reason
 */
export async function wholeKit(
  path: string,
  { kit, from }: { readonly kit: WrittenKit; readonly from: string },
  verifier: Verifier | undefined,
  signal: AbortSignal,
): Promise<WrittenKit | undefined> {
  const stats = await lstat(path).catch(ignoreMissing);
  if (kit.list.file !== SUMS || !stats?.isDirectory()) return undefined;
  const list = await readList(path, SUMS);
  if (list === undefined || !(await isSigned(path, list.bytes, verifier))) return undefined;
  const ours = await readList(from, SUMS);
  if (!isDeepStrictEqual(undated(list.files), ours && undated(ours.files))) return undefined;
  if ((await compareFolder(path, list.files, signal)) !== "same") return undefined;
  let size = 0;
  for (const name of [...list.files.keys(), SUMS, ...(verifier ? signatureFiles(SUMS) : [])]) {
    size += (await lstat(join(path, name))).size;
  }
  const manifest = await manifestIn(path);
  const { createdAt } = manifest;
  const wanted = { ...(await manifestIn(from)), createdAt };
  if (typeof createdAt !== "string" || !isDeepStrictEqual(manifest, wanted)) return undefined;
  const { sha256 } = list;
  return { ...kit, sha256, list: { file: SUMS, sha256 }, size, createdAt };
}

/** The files of a kit, without the digest of the one that contains its date. */
const undated = (files: Listing): Listing =>
  new Map([...files].map(([path, sha256]) => [path, path === MANIFEST ? "" : sha256]));

async function isSigned(path: string, list: Buffer, verifier: Verifier | undefined): Promise<boolean> {
  if (verifier === undefined) return true;
  const [raw, sigstore] = signatureFiles(SUMS);
  const signature = await readRecord(join(path, raw));
  const bundle = await lstat(join(path, sigstore)).catch(ignoreMissing);
  return signature !== undefined && bundle !== undefined && verifier.verify(list, signature);
}

/** Its digest was verified, or this process wrote it. */
const manifestIn = async (kit: string): Promise<Readonly<Record<string, unknown>>> =>
  fieldsOf(await readFile(join(kit, MANIFEST)));

/** The names of kits, see `writeKit`. */
const KIT_NAME = /^[A-Za-z0-9][\w.-]*-[0-9a-f]{12}$/;

/** Where kits are removed. */
type KitContext = PlaceContext & { readonly signal: AbortSignal };

/**
 * Removes kits, but no files of others beside or in them. A kit that is already gone is not an error. Nothing is removed from a folder of
 * another resource.
 *
 * @param kept kits that stay
 * @throws the error of the file system; the signal's reason
 */
export function pruneKits(
  folder: string,
  kits: readonly WrittenKit[],
  kept: Kept<WrittenKit>,
  context: KitContext,
): Promise<void> {
  return removeKits(folder, kits, kept, context);
}

/** Removes all kits that are recorded in the folder, and the mark last. Otherwise as {@link pruneKits}. */
export function releaseKits(folder: string, kits: readonly WrittenKit[], context: KitContext): Promise<void> {
  return removeKits(folder, kits, [], context);
}

/** @param kept none to release the folder */
async function removeKits(
  folder: string,
  kits: readonly WrittenKit[],
  kept: readonly WrittenKit[],
  context: KitContext,
): Promise<void> {
  const place = folderOwner(folder, context);
  const records = folderRecords(folder);
  const isLast = kept.length === 0;
  const stay = new Set(kept.map(({ name }) => name));
  const removed = new Map(kits.filter(({ name }) => !stay.has(name)).map((kit) => [kit.name, kit]));
  const remove = async (isMarked: boolean): Promise<void> => {
    // of an interrupted run, or of a resource of which this one took the folder over
    const leftover = isLast && isMarked ? (await records.all()).filter((name) => KIT_NAME.test(name)) : [];
    for (const name of new Set([...removed.keys(), ...leftover])) {
      const path = resolve(folder, name);
      const kit = removed.get(name) ?? (await unknownKit(path));
      await place.confirm();
      const left = kit ? await removeKit(path, kit, context.signal) : [];
      if (left.length > 0) context.reporter.warn(keptText(path, left, "kit"));
      await place.confirm();
      await records.remove([name]);
    }
    if (isLast && isMarked) await removeRecordedCopies(folder, context);
  };
  await place.release(isLast, remove, async () => {
    const paths = [...removed.keys()].map((name) => join(folder, name));
    const found = await Array.fromAsync(paths, (path) => lstat(path).catch(ignoreMissing));
    return paths.filter((_, at) => found[at]);
  });
}

/** What a kit's folder says about its files, by the list that has all of them; `undefined` for another folder. */
async function unknownKit(kit: string): Promise<Pick<WrittenKit, "list" | "signed"> | undefined> {
  for (const file of [PARTS_SUMS, SUMS]) {
    const found = await readList(kit, file);
    if (found) return { list: { file, sha256: found.sha256 }, signed: true };
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
  const listed = await listedIn(kit, list);
  const left = await removeListed(kit, listed ?? new Map(), signal);
  if (!listed) return left;
  // the list last: with it, a later run completes an interrupted removal
  if (signed) for (const file of signatureFiles(list.file)) await rm(join(kit, file), { force: true });
  return removeListed(kit, new Map([[list.file, list.sha256]]), signal);
}

/** The files in a kit's list. @returns `undefined` when the list is missing or changed */
async function listedIn(kit: string, { file, sha256 }: WrittenKit["list"]): Promise<Listing | undefined> {
  const found = await readList(kit, file);
  return found?.sha256 === sha256 ? found.files : undefined;
}
