import { BROKEN, entryRefusal, refusal, shown, UNSAFE } from "./refusal";

export const BLOCK_BYTES = 512;

/** A header of a tar, before those that came in front of it are applied. */
export interface TarHeader {
  readonly name: Buffer;
  /** `0` file, `5` folder, `x` and `g` attributes, `L` and `K` long names… */
  readonly type: string;
  /** Of what follows the header. */
  readonly size: number;
  readonly mode: number;
}

/** What attributes, or a long name, say of the next entry. */
export interface Overrides {
  name?: Buffer;
  size?: number;
}

/** A byte order mark is part of a name: dropped, it would be another one. */
const UTF_8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

const ZEROS = Buffer.alloc(BLOCK_BYTES);

export function isZeroBlock(block: Buffer): boolean {
  return block.equals(ZEROS);
}

/** @throws BundleRefusedError */
export function parseHeader(block: Buffer): TarHeader {
  if (number(block, 148, 8) !== checksum(block)) throw refusal("is broken: a header's sum is wrong", BROKEN);
  const type = block.toString("latin1", 156, 157);
  const isPosix = block.toString("latin1", 257, 263) === "ustar\0"; // GNU has other things in the place of the prefix
  const prefix = isPosix ? text(block, 345, 155) : Buffer.alloc(0);
  const last = text(block, 0, 100);
  return {
    name: prefix.length > 0 ? Buffer.concat([prefix, Buffer.from("/"), last]) : last,
    type: type === "\0" || type === "7" ? "0" : type, // old tars' files, and files that are in one piece on the disk
    size: number(block, 124, 12),
    mode: number(block, 100, 8),
  };
}

/** Attributes that change what a reader makes of an entry: where they are for all entries, readers do not agree. */
const FOR_ONE_ENTRY = /^(?:path|linkpath|size|hdrcharset)$/;

/**
 * Reads attributes (POSIX pax): `17 path=folder/x\n`, one after the other to the very end.
 *
 * @param isGlobal for all entries that follow
 * @throws BundleRefusedError
 */
export function parseAttributes(content: Buffer, isGlobal: boolean): Overrides {
  const found = new Map<string, Buffer>();
  for (let offset = 0; offset < content.length;) {
    const length = /^[1-9][0-9]{0,7}(?= )/.exec(content.toString("latin1", offset, offset + 9))?.[0];
    const end = offset + Number(length ?? NaN);
    const equals = content.indexOf("=", offset);
    if (
      length === undefined ||
      end > content.length ||
      content[end - 1] !== 0x0a ||
      equals < 0 ||
      equals >= end
    ) {
      throw refusal("is broken: an entry's attributes cannot be read", BROKEN);
    }
    const key = content.toString("utf8", offset + length.length + 1, equals);
    if (key.startsWith("GNU.sparse.")) throw refusal("holds a sparse file", UNSAFE);
    if (FOR_ONE_ENTRY.test(key) && (isGlobal || found.has(key))) {
      throw refusal(`says «${key}» ${isGlobal ? "for all entries at once" : "of one entry twice"}`, UNSAFE);
    }
    found.set(key, content.subarray(equals + 1, end - 1));
    offset = end;
  }
  const name = found.get("path");
  const size = found.get("size")?.toString("latin1");
  if (size !== undefined && !/^[0-9]{1,15}$/.test(size)) {
    throw refusal(`is broken: it says that an entry has «${shown(size)}» bytes`, BROKEN);
  }
  return { ...(name && { name }), ...(size !== undefined && { size: Number(size) }) };
}

/** The name in a block of its own, as GNU writes it. */
export function parseLongName(content: Buffer): Buffer {
  return text(content, 0, content.length);
}

/** @throws BundleRefusedError for a name that is no UTF-8: others would read another one */
export function nameOf(bytes: Buffer): string {
  try {
    return UTF_8.decode(bytes);
  } catch {
    throw entryRefusal(bytes.toString("utf8"), "has a name that is not UTF-8", UNSAFE);
  }
}

function text(block: Buffer, offset: number, length: number): Buffer {
  const field = block.subarray(offset, offset + length);
  const end = field.indexOf(0);
  return end < 0 ? field : field.subarray(0, end);
}

/** Octal digits, or, where the first bit is set, a binary number (GNU). */
function number(block: Buffer, offset: number, length: number): number {
  const field = block.subarray(offset, offset + length);
  let value = 0;
  if (field[0] === 0x80) {
    for (const byte of field.subarray(1)) value = value * 256 + byte;
  } else {
    const digits = /^ *([0-7]*)[ \0]*$/.exec(field.toString("latin1"))?.[1];
    value = digits === undefined ? NaN : parseInt(digits || "0", 8);
  }
  if (!Number.isSafeInteger(value)) throw refusal("is broken: a header holds a number that is none", BROKEN);
  return value;
}

function checksum(block: Buffer): number {
  let sum = 8 * 0x20;
  for (let i = 0; i < BLOCK_BYTES; i++) if (i < 148 || i >= 156) sum += block[i] ?? 0;
  return sum;
}
