import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { open } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { Pack } from "tar";

/** Byte of the gzip header that names the operating system, and the value for «unknown» (RFC 1952, 2.3.1). */
const GZIP_OS_OFFSET = 9;
const GZIP_OS_UNKNOWN = 0xff;

/**
 * Packs files into one `.tar.gz` whose bytes depend only on names and contents. Entries are in the given order and without user
 * or device, with the times and modes that `SiteWriter` sets; the gzip header contains nothing of this machine.
 *
 * @returns the archive's SHA-256 as hexadecimal digits
 */
export async function packArchive(folder: string, files: readonly string[], target: string): Promise<string> {
  // not tar's `create`: it reads a file whose name begins with "@" as an archive and copies its entries
  const entries = new Pack({ cwd: folder, portable: true, strict: true, preservePaths: true });
  for (const file of files) entries.add(file);
  entries.end();
  // tar's stream is no Node stream, but iterates like one
  await pipeline(entries as AsyncIterable<Buffer>, createGzip(), createWriteStream(target));
  const archive = await open(target, "r+");
  await archive.write(Buffer.from([GZIP_OS_UNKNOWN]), 0, 1, GZIP_OS_OFFSET);
  await archive.close();
  const digest = createHash("sha256");
  await pipeline(createReadStream(target), digest);
  return digest.digest("hex");
}
