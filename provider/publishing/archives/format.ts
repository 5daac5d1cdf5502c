import { type FileHandle, open } from "node:fs/promises";
import {
  BROKEN,
  broken,
  bundleRefusal,
  DOWNLOAD_AGAIN,
  PACK_AGAIN,
  recompress,
  REFUSAL_REMEDIES,
  type Remedy,
} from "./refusal";

/** The format of a bundle: the ending of its file. */
export type ArchiveFormat = "tar.gz" | "zip";

interface FormatFacts {
  readonly mediaType: string;
  /** The first bytes, latin1. */
  readonly begin: RegExp;
}

/**
 * The formats of bundles, by the ending of their files. Each needs a row here, and a reader in
 * `inspection/bundle.ts`.
 */
export const ARCHIVE_FORMATS: Readonly<Record<ArchiveFormat, FormatFacts>> = {
  "tar.gz": { mediaType: "application/gzip", begin: /^\x1f\x8b\x08/ },
  // the second is a zip without entries, which is refused later
  zip: { mediaType: "application/zip", begin: /^PK(?:\x03\x04|\x05\x06)/ },
};

const FORMATS = Object.keys(ARCHIVE_FORMATS) as ArchiveFormat[];

const INSTEAD = `instead of ${FORMATS.join(" or ")}`;

/** The name of an archive in a folder or bucket: its digest, a dot and its format. */
export const ARCHIVE_NAME: RegExp = new RegExp(
  `^([0-9a-f]{64})\\.(?:${FORMATS.map((format) => format.replaceAll(".", "\\.")).join("|")})$`,
);

/** Size of the record at the end of a zip without a comment. */
const END_RECORD_BYTES = 22;

/** Enough bytes to recognise an uncompressed tar. */
const FIRST_BYTES = 512;

const GIT_LFS = broken("Fetch the file itself: `git lfs pull`.");

/** Other formats, by their first bytes (latin1). */
const OTHERS: readonly (readonly [begin: RegExp, what: string, remedy: Remedy])[] = [
  [
    /^\s*<(?:!doctype html|html|head|body)\b/i,
    "is a web page, perhaps of a proxy or a login, instead of an archive",
    DOWNLOAD_AGAIN,
  ],
  [
    /^\s*<\?xml|^\s*<Error\b/,
    "is an XML text, perhaps a store's error, instead of an archive",
    DOWNLOAD_AGAIN,
  ],
  [/^\s*[{[]/, "is a JSON text, perhaps an error, instead of an archive", DOWNLOAD_AGAIN],
  [/^version https:\/\/git-lfs/, "is a pointer of Git LFS, instead of an archive", GIT_LFS],
  [/^PK\x07\x08/, "is one part of a split zip", REFUSAL_REMEDIES.splitZip],
  [/^\x28\xb5\x2f\xfd/, `is compressed with zstd, ${INSTEAD}`, recompress("zstd -dc site.tar.zst")],
  [/^\xfd7zXZ/, `is compressed with xz, ${INSTEAD}`, recompress("xz -dc site.tar.xz")],
  [/^BZh/, `is compressed with bzip2, ${INSTEAD}`, recompress("bzip2 -dc site.tar.bz2")],
  [/^7z\xbc\xaf/, `is a 7z archive, ${INSTEAD}`, PACK_AGAIN],
  [/^Rar!/, `is a RAR archive, ${INSTEAD}`, PACK_AGAIN],
  [/^LZIP/, `is compressed with lzip, ${INSTEAD}`, recompress("lzip -dc site.tar.lz")],
  [/^\x04\x22\x4d\x18/, `is compressed with lz4, ${INSTEAD}`, recompress("lz4 -dc site.tar.lz4")],
  [/^\x1f\x9d/, `is compressed with compress, ${INSTEAD}`, recompress("gzip -dc site.tar.Z")],
  [/^(?:07070[127]|\xc7\x71|\x71\xc7)/, `is a cpio archive, ${INSTEAD}`, PACK_AGAIN],
  [/^.{257}ustar/s, `is a tar without compression, ${INSTEAD}`, recompress("cat site.tar")],
  [/^MZ/, `is a program of Windows, perhaps an archive that unpacks itself, ${INSTEAD}`, PACK_AGAIN],
];

/**
 * Detects a bundle's format from its first bytes, never from a name or a server's header.
 *
 * @throws BundleRefusedError that names what was found instead; the error of the file system
 */
export async function archiveFormat(path: string): Promise<ArchiveFormat> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(FIRST_BYTES), 0, FIRST_BYTES, 0);
    const begin = buffer.toString("latin1", 0, bytesRead);
    const format = FORMATS.find((each) => ARCHIVE_FORMATS[each].begin.test(begin));
    if (format !== undefined) return format;
    if (bytesRead === 0) throw bundleRefusal("is empty", BROKEN);
    const known = OTHERS.find(([pattern]) => pattern.test(begin));
    const bytes = buffer.subarray(0, Math.min(bytesRead, 8)).toString("hex");
    if (known) throw bundleRefusal(known[1], known[2]);
    if (await endsAsPart(file)) {
      throw bundleRefusal("is the last part of a split zip", REFUSAL_REMEDIES.splitZip);
    }
    throw bundleRefusal(
      `is neither a ${FORMATS.join(" nor a ")}: it begins with the bytes ${bytes}`,
      PACK_AGAIN,
    );
  } finally {
    await file.close();
  }
}

/** Whether the record at the end of a file says that its zip has parts before it, see APPNOTE.TXT 4.3.16. */
async function endsAsPart(file: FileHandle): Promise<boolean> {
  const record = Buffer.alloc(END_RECORD_BYTES);
  const { size } = await file.stat();
  await file.read(record, 0, END_RECORD_BYTES, Math.max(0, size - END_RECORD_BYTES));
  return record.toString("latin1", 0, 4) === "PK\x05\x06" && record.readUInt16LE(4) > 0;
}
