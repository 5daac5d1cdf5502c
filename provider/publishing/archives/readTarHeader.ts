import { isUtf8 } from "node:buffer";
import { BROKEN, bundleRefusal, entryRefusal, REFUSAL_REMEDIES, shown, UNSAFE } from "./refusal";
import { BLOCK_BYTES, FIELDS, LARGEST_SIZE, sumOf, USTAR } from "./tarFormat";

/** A header of a tar, before the overrides that precede it are applied. */
export interface TarHeader {
  readonly name: Buffer;
  /** `0` file, `5` folder, `x` and `g` attributes, `L` and `K` long names… */
  readonly type: string;
  /** Size of what follows the header, in bytes. */
  readonly size: number;
  readonly mode: number;
  /** The name that a link has as its target. */
  readonly link: Buffer;
}

/** What attributes or a long name set for the next entry. */
export type Overrides = Partial<Pick<TarHeader, "name" | "size" | "link">>;

const ZEROS = Buffer.alloc(BLOCK_BYTES);

/** Whether a block consists of zeros: two of them end a tar. */
export function isZeroBlock(block: Buffer): boolean {
  return block.equals(ZEROS);
}

/** @throws BundleRefusedError */
export function parseHeader(block: Buffer): TarHeader {
  if (number(block, "sum") !== sumOf(block)) {
    throw bundleRefusal("is broken: the checksum of a header is wrong", BROKEN);
  }
  const type = text(block, "type");
  const last = textIn(field(block, "name"));
  const prefix = textIn(field(block, "prefix"));
  const isPosix = text(block, "magic") === USTAR;
  // without POSIX's exact magic, some programs read these bytes as a part of the name, and some do not;
  // a sparse file and a list of increments, which are refused for what they are, store other data there
  if (!isPosix && !/^[SD]$/.test(type) && field(block, "prefix").some((byte) => byte !== 0)) {
    throw entryRefusal(last.toString(), "has a name that programs read differently (prefix)", UNSAFE);
  }
  return {
    name: prefix.length > 0 ? Buffer.concat([prefix, Buffer.from("/"), last]) : last,
    type: type === "\0" || type === "7" ? "0" : type, // files of old tars, and contiguous files
    size: number(block, "size"),
    mode: number(block, "mode"),
    link: textIn(field(block, "link")),
  };
}

/**
 * Applies the overrides that precede an entry to its header.
 *
 * @throws BundleRefusedError for two different sizes: programs that ignore attributes would read other content
 */
export function withOverrides(header: TarHeader, overrides: Overrides): TarHeader {
  const whole = { ...header, ...overrides };
  if (whole.size !== header.size && whole.size <= LARGEST_SIZE) {
    const problem = `has ${header.size} bytes by its header, and ${whole.size} by its attributes`;
    throw entryRefusal(whole.name.toString(), problem, UNSAFE);
  }
  return whole;
}

/** Attributes that change how an entry is read: readers disagree about them in global attributes. */
const FOR_ONE_ENTRY = /^(?:path|linkpath|size|hdrcharset)$/;

/**
 * Parses attributes (POSIX pax): `17 path=folder/x\n`, one after the other to the very end.
 *
 * @param isGlobal whether they apply to all entries that follow
 * @throws BundleRefusedError
 */
export function parseAttributes(content: Buffer, isGlobal: boolean): Overrides {
  const found = new Map<string, Buffer>();
  for (let offset = 0; offset < content.length;) {
    const begin = content.toString("latin1", offset, offset + 9);
    const [length = ""] = /^[1-9][0-9]{0,7}(?= )/.exec(begin) ?? [];
    const end = offset + parseInt(length, 10);
    const equals = content.indexOf("=", offset);
    // where there is no length, or beyond the content, there is no byte
    if (content[end - 1] !== 0x0a || equals < 0 || equals >= end) {
      throw bundleRefusal("is broken: an entry's attributes cannot be read", BROKEN);
    }
    const key = content.toString("utf8", offset + length.length + 1, equals);
    if (key.startsWith("GNU.sparse.")) throw bundleRefusal("contains a sparse file", REFUSAL_REMEDIES.sparse);
    if (FOR_ONE_ENTRY.test(key) && (isGlobal || found.has(key))) {
      throw bundleRefusal(`sets «${key}» ${isGlobal ? "for all entries" : "twice for one entry"}`, UNSAFE);
    }
    found.set(key, content.subarray(equals + 1, end - 1));
    offset = end;
  }
  const name = found.get("path");
  const link = found.get("linkpath");
  const size = found.get("size")?.toString("latin1");
  if (size !== undefined && !/^[0-9]{1,15}$/.test(size)) {
    throw bundleRefusal(`is broken: it gives an entry «${shown(size)}» bytes`, BROKEN);
  }
  return { ...(name && { name }), ...(link && { link }), ...(size !== undefined && { size: Number(size) }) };
}

/** @throws BundleRefusedError for a name that is not UTF-8: programs would read different names */
export function tarName(bytes: Buffer): string {
  const name = bytes.toString();
  if (!isUtf8(bytes)) throw entryRefusal(name, "has a name that is not UTF-8", REFUSAL_REMEDIES.notUtf8);
  return name;
}

function field(block: Buffer, name: keyof typeof FIELDS): Buffer {
  const [offset, length] = FIELDS[name];
  return block.subarray(offset, offset + length);
}

function text(block: Buffer, name: keyof typeof FIELDS): string {
  return field(block, name).toString("latin1");
}

/** The bytes before the first zero byte. */
export function textIn(bytes: Buffer): Buffer {
  const end = bytes.indexOf(0);
  return end < 0 ? bytes : bytes.subarray(0, end);
}

/** Octal digits, or, if the first bit is set, a binary number (GNU). */
function number(block: Buffer, name: keyof typeof FIELDS): number {
  let value = 0;
  if (block[FIELDS[name][0]] === 0x80) {
    for (const byte of field(block, name).subarray(1)) value = value * 256 + byte;
  } else {
    const digits = /^ *([0-7]*)[ \0]*$/.exec(text(block, name))?.[1];
    value = digits === undefined ? NaN : parseInt(digits || "0", 8);
  }
  if (!Number.isSafeInteger(value)) {
    throw bundleRefusal("is broken: a header contains an invalid number", BROKEN);
  }
  return value;
}
