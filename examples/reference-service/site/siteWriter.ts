import { createHash } from "node:crypto";
import { mkdir, open } from "node:fs/promises";
import { dirname, join } from "node:path";

/** Seconds since 1970: 1980-01-01, the earliest time that every archive format and tool accepts. */
const EARLIEST_MTIME_S = 315_532_800;

/** Seconds in ten years: the range of the times derived below, all of them well in the past. */
const MTIME_RANGE_S = 315_360_000;

/** Writes the files of a site: the same content always has the same metadata, on any machine and day and for any user. */
export class SiteWriter {
  readonly #folder: string;
  readonly #files: string[] = [];

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Every address written so far, sorted. */
  get files(): readonly string[] {
    return [...this.#files].sort();
  }

  async write(address: string, content: string | Buffer): Promise<void> {
    const path = join(this.#folder, address);
    await mkdir(dirname(path), { recursive: true });
    const file = await open(path, "wx");
    try {
      await file.writeFile(content);
      await file.chmod(0o644); // independent of the umask
      const mtimeS = contentTime(content);
      await file.utimes(mtimeS, mtimeS);
    } finally {
      await file.close();
    }
    this.#files.push(address);
  }
}

/**
 * A modification time that depends only on the content. One fixed time for all would be simpler, but web servers derive their
 * ETag from time and size: an edit that keeps the size would look unchanged to every browser cache.
 */
function contentTime(content: string | Buffer): number {
  const digest = createHash("sha256").update(content).digest();
  return EARLIEST_MTIME_S + (digest.readUInt32BE() % MTIME_RANGE_S);
}
