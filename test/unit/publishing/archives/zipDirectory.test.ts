// Forms of a zip that packers write, at their borders: names, kinds, descriptors, zip64.
import { crc32 } from "node:zlib";
import { describe, expect, test } from "vitest";
import { zip, type ZipEntry } from "../../../chart/zipArchive.ts";
import { bundleOnDisk, LIMITS, refusalOf, unpacked, unpackedAgain } from "./bundleOnDisk.ts";

const PAGE: ZipEntry = { name: "index.html", content: "<h1>Start</h1>" };

const signature = (value: number): Buffer => Buffer.from(Uint32Array.of(value).buffer);
const centralOf = (archive: Buffer): number => archive.indexOf(signature(0x02014b50));
const endOf = (archive: Buffer): number => archive.lastIndexOf(signature(0x06054b50));

/** Another directory of a zip with the same entries. */
function withDirectory(archive: Buffer, directory: Buffer): Buffer {
  const end = Buffer.from(archive.subarray(endOf(archive)));
  end.writeUInt32LE(directory.length, 12);
  return Buffer.concat([archive.subarray(0, centralOf(archive)), directory, end]);
}

const directoryOf = (archive: Buffer): Buffer => archive.subarray(centralOf(archive), endOf(archive));

/** A page and a file whose name is replaced by these bytes, with flags and a further field in the directory. */
function named(bytes: Buffer, flags = 0, field: Buffer = Buffer.alloc(0)): Buffer {
  const archive = zip([PAGE, { name: "x".repeat(bytes.length), content: "x" }]);
  const local = archive.indexOf(signature(0x04034b50), 1);
  const central = archive.indexOf(signature(0x02014b50), centralOf(archive) + 1);
  archive.writeUInt16LE(flags, local + 6);
  archive.writeUInt16LE(flags, central + 8);
  bytes.copy(archive, local + 30);
  bytes.copy(archive, central + 46);
  archive.writeUInt16LE(field.length, central + 30);
  return withDirectory(archive, Buffer.concat([directoryOf(archive), field]));
}

const UTF_8 = 0x800;
const CP437 = Buffer.from([0x81, 0x2e, 0x78]); // ü.x

describe("a name in a zip", () => {
  const namesOf = async (archive: Buffer): Promise<string[]> => Object.keys(await unpacked(archive));

  test("is UTF-8, if it is declared or could be", async () => {
    for (const flags of [0, UTF_8]) {
      expect(await namesOf(named(Buffer.from("ü.x"), flags))).toEqual(["index.html", "ü.x"]);
    }
    expect(await refusalOf(named(CP437, UTF_8))).toContain("has a name that is not UTF-8");
  });

  test("is else of the first PCs", async () => {
    expect(await namesOf(named(CP437))).toEqual(["index.html", "ü.x"]);
  });

  test("is the one in Unicode that a packer added", async () => {
    const unicode = (raw: Buffer): Buffer => {
      const data = Buffer.concat([Buffer.from([1]), signature(crc32(raw)), Buffer.from("漢.x")]);
      return Buffer.concat([Buffer.from([0x75, 0x70, data.length, 0]), data]);
    };
    for (const raw of [CP437, Buffer.from("k.x")]) {
      expect(await namesOf(named(raw, 0, unicode(raw)))).toEqual(["index.html", "漢.x"]);
    }
    // that of another name
    expect(await namesOf(named(CP437, 0, unicode(Buffer.from("k.x"))))).toEqual(["index.html", "ü.x"]);
    // another field
    const other = Buffer.from([0x55, 0x54, 1, 0, 0]);
    expect(await namesOf(named(Buffer.from("ü.x"), 0, other))).toEqual(["index.html", "ü.x"]);
  });
});

test.each<[string, number, string | undefined]>([
  ["x", 0, undefined],
  ["x", 0o004755, undefined], // without a kind the mode is not one of Unix
  ["x", 0o100755, undefined],
  ["x/", 0o100644, undefined],
  ["x/", 0o042775, undefined],
  ["x", 0o060666, "is a device"],
  ["x", 0o102755, "(setuid)"],
  ["x/", 0o044755, "(setuid)"],
  ["x/", 0o120777, "is a symbolic link"],
  ["x/", 0o170000, "is neither a file nor a folder"],
])("the entry %s with the mode %d: %s", async (name, mode, problem) => {
  const archive = zip([PAGE, { name, mode }]);
  if (problem === undefined) expect(await unpacked(archive)).toHaveProperty(["index.html"]);
  else expect(await refusalOf(archive)).toContain(problem);
});

test.each([0x01, 0x40, 0x2000])(
  "an entry that is encrypted in its place is refused, flag %d",
  async (flag) => {
    const archive = zip([PAGE]);
    archive.writeUInt16LE(flag, 6);
    expect(await refusalOf(archive)).toContain("has another header in the directory than in its place");
    archive.writeUInt16LE(flag, centralOf(archive) + 8);
    expect(await refusalOf(archive)).toMatch(/is encrypted|encryption/);
  },
);

test("the files of a zip come in the order of their bytes, not of the directory", async () => {
  const archive = zip([PAGE, { name: "b" }, { name: "a" }]);
  const directory = directoryOf(archive);
  const first = 46 + PAGE.name.length;
  const turned = Buffer.concat([directory.subarray(first), directory.subarray(0, first)]);
  expect(Object.keys(await unpacked(withDirectory(archive, turned)))).toEqual(["index.html", "b", "a"]);
});

