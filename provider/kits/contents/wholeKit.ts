import { lstat, readFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { fieldsOf } from "../../images/registry/content";
import type { Verifier } from "../../images/signing/verifier";
import { ignoreMissing } from "../../runtime/files/ignoreMissing";
import { compareFolder, type Listing } from "../../runtime/files/listing";
import type { WrittenKit } from "./kitFolder";
import { MANIFEST } from "./manifest";
import { readList, signatureFiles, SUMS } from "./sums";

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
  const signature = await readFile(join(path, raw)).catch(ignoreMissing);
  const bundle = await lstat(join(path, sigstore)).catch(ignoreMissing);
  return signature !== undefined && bundle !== undefined && verifier.verify(list, signature);
}

/** Its digest was verified, or this process wrote it. */
const manifestIn = async (kit: string): Promise<Readonly<Record<string, unknown>>> =>
  fieldsOf(await readFile(join(kit, MANIFEST)));
