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
 * Packs files into one `.tar.gz` whose bytes depend only on names and contents: entries in the given order and without
 * user or device, times and modes as `SiteWriter` sets them, and nothing of this machine in the gzip header.
 *
 * @returns the archive's SHA-256 as hexadecimal digits
 */
export async function packArchive(folder: string, files: readonly string[], target: string): Promise<string> {
  // not tar's `create`: for that, a file whose name begins with "@" is another archive, whose entries it would take over
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
