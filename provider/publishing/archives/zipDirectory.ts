import { isUtf8 } from "node:buffer";
import { type Entry, fromRandomAccessReaderPromise, getFileNameLowLevel, RandomAccessReader } from "yauzl";
import type { ArchiveFile } from "./archiveFile";
import { type ArchiveEntry, checkEntry, OTHER_KINDS, type OtherKind } from "./entry";
import { tarName } from "./readTarHeader";
import {
  BROKEN,
  bundleRefusal,
  entryRefusal,
  raise,
  REFUSAL_REMEDIES,
  type Remedy,
  shown,
  UNSAFE,
} from "./refusal";
import type { SiteLimits } from "./siteSink";
import { boundUnpacked } from "./unpackedBound";
import { WORK_PER_ENTRY, Yielder } from "./yielder";

/** An entry as the directory describes it, checked as far as possible without the archive's content. */
export interface ZipEntry {
  readonly name: string;
  /** The name as the archive has it. */
  readonly rawName: Buffer;
  readonly kind: "file" | "folder";
  /** Of the content, in bytes. */
  readonly size: number;
  /** In the archive, in bytes. */
  readonly packedSize: number;
  readonly crc32: number;
  readonly isDeflated: boolean;
  /** Of its header in the archive. */
  readonly offset: number;
}

/** Average size of a directory entry in bytes: a name, and the metadata that systems add. */
const BYTES_PER_ENTRY = 512;
const FURTHER_BYTES = 128 * 1_024;
/** The directory is held in memory. */
const MAX_BYTES = 256 * 1_024 * 1_024;

/** Flags of encrypted entries: traditional, strong, and masked headers, see APPNOTE.TXT 4.4.4. */
export const ENCRYPTED = 0x2041;
const STORED = 0;
/** Compression methods, see APPNOTE.TXT 4.4.5. */
export const DEFLATED = 8;
/** Records at the end, see APPNOTE.TXT 4.3.14 to 4.3.16: size without a comment; of zip64, signature, and size besides what it states. */
const END_RECORD_BYTES = 22;
const ZIP64_SIGNATURE = 0x06064b50;
const ZIP64_LOCATOR_SIGNATURE = 0x07064b50;
const ZIP64_LOCATOR_BYTES = 20;
const ZIP64_FURTHER_BYTES = 12 + ZIP64_LOCATOR_BYTES;
const UTF_8_NAME = 0x800;
const UNICODE_PATH = 0x7075;

/** Kinds of entries: the highest four bits of a Unix mode. */
const { link, device, fifo, socket } = OTHER_KINDS;
const KINDS: Readonly<Record<number, OtherKind>> = { 10: link, 6: device, 2: device, 1: fifo, 12: socket };
const FOLDER_TYPE = 4;
const REGULAR_TYPE = 8;

/** The directory at the end of a zip. */
interface ZipDirectory {
  /** In the order of the archive. */
  readonly entries: readonly ZipEntry[];
  /** Where it begins; it extends to the end. */
  readonly offset: number;
}

/**
 * Reads the directory of a zip. yauzl parses its formats (zip64, names in old character sets). It does not verify
 * that the directory lists the whole archive, that entries do not overlap and that checksums are right: `readZip` does.
 *
 * @throws BundleRefusedError
 */
export async function readDirectory(
  file: ArchiveFile,
  limits: SiteLimits,
  signal: AbortSignal,
): Promise<ZipDirectory> {
  try {
    return await directoryOf(file, limits, new Yielder(signal));
  } catch (error) {
    signal.throwIfAborted();
    // yauzl's own errors have no class: their messages are about the format
    if (!(error instanceof Error) || error.constructor !== Error || "code" in error) throw error;
    const remedy = /multi-disk/i.test(error.message) ? REFUSAL_REMEDIES.splitZip : BROKEN;
    throw bundleRefusal(`is broken: its directory cannot be read (${shown(error.message)})`, remedy);
  }
}