test("a zip at exactly the limits is accepted", async () => {
  const archive = zip([{ name: "./" }, PAGE, { name: "a/b" }]);
  expect(Object.keys(await unpacked(archive, { unpackedBytes: 14, files: 3 }))).toHaveLength(2);
  expect(await refusalOf(archive, { unpackedBytes: 13, files: 3 })).toContain(
    "unpacks to more than 13 bytes",
  );
  expect(await refusalOf(archive, { unpackedBytes: 14, files: 2 })).toContain(
    "more than 2 files and folders",
  );
  expect(await refusalOf(archive, { unpackedBytes: 14, files: 1 })).toContain(
    "more than 1 files and folders",
  );
});

test("a zip may have a comment", async () => {
  const archive = zip([PAGE]);
  archive.writeUInt16LE(3, archive.length - 2);
  const site = { root: "", leftOut: [] };
  const commented = Buffer.concat([archive, Buffer.from("abc")]);
  expect(Object.keys(await unpackedAgain(bundleOnDisk(commented), site))).toEqual(["index.html"]);
  for (const wrong of [commented.subarray(0, -1), Buffer.concat([commented, Buffer.from("d")])]) {
    expect(await refusalOf(wrong)).toContain("its directory cannot be read");
  }
});

describe("a zip with the end of zip64", () => {
  /** @param between record and locator */
  function zip64(given: { extra?: number; between?: Buffer; size?: number } = {}): Buffer {
    const { extra = 0, between = Buffer.alloc(0) } = given;
    const { size = 44 + extra } = given;
    const archive = zip([PAGE]);
    const [central, end] = [centralOf(archive), endOf(archive)];
    const record = Buffer.alloc(56 + extra);
    record.writeUInt32LE(0x06064b50);
    record.writeBigUInt64LE(BigInt(size), 4);
    record.writeBigUInt64LE(1n, 24);
    record.writeBigUInt64LE(1n, 32);
    record.writeBigUInt64LE(BigInt(end - central), 40);
    record.writeBigUInt64LE(BigInt(central), 48);
    const locator = Buffer.alloc(20);
    locator.writeUInt32LE(0x07064b50);
    locator.writeBigUInt64LE(BigInt(end), 8);
    locator.writeUInt32LE(1, 16);
    const tail = Buffer.from(archive.subarray(end));
    tail.fill(0xff, 8, 20);
    return Buffer.concat([archive.subarray(0, end), record, between, locator, tail]);
  }

  test("is read, also with data of its packer", async () => {
    expect(Object.keys(await unpacked(zip64()))).toEqual(["index.html"]);
    expect(Object.keys(await unpacked(zip64({ extra: 9 })))).toEqual(["index.html"]);
  });

  test.each([
    ["hides bytes after its record", zip64({ between: Buffer.from("hidden") })],
    ["has a record that is too short", zip64({ extra: 9, size: 44 })],
    ["has a record that is too long", zip64({ size: 64 })],
    ["has a record that reaches beyond its end", zip64({ size: 2 ** 40 })],
  ])("is refused if it %s", async (_what, archive) => {
    expect(await refusalOf(archive)).toContain("is broken: its directory");
  });
});

describe("a descriptor after a content", () => {
  const content = Buffer.from("<h1>Start</h1>");
  const packedSize = zip([{ name: "index.html", content }]).readUInt32LE(18);

  /** A zip whose sizes are in a descriptor. */
  function described(descriptor: Buffer, before = 0): Buffer {
    const archive = zip([{ name: "index.html", content }]);
    archive.writeUInt16LE(8, 6);
    archive.fill(before, 14, 26);
    const central = centralOf(archive);
    archive.writeUInt32LE(central + descriptor.length, endOf(archive) + 16);
    return Buffer.concat([archive.subarray(0, central), descriptor, archive.subarray(central)]);
  }

  const record = (
    isSigned: boolean,
    isLarge: boolean,
    { sum = crc32(content), size = content.length } = {},
  ): Buffer => {
    const long = (value: number): Buffer =>
      isLarge ? Buffer.from(BigUint64Array.of(BigInt(value)).buffer) : signature(value);
    const parts = [
      isSigned ? signature(0x08074b50) : Buffer.alloc(0),
      signature(sum),
      long(packedSize),
      long(size),
    ];
    return Buffer.concat(parts);
  };

  test.each([
    ["12 bytes", record(false, false)],
    ["16 bytes", record(true, false)],
    ["20 bytes", record(false, true)],
    ["24 bytes", record(true, true)],
  ])("may have %s", async (_what, descriptor) => {
    for (const before of [0, 0xff]) {
      expect(await unpacked(described(descriptor, before))).toEqual({ "index.html": content.toString() });
    }
    const damaged = Buffer.from(descriptor);
    for (let at = 0; at < damaged.length; at += 4) {
      damaged.writeUInt8(damaged.readUInt8(at) ^ 1, at);
      expect(await refusalOf(described(damaged))).toContain("contains data that its directory does not list");
      damaged.writeUInt8(damaged.readUInt8(at) ^ 1, at);
    }
  });

  test.each([1, 11, 13, 17, 23, 25, 28])("has no %d bytes", async (length) => {
    const padded = Buffer.concat([record(true, true), Buffer.alloc(4)]).subarray(0, length);
    expect(await refusalOf(described(padded))).toContain("contains data that its directory does not list");
  });

  test("may be missing where the sizes are known before the content", async () => {
    const archive = zip([{ name: "index.html", content }]);
    archive.writeUInt16LE(8, 6);
    expect(Object.keys(await unpacked(archive, LIMITS))).toEqual(["index.html"]);
  });
});
