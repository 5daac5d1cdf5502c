import { BLOCK_BYTES, FIELDS, LARGEST_SIZE, paddingOf, sumOf, USTAR } from "./tarFormat";

/** An entry of a tar. */
interface TarEntry {
  /** With `/`; the path of a folder ends with one. */
  readonly path: string;
  readonly size: number;
  /** Modification time in seconds since 1970. @default 0 */
  readonly time?: number;
  /** Whether the file is executable. @default false */
  readonly isExecutable?: boolean;
}

/** A file in a tar, with its content. */
export interface TarFile extends Pick<TarEntry, "path" | "size" | "isExecutable"> {
  /** Of exactly `size` bytes. Absent for a folder. */
  readonly content?: AsyncIterable<Buffer>;
}

/** The bytes of a tar. The same files give the same bytes. */
export async function* tarOf(files: AsyncIterable<TarFile> | Iterable<TarFile>): AsyncGenerator<Buffer> {
  for await (const { content, ...entry } of files) {
    yield tarHeader(entry);
    if (content !== undefined) yield* content;
    yield tarPadding(entry.size);
  }
  yield tarEnd();
}

/**
 * The header of an entry in POSIX's pax format: owned by root, readable by all. We use our own writer because these bytes
 * determine an image's digest: a new release of a library must not change them.
 */
export function tarHeader({ path, size, time = 0, isExecutable = false }: TarEntry): Buffer {
  const isFolder = path.endsWith("/");
  const mode = isFolder || isExecutable ? 0o755 : 0o644;
  const records: Record<string, string> = {};
  if (Buffer.byteLength(path) > FIELDS.name[1] || /[^\x20-\x7e]/.test(path)) records["path"] = path;
  if (size > LARGEST_SIZE) records["size"] = String(size);
  const own = block(path, records["size"] === undefined ? size : 0, isFolder ? "5" : "0", mode, time);
  if (Object.keys(records).length === 0) return own;
  const content = Buffer.from(Object.entries(records).map(paxRecord).join(""));
  const header = block("././@PaxHeader", content.length, "x", 0o644, time);
  return Buffer.concat([header, content, tarPadding(content.length), own]);
}

/** The padding after an entry's content, to the next block. */
export function tarPadding(size: number): Buffer {
  return Buffer.alloc(paddingOf(size));
}

/** The end of an archive. */
export function tarEnd(): Buffer {
  return Buffer.alloc(2 * BLOCK_BYTES);
}

function block(path: string, size: number, type: string, mode: number, time: number): Buffer {
  const header = Buffer.alloc(BLOCK_BYTES);
  const octal = (value: number, [at, length]: readonly [number, number], end = ""): void => {
    header.write(value.toString(8).padStart(length - 1 - end.length, "0"), at);
    header.write(end, at + length - end.length);
  };
  // a name that is too long is in the preceding record
  Buffer.from(path).copy(header, 0, 0, FIELDS.name[1]);
  octal(mode, FIELDS.mode);
  octal(0, FIELDS.user);
  octal(0, FIELDS.group);
  octal(size, FIELDS.size);
  octal(time, FIELDS.time);
  header.write(type, FIELDS.type[0]);
  header.write(USTAR, FIELDS.magic[0]);
  header.write("00", FIELDS.version[0]);
  octal(sumOf(header), FIELDS.sum, " ");
  return header;
}

/** `LENGTH NAME=VALUE`; the length includes its own digits. */
function paxRecord([name, value]: [string, string]): string {
  const rest = Buffer.byteLength(` ${name}=${value}\n`);
  const length = rest + String(rest + String(rest).length).length;
  return `${length} ${name}=${value}\n`;
}
