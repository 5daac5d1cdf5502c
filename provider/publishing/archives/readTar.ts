import { pipeline, type Transform } from "node:stream";
import { createGunzip } from "node:zlib";
import type { ArchiveFile } from "./archiveFile";
import { ByteReader, partlyReadable, skipRest } from "./byteReader";
import { type ArchiveEntry, checkEntry, OTHER_KINDS, type OtherKind } from "./entry";
import {
  isZeroBlock,
  type Overrides,
  parseAttributes,
  parseHeader,
  type TarHeader,
  tarName,
  textIn,
  withOverrides,
} from "./readTarHeader";
import { BROKEN, bundleRefusal, entryRefusal, REFUSAL_REMEDIES, UNSAFE } from "./refusal";
import type { SiteLimits } from "./siteSink";
import { BLOCK_BYTES, paddingOf } from "./tarFormat";
import { boundUnpacked } from "./unpackedBound";

const INFLATED_CHUNK_BYTES = 256 * 1_024;

/** Maximum size of attributes or a long name, each: enough for access lists and signatures of files. */
const MAX_METADATA_BYTES = 1_024 * 1_024;

/** Maximum number of headers with attributes or long names before one entry: real tars have at most three. */
const MAX_METADATA_HEADERS = 8;

/** Size of a tar besides its files: headers, attributes, and zeros at the end. */
const HEADER_BYTES_PER_FILE = 4_096;
const MAX_FURTHER_BYTES = 16 * 1_024 * 1_024;

const { link, device, fifo, sparse } = OTHER_KINDS;
const KINDS: Readonly<Record<string, OtherKind>> = { 2: link, 3: device, 4: device, 6: fifo, S: sparse };

/**
 * Reads a tar.gz from its start to its very end.
 *
 * We use our own reader because existing ones are too lenient (modern-tar 0.8.6 in strict mode was the strictest of three). They
 * read sparse files and every unknown kind of entry as files, and hide the original kind, so that no additional check could see
 * it. They replace characters that are not UTF-8, drop a byte order mark from a name and the content of `folder/`, and stop
 * reading attributes at an error. This reader skips and repairs nothing: it refuses what two programs could read in two ways.
 *
 * @throws BundleRefusedError; the signal's reason
 */
export async function* readTarGz(
  file: ArchiveFile,
  limits: SiteLimits,
  signal: AbortSignal,
): AsyncGenerator<ArchiveEntry, void, undefined> {
  const tar = new ByteReader(gunzipped(file, limits, signal));
  try {
    for (;;) {
      const header = await nextHeader(tar);
      if (header === undefined) break;
      const entry = checkedEntry(header);
      const pieces = tar.pieces(entry.size);
      yield { ...entry, content: partlyReadable(pieces) };
      await skipRest(pieces);
      await tar.exactly(paddingOf(entry.size));
    }
    let rest: Buffer | undefined = await tar.exactly(BLOCK_BYTES); // two blocks of zeros are the end
    for (; rest !== undefined; rest = await tar.some(Infinity)) {
      if (rest.some((byte) => byte !== 0)) {
        throw bundleRefusal("continues after its end", REFUSAL_REMEDIES.appended);
      }
    }
  } finally {
    await tar.close();
  }
}

/** Unpacks the archive, and checks the limits during unpacking. */
async function* gunzipped(
  file: ArchiveFile,
  limits: SiteLimits,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const furtherBytes = limits.files * HEADER_BYTES_PER_FILE + MAX_FURTHER_BYTES;
  const gunzip = createGunzip({ chunkSize: INFLATED_CHUNK_BYTES });
  let unpackedBytes = 0;
  try {
    for await (const chunk of passedThrough(file.chunks(signal), gunzip)) {
      signal.throwIfAborted();
      unpackedBytes += chunk.length;
      boundUnpacked(unpackedBytes, gunzip.bytesWritten, limits, furtherBytes);
      yield chunk;
    }
  } catch (error) {
    throw isOfZlib(error)
      ? bundleRefusal(`is broken: its compressed data is invalid (${error.code})`, BROKEN)
      : error;
  }
  // zlib ignores what follows a member and is not another member
  if (gunzip.bytesWritten !== file.size) {
    throw bundleRefusal("continues after the end of its compression", REFUSAL_REMEDIES.appended);
  }
}

/** What a stream makes of content. Its iterator ends both, and throws the error of either. */
export function passedThrough(content: AsyncIterable<Buffer>, stream: Transform): AsyncIterable<Buffer> {
  return pipeline(content, stream, () => undefined);
}

/** Whether zlib threw the error: the compressed data is invalid. */
export function isOfZlib(error: unknown): error is Error & { readonly code: string } {
  return error instanceof Error && "code" in error && /^Z_/.test(String(error.code));
}

/** The next entry's header, with the preceding attributes and long names applied; `undefined` at the end. */
async function nextHeader(tar: ByteReader): Promise<TarHeader | undefined> {
  let overrides: Overrides = {};
  for (let metadata = 0; ; metadata++) {
    const block = await tar.exactly(BLOCK_BYTES);
    if (isZeroBlock(block)) {
      if (Object.keys(overrides).length > 0) throw bundleRefusal("is broken: an entry is missing", BROKEN);
      return undefined;
    }
    const header = parseHeader(block);
    if (!/^[xgLK]$/.test(header.type)) return withOverrides(header, overrides);
    if (metadata === MAX_METADATA_HEADERS) {
      throw bundleRefusal("has too many attribute headers before an entry", UNSAFE);
    }
    if (header.size > MAX_METADATA_BYTES) {
      throw bundleRefusal(`has a name or attributes of ${header.size} bytes before an entry`, UNSAFE);
    }
    const content = Buffer.from(await tar.exactly(header.size));
    await tar.exactly(paddingOf(header.size));
    const further = /[xg]/.test(header.type)
      ? parseAttributes(content, header.type === "g")
      : { [header.type === "L" ? "name" : "link"]: textIn(content) };
    if ((overrides.name && further.name) || (overrides.link && further.link)) {
      throw bundleRefusal("names an entry twice", UNSAFE);
    }
    overrides = { ...overrides, ...further };
  }
}

function checkedEntry({ name: bytes, type, size, mode, link }: TarHeader): Omit<ArchiveEntry, "content"> {
  const name = tarName(bytes);
  if (type === "1") {
    // some programs read a content after such a header, and some do not
    if (size > 0) {
      throw entryRefusal(name, `is a hard link with a content of ${size} bytes`, REFUSAL_REMEDIES.hardLink);
    }
    return { name, kind: "file", size, linkTo: tarName(link) };
  }
  if (type !== "0" && type !== "5") {
    const shownType = /^[!-~]$/.test(type) ? type : `0x${Buffer.from(type, "latin1").toString("hex")}`;
    const other = `is neither a file nor a folder, but an entry of type «${shownType}»`;
    throw entryRefusal(name, ...(KINDS[type] ?? ([other, REFUSAL_REMEDIES.metadata] as const)));
  }
  const kind = type === "5" || name.endsWith("/") ? "folder" : "file"; // old tars mark folders with a slash
  const entry = { name, kind, size } as const;
  checkEntry(entry, mode);
  return entry;
}
