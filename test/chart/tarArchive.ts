import { gzipSync } from "node:zlib";

/** An entry of a tar, as strange as the header format permits: real packers refuse to write most of it. */
export interface Entry {
  name: string;
  content?: string | Buffer;
  /**
   * "0" file, "1" hard link, "2" symbolic link, "3" character device, "4" block device, "5" folder, "6" fifo, "S" sparse, "L" long name.
   * @default "0"
   */
  type?: string;
  linkName?: string;
  mode?: number;
  /** Seconds since 1970. @default another one for each entry */
  time?: number;
  userName?: string;
  /** The size in the header, when it differs from the true one. */
  size?: number;
  /** Of a sparse file: the number of zero bytes that it unpacks to. */
  sparseSize?: number;
}

const BLOCK = 512;

export function tar(entries: readonly Entry[], end: Buffer = Buffer.alloc(2 * BLOCK)): Buffer {
  return Buffer.concat([...entries.flatMap((entry, index) => blocksOf(entry, index)), end]);
}

export function tarGz(entries: readonly Entry[]): Buffer {
  return gzipSync(tar(entries));
}

/** The smallest site: a start page, a page in a folder. */
export const SITE: readonly Entry[] = [
  { name: "index.html", content: "<h1>Start</h1>" },
  { name: "guide.html", content: "<h1>Guide</h1>" },
  { name: "folder/", type: "5", mode: 0o755 },
  { name: "folder/index.html", content: "<h1>Folder</h1>" },
];

function blocksOf(entry: Entry, index: number): Buffer[] {
  const content = Buffer.from(entry.content ?? "");
  const header = Buffer.alloc(BLOCK);
  header.write(entry.name, 0, 100);
  header.write(octal(entry.mode ?? 0o644, 8), 100);
  header.write(octal(0, 8), 108);
  header.write(octal(0, 8), 116);
  header.write(octal(entry.size ?? content.length, 12), 124);
  header.write(octal(entry.time ?? 600_000_000 + index, 12), 136);
  header.write(" ".repeat(8), 148);
  header.write(entry.type ?? "0", 156);
  header.write(entry.linkName ?? "", 157, 100);
  header.write("ustar\u000000", 257, "latin1");
  header.write(entry.userName ?? "", 265, 32);
  if (entry.sparseSize !== undefined) {
    header.write("ustar  \0", 257, "latin1"); // GNU's own format
    header.write(octal(entry.sparseSize, 12), 386); // the one piece of data, none, is at the end
    header.write(octal(0, 12), 398);
    header.write(octal(entry.sparseSize, 12), 483);
  }
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return [header, content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)];
}

function octal(value: number, width: number): string {
  return `${value.toString(8).padStart(width - 1, "0")}\0`;
}
