import { crc32, createInflateRaw, inflateRawSync } from "node:zlib";
import type { ArchiveFile } from "./archiveFile";
import { ByteReader, partlyReadable, skipRest } from "./byteReader";
import type { ArchiveEntry } from "./entry";
import { isOfZlib, passedThrough } from "./readTar";
import { BROKEN, bundleRefusal, entryRefusal, UNSAFE } from "./refusal";
import type { SiteLimits } from "./siteSink";
import { DEFLATED, ENCRYPTED, readDirectory, type ZipEntry } from "./zipDirectory";

const INFLATED_CHUNK_BYTES = 256 * 1_024;

/** Content up to this size in bytes, packed and unpacked, is unpacked in one call of some milliseconds. */
const SMALL_BYTES = 512 * 1_024;

const LOCAL_HEADER_BYTES = 30;
const LOCAL_SIGNATURE = 0x04034b50;
const DESCRIPTOR_SIGNATURE = 0x08074b50;
const LONGEST_DESCRIPTOR = 24;
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
  const { entries, offset } = await readDirectory(file, limits, signal);
  const bytes = new ByteReader(file.chunks(signal));
  try {
    if ((entries[0]?.offset ?? offset) > 0) throw hidden();
    for (const [index, entry] of entries.entries()) {
      const next = entries[index + 1]?.offset ?? offset;
      const { length, hasDescriptor } = await localHeader(bytes, entry);
      const end = entry.offset + length + entry.packedSize;
      if (end > next) throw entryRefusal(entry.name, "overlaps with another", UNSAFE);
      const pieces = checkedPieces(bytes, entry, signal);
      yield { name: entry.name, kind: entry.kind, size: entry.size, content: partlyReadable(pieces) };
      await skipRest(pieces);
      if (next > end) {
        const record = await bytes.exactly(Math.min(next - end, LONGEST_DESCRIPTOR + 1));
        if (!hasDescriptor || !isDescriptor(record, entry)) throw hidden();
      }
    }
    while ((await bytes.some(Infinity)) !== undefined); // the directory, for the digest
  } finally {
    await bytes.close();
  }
}

function hidden(): Error {
  return bundleRefusal("contains data that its directory does not list", UNSAFE);
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
  if (!isSame) {
    throw entryRefusal(entry.name, "has another header in the directory than in its place", UNSAFE);
  }
  return { length: LOCAL_HEADER_BYTES + nameBytes + furtherBytes, hasDescriptor };
}

/** Whether a record is the entry's data descriptor: checksum and sizes that were unknown when the header was written. */
function isDescriptor(record: Buffer, { crc32: sum, packedSize, size }: ZipEntry): boolean {
  const forms = [
    Uint32Array.of(sum, packedSize, size), // packers may leave out the signature
    Uint32Array.of(DESCRIPTOR_SIGNATURE, sum, packedSize, size),
    Uint32Array.of(sum, ...of64Bits(packedSize), ...of64Bits(size)),
    Uint32Array.of(DESCRIPTOR_SIGNATURE, sum, ...of64Bits(packedSize), ...of64Bits(size)),
  ];
  return forms.some(({ buffer }) => record.equals(Buffer.from(buffer)));
}

const of64Bits = (value: number): readonly [low: number, high: number] => [value, value / 2 ** 32];

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
    if (size > entry.size) throw tooLong(entry);
    sum = crc32(piece, sum);
    yield piece;
  }
  if (size !== entry.size) throw entryRefusal(entry.name, "has fewer bytes than declared", BROKEN);
  if (sum !== entry.crc32) throw entryRefusal(entry.name, "has a wrong checksum", BROKEN);
}

async function* unpacked(bytes: ByteReader, entry: ZipEntry): AsyncGenerator<Buffer, void, undefined> {
  const { size, packedSize, isDeflated } = entry;
  if (!isDeflated) return yield* bytes.pieces(packedSize);
  const chunkSize = Math.max(64, Math.min(INFLATED_CHUNK_BYTES, size + 1));
  let usedBytes: number;
  try {
    // a stream for each of thousands of small files would take ten times as long
    if (Math.max(size, packedSize) <= SMALL_BYTES) {
      const options = { chunkSize, maxOutputLength: size + 1, info: true };
      const result: unknown = inflateRawSync(await bytes.exactly(packedSize), options);
      const { buffer, engine } = result as { buffer: Buffer; engine: { bytesWritten: number } };
      yield buffer;
      usedBytes = engine.bytesWritten;
    } else {
      const inflate = createInflateRaw({ chunkSize });
      yield* passedThrough(bytes.pieces(packedSize), inflate);
      usedBytes = inflate.bytesWritten;
    }
  } catch (error) {
    if (isOfZlib(error)) {
      throw entryRefusal(entry.name, `is broken: its compressed data is invalid (${error.code})`, BROKEN);
    }
    throw error instanceof RangeError ? tooLong(entry) : error;
  }
  // zlib ignores what follows the end of compressed content
  if (usedBytes !== packedSize) {
    throw entryRefusal(entry.name, "continues after the end of its compression", UNSAFE);
  }
}

function tooLong({ name }: ZipEntry): Error {
  return entryRefusal(name, "has more bytes than declared", UNSAFE);
}
