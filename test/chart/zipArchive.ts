import { crc32, deflateRawSync } from "node:zlib";

/** An entry of a zip, as strange as the format permits. A name that ends with a slash is a folder. */
export interface ZipEntry {
  name: string;
  content?: string | Buffer;
  /** Unix type and permissions. @default those of a file or a folder */
  mode?: number;
  /** Name in the header before the content, when it differs from the directory's. */
  localName?: string;
  /** The unpacked size in the headers, when it differs from the true one. */
  size?: number;
  encrypted?: boolean;
}

export const SYMBOLIC_LINK = 0o120777;

const STORED = 0;
const DEFLATED = 8;
const MADE_ON_UNIX = 0x0314;
const DATE = (40 << 9) | (1 << 5) | 2; // 2020-01-02

export function zip(entries: readonly ZipEntry[]): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const content = Buffer.from(entry.content ?? "");
    const isLink = entry.mode === SYMBOLIC_LINK; // packers do not compress these
    const packed = isLink ? content : deflateRawSync(content);
    const fields = (name: string) => [
      ...shorts(20, entry.encrypted ? 1 : 0, isLink ? STORED : DEFLATED, 0, DATE),
      ...longs(crc32(content), packed.length, entry.size ?? content.length),
      ...shorts(Buffer.byteLength(name), 0),
    ];
    const localName = entry.localName ?? entry.name;
    const local = Buffer.concat([
      Buffer.from([...longs(0x04034b50), ...fields(localName)]),
      Buffer.from(localName),
      packed,
    ]);
    const mode = entry.mode ?? (entry.name.endsWith("/") ? 0o40755 : 0o100644);
    const head = [...longs(0x02014b50), ...shorts(MADE_ON_UNIX), ...fields(entry.name)];
    const tail = [...shorts(0, 0, 0), ...longs(mode * 65_536, offset)];
    directory.push(Buffer.from([...head, ...tail]), Buffer.from(entry.name));
    locals.push(local);
    offset += local.length;
  }
  const length = directory.reduce((total, part) => total + part.length, 0);
  const end = [
    ...longs(0x06054b50),
    ...shorts(0, 0, entries.length, entries.length),
    ...longs(length, offset),
  ];
  return Buffer.concat([...locals, ...directory, Buffer.from([...end, ...shorts(0)])]);
}

function shorts(...values: number[]): number[] {
  return values.flatMap((value) => [value & 0xff, (value >>> 8) & 0xff]);
}

function longs(...values: number[]): number[] {
  return values.flatMap((value) => shorts(value % 65_536, Math.floor(value / 65_536)));
}