async function directoryOf(file: ArchiveFile, limits: SiteLimits, turns: Yielder): Promise<ZipDirectory> {
  const reader = new PeekReader(file);
  const zip = await fromRandomAccessReaderPromise(reader, file.size, {
    autoClose: false,
    decodeStrings: false, // its rules for names differ from ours
  });
  // before reading any of the entries; one may be the archive's own root
  if (zip.entryCount > limits.files + 1) {
    throw bundleRefusal(`contains more than ${limits.files} files and folders`, raise("files"));
  }
  // offset of the next entry: yauzl's type for it is wrong
  const cursor = (): number => Number(zip.readEntryCursor);
  const offset = cursor();
  const length = file.size - offset;
  if (!(length > 0)) throw bundleRefusal("is broken: its directory is missing", BROKEN);
  if (length > Math.min(MAX_BYTES, FURTHER_BYTES + zip.entryCount * BYTES_PER_ENTRY)) {
    throw bundleRefusal(`has a directory of ${length} bytes for ${zip.entryCount} files and folders`, UNSAFE);
  }
  const bytes = await file.peek(offset, length);
  reader.held = { bytes, offset };
  const entries: ZipEntry[] = [];
  let unpackedBytes = 0;
  for await (const entry of zip.eachEntry()) {
    await turns.take(WORK_PER_ENTRY);
    entries.push(checkedEntry(entry));
    unpackedBytes += entry.uncompressedSize;
    boundUnpacked(unpackedBytes, file.size, limits);
  }
  if (!isEndAt(cursor() - offset, bytes, zip.comment)) {
    throw bundleRefusal("is broken: its directory has more entries than declared", BROKEN);
  }
  return { entries: entries.sort((a, b) => a.offset - b.offset), offset };
}

/** Gives yauzl the archive's bytes: the directory from memory, so that it is read once. */
class PeekReader extends RandomAccessReader {
  readonly #file: ArchiveFile;
  /** What is held in memory, and its offset in the archive. */
  held: { readonly bytes: Buffer; readonly offset: number } | undefined;

  constructor(file: ArchiveFile) {
    super();
    this.#file = file;
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null, bytesRead?: number) => void,
  ): void {
    if (this.held && position >= this.held.offset) {
      const from = position - this.held.offset;
      return callback(null, this.held.bytes.subarray(from, from + length).copy(buffer, offset));
    }
    this.#file.peek(position, length).then((bytes) => callback(null, bytes.copy(buffer, offset)), callback);
  }
}

/** Whether entries are followed by the directory's end record, and by that of zip64 if any: nothing hides there. */
function isEndAt(position: number, directory: Buffer, comment: { readonly length: number }): boolean {
  const gap = directory.length - END_RECORD_BYTES - comment.length - position;
  const isZip64 = (): boolean =>
    directory.readUInt32LE(position) === ZIP64_SIGNATURE &&
    directory.readUInt32LE(position + gap - ZIP64_LOCATOR_BYTES) === ZIP64_LOCATOR_SIGNATURE &&
    ZIP64_FURTHER_BYTES + Number(directory.readBigUInt64LE(position + 4)) === gap;
  return gap === 0 || (gap >= ZIP64_FURTHER_BYTES && isZip64());
}

function checkedEntry(entry: Entry): ZipEntry {
  // without decodeStrings the name is its bytes; they are compared exactly
  const rawName = Buffer.from(entry.fileNameRaw);
  const name = textOf(entry, rawName);
  const refuse = (problem: string, remedy: Remedy = UNSAFE): never => {
    throw entryRefusal(name, problem, remedy);
  };
  if (entry.generalPurposeBitFlag & ENCRYPTED) refuse("is encrypted", REFUSAL_REMEDIES.encrypted);
  const { compressionMethod: method } = entry;
  if (method !== STORED && method !== DEFLATED) {
    refuse(`is compressed by method ${method}; only 0 and 8 are supported`, REFUSAL_REMEDIES.method);
  }
  const mode = entry.externalFileAttributes >>> 16; // Unix mode, if the packer stored one
  const type = mode >>> 12;
  const kind: ArchiveEntry["kind"] = name.endsWith("/") ? "folder" : "file";
  if (type !== 0 && type !== REGULAR_TYPE && type !== FOLDER_TYPE) {
    refuse(...(KINDS[type] ?? (["is neither a file nor a folder", UNSAFE] as const)));
  }
  if (type === FOLDER_TYPE && kind === "file") refuse("is a folder with the name of a file");
  const { crc32, uncompressedSize: size, compressedSize: packedSize } = entry;
  const { relativeOffsetOfLocalHeader: offset } = entry;
  checkEntry({ name, kind, size }, type === 0 ? 0 : mode);
  const isDeflated = method === DEFLATED;
  return { name, rawName, kind, size, packedSize, crc32, isDeflated, offset };
}

/**
 * The name of an entry. Entries declare their character set, except those that macOS packs: a name that is valid UTF-8 is UTF-8.
 */
function textOf({ generalPurposeBitFlag: flags, extraFields }: Entry, rawName: Buffer): string {
  if (flags & UTF_8_NAME) {
    tarName(rawName);
  } // refuses what is not
  else if (isUtf8(rawName) && !extraFields.some(({ id }) => id === UNICODE_PATH)) return rawName.toString();
  return getFileNameLowLevel(flags, rawName, extraFields, true);
}
