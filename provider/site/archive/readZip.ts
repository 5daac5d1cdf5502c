import { Readable } from "node:stream";
import { crc32, createInflateRaw, inflateRawSync } from "node:zlib";
import type { ArchiveFile } from "./archiveFile";
import { ByteReader, skipRest, unended } from "./byteReader";
import type { ArchiveEntry } from "./entry";
import { BROKEN, entryRefusal, refusal, UNSAFE } from "./refusal";
import type { SiteLimits } from "./site";
import { isOfZlib } from "./readTar";
import { DEFLATED, ENCRYPTED, readDirectory, type ZipEntry } from "./zipDirectory";

const INFLATED_CHUNK_BYTES = 256 * 1_024;

/** Content up to this size in bytes, packed and unpacked, is unpacked in one call of some milliseconds. */
const SMALL_BYTES = 512 * 1_024;

const LOCAL_HEADER_BYTES = 30;
const LOCAL_SIGNATURE = 0x04034b50;
const DESCRIPTOR_SIGNATURE = 0x08074b50;
const HAS_DESCRIPTOR = 8;
/** Replaces a size that is stored elsewhere (zip64). */
const ELSEWHERE = 0xffffffff;

/**
 * Reads a zip from its start to its very end, in the order of its entries, including the directory at the end. Every byte
 * belongs to one entry or to the directory, and both must agree. It refuses what two programs could read in two ways: entries
 * that overlap, that the directory does not list, or that have two names.
 *
 * @throws BundleRefusedError; the signal's reason
 */
export async function* readZip(
  file: ArchiveFile,
  limits: SiteLimits,
  signal: AbortSignal,
): AsyncGenerator<ArchiveEntry, void, undefined> {
  const directory = await readDirectory(file, limits, signal);
  const bytes = new ByteReader(file.chunks(signal));
  try {
    let position = 0;
    for (const [index, entry] of directory.entries.entries()) {
      if (entry.offset < position) throw entryRefusal(entry.name, "overlaps with another", UNSAFE);
      if (entry.offset > position) throw hidden();
      const next = directory.entries[index + 1]?.offset ?? directory.offset;
      const { length, hasDescriptor } = await localHeader(bytes, entry);
      const end = position + length + entry.packedSize;
      if (end > next) throw entryRefusal(entry.name, "overlaps with another", UNSAFE);
      const pieces = checkedPieces(bytes, entry, signal);
      yield { name: entry.name, kind: entry.kind, size: entry.size, content: unended(pieces) };
      await skipRest(pieces);
      if (next > end) await descriptor(bytes, entry, next - end, hasDescriptor);
      position = next;
    }
    if (position !== directory.offset) throw hidden();
    let comparedBytes = 0;
    for (let piece; (piece = await bytes.some(Infinity)) !== undefined; comparedBytes += piece.length) {
      if (!piece.equals(directory.bytes.subarray(comparedBytes, comparedBytes + piece.length)))
        throw changed();
    }
    if (comparedBytes !== directory.bytes.length) throw changed();
  } finally {
    await bytes.close();
  }
}

function changed(): Error {
  return refusal("was changed while it was read", BROKEN);
}

function hidden(): Error {
  return refusal("contains data that its directory does not list", UNSAFE);
}

/** Reads the header before an entry's content, and compares it with the directory. */
async function localHeader(
  bytes: ByteReader,
  entry: ZipEntry,
): Promise<{ length: number; hasDescriptor: boolean }> {
  const header = Buffer.from(await bytes.exactly(LOCAL_HEADER_BYTES));
  const flags = header.readUInt16LE(6);
  const hasDescriptor = (flags & HAS_DESCRIPTOR) !== 0;
  const nameBytes = header.readUInt16LE(26);
  const furtherBytes = header.readUInt16LE(28);
  const name = Buffer.from(await bytes.exactly(nameBytes));
  await bytes.exactly(furtherBytes);
  const isSameAsListed = (offset: number, value: number): boolean => {
    const found = header.readUInt32LE(offset);
    return found === value || found === ELSEWHERE || (hasDescriptor && found === 0);
  };
  const isSame =
    header.readUInt32LE(0) === LOCAL_SIGNATURE &&
    name.equals(entry.rawName) &&
    (header.readUInt16LE(8) === DEFLATED) === entry.isDeflated &&
    (flags & ENCRYPTED) === 0 &&
    isSameAsListed(14, entry.crc32) &&
    isSameAsListed(18, entry.packedSize) &&
    isSameAsListed(22, entry.size);
  if (!isSame)
    throw entryRefusal(entry.name, "has another header in the directory than in its place", UNSAFE);
  return { length: LOCAL_HEADER_BYTES + nameBytes + furtherBytes, hasDescriptor };
}

