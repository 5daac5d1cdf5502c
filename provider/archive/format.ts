import { open } from "node:fs/promises";
import { BROKEN, refusal } from "./refusal";

/** The formats of bundles. */
export type ArchiveFormat = "tar.gz" | "zip";

/** Enough bytes to recognise an uncompressed tar. */
const FIRST_BYTES = 512;

/** Other formats, by their first bytes (latin1). */
const OTHERS: readonly (readonly [begin: RegExp, what: string])[] = [
  [
    /^\s*<(?:!doctype html|html|head|body)\b/i,
    "is a web page, perhaps of a proxy or a login, instead of an archive",
  ],
  [/^\s*<\?xml|^\s*<Error\b/, "is an XML text, perhaps a store's error, instead of an archive"],
  [/^\s*[{[]/, "is a JSON text, perhaps an error, instead of an archive"],
  [/^PK\x07\x08/, "is one part of a split zip"],
  [/^\x28\xb5\x2f\xfd/, "is compressed with zstd, instead of tar.gz or zip"],
  [/^\xfd7zXZ/, "is compressed with xz, instead of tar.gz or zip"],
  [/^BZh/, "is compressed with bzip2, instead of tar.gz or zip"],
  [/^7z\xbc\xaf/, "is a 7z archive, instead of tar.gz or zip"],
  [/^Rar!/, "is a RAR archive, instead of tar.gz or zip"],
  [/^.{257}ustar/s, "is a tar without compression, instead of tar.gz or zip"],
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
    if (begin.startsWith("\x1f\x8b\x08")) return "tar.gz";
    // the second is a zip without entries, which is refused later
    if (begin.startsWith("PK\x03\x04") || begin.startsWith("PK\x05\x06")) return "zip";
    if (bytesRead === 0) throw refusal("is empty", BROKEN);
    const known = OTHERS.find(([pattern]) => pattern.test(begin));
    const bytes = buffer.subarray(0, Math.min(bytesRead, 8)).toString("hex");
    throw refusal(known?.[1] ?? `is neither a tar.gz nor a zip: it begins with the bytes ${bytes}`, BROKEN);
  } finally {
    await file.close();
  }
}
