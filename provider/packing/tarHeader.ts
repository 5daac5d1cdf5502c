/** Size of all that a tar archive is made of, in bytes. */
export const BLOCK_BYTES = 512;

/** An entry of an archive. */
export interface TarEntry {
  /** With `/`; that of a folder ends with one. */
  readonly path: string;
  readonly size: number;
  /** When it was changed, in seconds since 1970. @default 0 */
  readonly time?: number;
  /** A program. @default false */
  readonly isExecutable?: boolean;
}

/** Longest values of a header's own fields. */
const NAME_BYTES = 100;
const MAX_SIZE = 8 ** 11 - 1;

/**
 * The header of an entry, in POSIX's form (pax): of the superuser, readable to all. Ours because the bytes decide
 * about the digest of an image: no other release of a library may change them.
 */
export function tarHeader({ path, size, time = 0, isExecutable = false }: TarEntry): Buffer {
  const isFolder = path.endsWith("/");
  const mode = isFolder || isExecutable ? 0o755 : 0o644;
  const records: Record<string, string> = {};
  if (Buffer.byteLength(path) > NAME_BYTES || /[^\x20-\x7e]/.test(path)) records["path"] = path;
  if (size > MAX_SIZE) records["size"] = String(size);
  const own = block(path, records["size"] === undefined ? size : 0, isFolder ? "5" : "0", mode, time);
  if (Object.keys(records).length === 0) return own;
  const content = Buffer.from(Object.entries(records).map(paxRecord).join(""));
  return Buffer.concat([block("././@PaxHeader", content.length, "x", 0o644, time), padded(content), own]);
}

/** What follows the content of an entry, so that the next one begins with a block. */
export function tarPadding(size: number): Buffer {
  return Buffer.alloc((BLOCK_BYTES - (size % BLOCK_BYTES)) % BLOCK_BYTES);
}

/** What ends an archive. */
export function tarEnd(): Buffer {
  return Buffer.alloc(2 * BLOCK_BYTES);
}

function block(path: string, size: number, type: string, mode: number, time: number): Buffer {
  const header = Buffer.alloc(BLOCK_BYTES);
  const octal = (value: number, at: number, length: number): void => {
    header.write(value.toString(8).padStart(length - 1, "0"), at);
  };
  // a name that is too long is in the record before
  Buffer.from(path).copy(header, 0, 0, NAME_BYTES);
  octal(mode, 100, 8);
  octal(0, 108, 8); // user
  octal(0, 116, 8); // group
  octal(size, 124, 12);
  octal(time, 136, 12);
  header.fill(" ", 148, 156); // the sum counts itself as spaces
  header.write(type, 156);
  header.write("ustar\0" + "00", 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return header;
}

/** `LENGTH NAME=VALUE`, in which the length counts its own digits. */
function paxRecord([name, value]: [string, string]): string {
  const rest = Buffer.byteLength(` ${name}=${value}\n`);
  const length = rest + String(rest + String(rest).length).length;
  return `${length} ${name}=${value}\n`;
}

function padded(content: Buffer): Buffer {
  return Buffer.concat([content, tarPadding(content.length)]);
}
