import { createHash } from "node:crypto";
import { lstat, readFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { ignoreMissing } from "../../runtime/files/ignoreMissing";
import { digestFile, filesBelow } from "../../runtime/files/listing";
import type { Verifier } from "../../images/signing/verifier";
import { MANIFEST } from "./manifest";
import { signatureFiles } from "./signatureFiles";
import { parseSums, SUMS } from "./sums";
import type { WrittenKit } from "./writtenKit";

/** A kit that is complete and not published yet. */
interface FinishedKit {
  readonly kit: WrittenKit;
  /** Its folder. */
  readonly from: string;
}

/**
 * Reads an existing kit of the same name: another resource wrote the same content, at another time. Both keep it, because each would
 * otherwise find that the other one changed the kit. A kit in parts is not read: its date is inside the parts.
 *
 * @param verifier of its signature, if it is signed
 * @returns `undefined` unless all its files are those of the finished kit, except the date, and the list is signed
 * @throws the error of the file system; the signal's reason
 */
export async function wholeKit(
  path: string,
  { kit, from }: FinishedKit,
  verifier: Verifier | undefined,
  signal: AbortSignal,
): Promise<WrittenKit | undefined> {
  const stats = await lstat(path).catch(ignoreMissing);
  if (kit.list.file !== SUMS || !stats?.isDirectory()) return undefined;
  const there = new Set(await filesBelow(path)); // links are not followed
  const list = await readFile(join(path, SUMS)).catch(ignoreMissing);
  if (list === undefined || !(await isSigned(path, list, verifier))) return undefined;
  const listed = parseSums(list.toString());
  const ours = parseSums(await readFile(join(from, SUMS), "utf8"));
  if (!isDeepStrictEqual(undated(listed), undated(ours))) return undefined;
  let size = 0;
  for (const { path: name, sha256 } of listed) {
    if (!there.has(name)) return undefined;
    const found = await fileAt(join(path, name), signal);
    if (found?.sha256 !== sha256) return undefined;
    size += found.size;
  }
  const others = verifier ? [SUMS, ...signatureFiles(SUMS)] : [SUMS];
  for (const name of others) size += (await lstat(join(path, name))).size;
  const manifest = await manifestIn(path);
  const { createdAt } = manifest;
  const wanted = { ...(await manifestIn(from)), createdAt };
  if (typeof createdAt !== "string" || !isDeepStrictEqual(manifest, wanted)) return undefined;
  const sha256 = createHash("sha256").update(list).digest("hex");
  return { ...kit, sha256, list: { file: SUMS, sha256 }, size, createdAt };
}

/** The files of a kit that do not contain its date. */
const undated = (files: ReturnType<typeof parseSums>): ReturnType<typeof parseSums> =>
  files.map(({ path, sha256 }) => ({ path, sha256: path === MANIFEST ? "" : sha256 }));

async function isSigned(path: string, list: Buffer, verifier: Verifier | undefined): Promise<boolean> {
  if (verifier === undefined) return true;
  const [raw, sigstore] = signatureFiles(SUMS);
  const signature = await readFile(join(path, raw)).catch(ignoreMissing);
  const bundle = await lstat(join(path, sigstore)).catch(ignoreMissing);
  return signature !== undefined && bundle !== undefined && verifier.verify(list, signature);
}

async function fileAt(
  path: string,
  signal: AbortSignal,
): Promise<{ sha256: string; size: number } | undefined> {
  const stats = await lstat(path).catch(ignoreMissing);
  return stats?.isFile() ? digestFile(path, signal) : undefined;
}

/** Its digest was verified, or this process wrote it. */
async function manifestIn(kit: string): Promise<Record<string, unknown>> {
  try {
    return JSON.parse(await readFile(join(kit, MANIFEST), "utf8")) as Record<string, unknown>;
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}