/** Reads the data descriptor after an entry's content: checksum and sizes that were unknown when the header was written. */
async function descriptor(
  bytes: ByteReader,
  entry: ZipEntry,
  length: number,
  isAnnounced: boolean,
): Promise<void> {
  if (!isAnnounced || ![12, 16, 20, 24].includes(length)) throw hidden();
  const record = await bytes.exactly(length);
  const isSigned = length === 16 || length === 24;
  const fields = isSigned ? record.subarray(4) : record;
  const sizes =
    fields.length === 12
      ? [fields.readUInt32LE(4), fields.readUInt32LE(8)]
      : [Number(fields.readBigUInt64LE(4)), Number(fields.readBigUInt64LE(12))];
  const isRight =
    (!isSigned || record.readUInt32LE(0) === DESCRIPTOR_SIGNATURE) &&
    fields.readUInt32LE(0) === entry.crc32 &&
    sizes[0] === entry.packedSize &&
    sizes[1] === entry.size;
  if (!isRight) throw hidden();
}

/** Unpacks content, and verifies size and checksum against the directory: yauzl verifies no checksum. */
async function* checkedPieces(
  bytes: ByteReader,
  entry: ZipEntry,
  signal: AbortSignal,
): AsyncGenerator<Buffer, void, undefined> {
  let size = 0;
  let sum = 0;
  for await (const piece of unpacked(bytes, entry)) {
    signal.throwIfAborted();
    size += piece.length;
    if (size > entry.size) throw entryRefusal(entry.name, "has more bytes than declared", UNSAFE);
    sum = crc32(piece, sum);
    yield piece;
  }
  if (size !== entry.size) throw entryRefusal(entry.name, "has fewer bytes than declared", BROKEN);
  if (sum !== entry.crc32) throw entryRefusal(entry.name, "has a wrong checksum", BROKEN);
}

function unpacked(bytes: ByteReader, entry: ZipEntry): AsyncIterable<Buffer> {
  if (!entry.isDeflated) return bytes.pieces(entry.packedSize);
  return Math.max(entry.size, entry.packedSize) <= SMALL_BYTES
    ? inflatedAtOnce(bytes, entry)
    : inflatedByAndBy(bytes, entry);
}

/** A stream for each of thousands of small files would take ten times as long. */
async function* inflatedAtOnce(bytes: ByteReader, entry: ZipEntry): AsyncGenerator<Buffer, void, undefined> {
  const packed = await bytes.exactly(entry.packedSize);
  let result: { buffer: Buffer; engine: { bytesWritten: number } };
  try {
    const options = { chunkSize: chunkSizeFor(entry), maxOutputLength: entry.size + 1, info: true };
    result = inflateRawSync(packed, options) as unknown as typeof result;
  } catch (error) {
    if (!(error instanceof RangeError)) throw compressionError(error, entry);
    throw entryRefusal(entry.name, "has more bytes than declared", UNSAFE);
  }
  checkPackedSize(result.engine.bytesWritten, entry);
  yield result.buffer;
}

async function* inflatedByAndBy(bytes: ByteReader, entry: ZipEntry): AsyncGenerator<Buffer, void, undefined> {
  const inflate = createInflateRaw({ chunkSize: chunkSizeFor(entry) });
  const source = Readable.from(bytes.pieces(entry.packedSize));
  source.on("error", (error) => inflate.destroy(error));
  try {
    yield* source.pipe(inflate) as AsyncIterable<Buffer>;
  } catch (error) {
    throw compressionError(error, entry);
  } finally {
    source.destroy();
    inflate.destroy();
  }
  checkPackedSize(inflate.bytesWritten, entry);
}

function chunkSizeFor({ size }: ZipEntry): number {
  return Math.max(64, Math.min(INFLATED_CHUNK_BYTES, size + 1));
}

function compressionError(error: unknown, entry: ZipEntry): unknown {
  return isOfZlib(error)
    ? entryRefusal(entry.name, `is broken: its compressed data is invalid (${error.code})`, BROKEN)
    : error;
}

/** zlib ignores what follows the end of compressed content. */
function checkPackedSize(usedBytes: number, entry: ZipEntry): void {
  if (usedBytes !== entry.packedSize) {
    throw entryRefusal(entry.name, "continues after the end of its compression", UNSAFE);
  }
}
