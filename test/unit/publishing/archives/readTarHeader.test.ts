// Fields and attributes of a tar, at the borders of their forms.
import { expect, test } from "vitest";
import {
  isZeroBlock,
  parseAttributes,
  parseHeader,
  textIn,
  withOverrides,
} from "../../../../provider/publishing/archives/readTarHeader.ts";
import { sumOf } from "../../../../provider/publishing/archives/tarFormat.ts";
import { tarHeader } from "../../../../provider/publishing/archives/writeTar.ts";
import { tarAttribute } from "./tarAttribute.ts";

/** A header with these bytes in one of its fields, and the right sum. */
function header(offset: number, bytes: string, fill = "\0"): Buffer {
  const block = tarHeader({ path: "a", size: 5 });
  const length = { 100: 8, 124: 12, 156: 1 }[offset] ?? bytes.length;
  block.write(bytes.padEnd(length, fill), offset, "latin1");
  block.write(`${sumOf(block).toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return block;
}

test("a block of zeros is one only without exception", () => {
  expect(isZeroBlock(Buffer.alloc(512))).toBe(true);
  expect(isZeroBlock(Buffer.alloc(512).fill(1, 511))).toBe(false);
});

test.each([
  ["00000000017", 15],
  ["17", 15],
  ["   17 ", 15],
  ["17\0 \0", 15],
  ["", 0],
  ["    ", 0],
  ["777777777777", 8 ** 12 - 1],
  ["\x80\0\0\0\0\0\0\x01\0\0\0\x02", 2 ** 32 + 2],
  ["\x80\0\0\0\0\x1f\xff\xff\xff\xff\xff\xff", Number.MAX_SAFE_INTEGER],
])("the size %j is %d", (digits, size) => {
  expect(parseHeader(header(124, digits)).size).toBe(size);
});

test.each([
  "8",
  "1 7",
  "x7",
  "7x",
  "-1",
  "+7",
  "0x7",
  "1\u00007",
  "\xff".repeat(12),
  `\x80${"\x01".repeat(11)}`,
  "\x81",
])("the size %j is no number", (digits) => {
  expect(() => parseHeader(header(124, digits))).toThrow("a header contains an invalid number");
});

test("old and contiguous files are files, and other kinds keep theirs", () => {
  expect(["\0", "0", "7", "5", "1", "S"].map((type) => parseHeader(header(156, type)).type)).toEqual([
    ...["0", "0", "0", "5", "1", "S"],
  ]);
});

test("a text ends at its first zero byte", () => {
  expect(textIn(Buffer.from("a\0b")).toString()).toBe("a");
  expect(textIn(Buffer.from("ab")).toString()).toBe("ab");
  expect(textIn(Buffer.from("\0b")).toString()).toBe("");
});

test("attributes have a name and a size of the next entry", () => {
  const content = tarAttribute("mtime", "1") + tarAttribute("path", "a=b") + tarAttribute("size", "12");
  const { name, size } = parseAttributes(Buffer.from(content), false);
  expect([name?.toString(), size]).toEqual(["a=b", 12]);
  expect(parseAttributes(Buffer.from(tarAttribute("comment", "x").repeat(2)), true)).toEqual({});
  expect(parseAttributes(Buffer.alloc(0), false)).toEqual({});
});

test.each([
  ["a length of another record", "12 path=a\n"],
  ["a length that is too short", "7 path=a\n"],
  ["a length with a zero", "09 path=a\n"],
  ["a length of nine digits", "100000000 path=a\n"],
  ["no space", "10=path=a\n"],
  ["a space before it", " 10 path=a\n"],
  ["no value", "8 path\n\n"],
  ["no end of its line", "9 path=ab"],
  ["no value in its line, but in the next", "7 path\n10 path=a\n"],
])("attributes cannot be read that have %s", (_what, content) => {
  expect(() => parseAttributes(Buffer.from(content), false)).toThrow("attributes cannot be read");
});

test.each(["path", "linkpath", "size", "hdrcharset"])(
  "the attribute %s is for one entry, and only once",
  (key) => {
    const attribute = tarAttribute(key, "1");
    expect(() => parseAttributes(Buffer.from(attribute), false)).not.toThrow();
    expect(() => parseAttributes(Buffer.from(attribute), true)).toThrow(`sets «${key}» for all entries`);
    const twice = Buffer.from(attribute + attribute);
    expect(() => parseAttributes(twice, false)).toThrow(`sets «${key}» twice for one entry`);
  },
);

test("attributes of longer names are for all entries, too", () => {
  for (const key of ["xpath", "pathx", "GNU.sparse", "x.GNU.sparse.x"]) {
    expect(parseAttributes(Buffer.from(tarAttribute(key, "1").repeat(2)), true)).toEqual({});
  }
});

test.each(["", "-1", "1.5", "x1", "1x", "1".repeat(16)])("the size %j in attributes is none", (size) => {
  expect(() => parseAttributes(Buffer.from(tarAttribute("size", size)), false)).toThrow(
    `is broken: it gives an entry «${size}» bytes`,
  );
});

test("a name and an equal size replace those of a header", () => {
  const own = parseHeader(tarHeader({ path: "a", size: 5 }));
  const name = Buffer.from("b");
  expect(withOverrides(own, {})).toEqual(own);
  expect(withOverrides(own, { name, size: 5 })).toEqual({ ...own, name });
  expect(() => withOverrides(own, { name, size: 6 })).toThrow(
    "its entry «b» has 5 bytes by its header, and 6 by its attributes",
  );
});
