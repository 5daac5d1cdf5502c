// Entries that a zip must not have: A01 to A04 and A06 of the faults, and errors that only zips can have.
import { crc32, deflateRawSync } from "node:zlib";
import { expect, test } from "vitest";
import { DEFAULT_UNPACKED_BYTES } from "../../../../provider/publishing/archives/unpackedBound.ts";
import { SITE } from "../../../chart/tarArchive.ts";
import { SYMBOLIC_LINK, zip, type ZipEntry } from "../../../chart/zipArchive.ts";
import { LIMITS, refusalOf, unpacked } from "./bundleOnDisk.ts";

const ZIP_SITE: readonly ZipEntry[] = SITE.map(({ name, content = "" }) => ({ name, content }));

const FEW = { unpackedBytes: 100_000, files: 40 };

/** Entries in addition to a good site, the message, limits below the usual ones. */
type Row = [name: string, entries: ZipEntry[], reason: string, limits?: Partial<typeof LIMITS>];

const REFUSED: Row[] = [
  ...["../x", "folder/../../x", "a/..", "..", "./../x"].map((name): Row => [
    `A01 the name ${name}`,
    [{ name }],
    `its entry «${name}» leads outside its folder`,
  ]),
  ["A01 a name from the root", [{ name: "/etc/x" }], "its entry «/etc/x» has an absolute path"],
  ["A01 a drive", [{ name: "C:/x" }], "its entry «C:/x» begins with a drive letter"],
  ["A01 a backslash", [{ name: "folder\\x" }], "its entry «folder\\x» has a backslash in its name"],
  ["A01 a zero byte", [{ name: "x.html\0.png" }], "has a control character"],
  [
    "A01 another name in its place",
    [{ name: "x", localName: "../x" }],
    "has another header in the directory",
  ],
  ["A02 a symbolic link", [{ name: "link", mode: SYMBOLIC_LINK, content: "/etc" }], "is a symbolic link"],
  ["A03 a device", [{ name: "x", mode: 0o020666 }], "its entry «x» is a device"],
  ["A03 a fifo", [{ name: "x", mode: 0o010666 }], "its entry «x» is a fifo"],
  ["A03 a socket", [{ name: "x", mode: 0o140666 }], "its entry «x» is a socket"],
  ["A03 an unknown kind", [{ name: "x", mode: 0o030666 }], "is neither a file nor a folder"],
  ["A03 a program with its owner's rights", [{ name: "x", mode: 0o104755 }], "(setuid)"],
  [
    "A03 a folder that looks like a file",
    [{ name: "x", mode: 0o040755 }],
    "a folder with the name of a file",
  ],
  ["A03 a folder with a content", [{ name: "x/", content: "hidden" }], "is a folder with content"],
  [
    "A04 more bytes than allowed",
    [{ name: "x", content: Buffer.alloc(200_000) }],
    "more than 100000 bytes",
    FEW,
  ],
  [
    "A04 more bytes than it says",
    [{ name: "x", content: Buffer.alloc(200_000), size: 10 }],
    "more bytes than declared",
  ],
  ["A04 fewer bytes than it says", [{ name: "x", content: "x", size: 10 }], "has fewer bytes than declared"],
  [
    "A04 a bomb",
    [{ name: "x", content: Buffer.alloc(70_000_000) }],
    "more than 200 times its size",
    { unpackedBytes: DEFAULT_UNPACKED_BYTES },
  ],
  [
    "A04 more files than allowed",
    Array.from({ length: 50 }, (_, index) => ({ name: `page-${index}.html` })),
    "contains more than 40 files and folders",
    FEW,
  ],
  ["A04 folders 65 deep", [{ name: `${"d/".repeat(65)}x` }], "is more than 64 folders deep"],
  ["A06 a name twice", [{ name: "guide.html", content: "other" }], "«guide.html» occurs twice"],
  ["a file that is encrypted", [{ name: "x", content: "x", encrypted: true }], "its entry «x» is encrypted"],
];

test.each(REFUSED)("a zip is refused that has %s", async (_name, entries, reason, limits = {}) => {
  const message = await refusalOf(zip([...ZIP_SITE, ...entries]), { ...LIMITS, ...limits });
  expect(message).toMatch(/^the bundle is refused: it[ s]/);
  expect(message).toContain(reason);
});

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;

/** A good zip of one page with some changed bytes. */
function changed(change: (zip: Buffer, central: number, end: number) => Buffer | undefined): Buffer {
  const archive = zip([{ name: "index.html", content: "<h1>Start</h1>" }]);
  const signature = (value: number): number => archive.lastIndexOf(Buffer.from(Uint32Array.of(value).buffer));
  expect(signature(LOCAL)).toBe(0);
  return change(archive, signature(CENTRAL), signature(END)) ?? archive;
}

/** A zip with other bytes before its directory, whose offset is corrected. */
const withHidden = (hidden: Buffer): Buffer =>
  changed((archive, central, end) => {
    archive.writeUInt32LE(central + hidden.length, end + 16);
    return Buffer.concat([archive.subarray(0, central), hidden, archive.subarray(central)]);
  });

const TRICKS: [name: string, archive: Buffer, reason: string][] = [
  [
    "A05 a wrong checksum",
    changed((z, central) => (z.writeUInt32LE(1, 14), z.writeUInt32LE(1, central + 16), z)),
    "has a wrong checksum",
  ],
  [
    "another checksum in its place",
    changed((z) => (z.writeUInt32LE(1, 14), z)),
    "has another header in the directory",
  ],
  [
    "another size in its place",
    changed((z) => (z.writeUInt32LE(1, 22), z)),
    "has another header in the directory",
  ],
  [
    "another method in its place",
    changed((z) => (z.writeUInt16LE(0, 8), z)),
    "has another header in the directory",
  ],
  [
    "an unknown method",
    changed((z, central) => (z.writeUInt16LE(93, central + 10), z)),
    "is compressed by method 93",
  ],
  [
    "A05 something after its end",
    Buffer.concat([zip(ZIP_SITE), Buffer.from("x")]),
    "its directory cannot be read",
  ],
  ["something in front of it", Buffer.concat([zip([]), zip(ZIP_SITE)]), "is broken"],
  ["data that the directory does not list", withHidden(Buffer.from("hidden")), "does not list"],
  [
    "an entry that the directory does not list",
    withHidden(zip([{ name: "index.html", content: "evil" }]).subarray(0, 50)),
    "does not list",
  ],
  [
    "an entry in the directory that its end does not count",
    changed((z, central, end) =>
      Buffer.concat([z.subarray(0, end), z.subarray(central, end), z.subarray(end)]),
    ),
    "its directory has more entries than declared",
  ],
  [
    "an entry at the place of another",
    changed((z, central, end) => {
      const other = Buffer.from(z.subarray(central, end));
      other.write("second.htm", 46);
      z.writeUInt16LE(2, end + 8);
      z.writeUInt16LE(2, end + 10);
      return Buffer.concat([z.subarray(0, end), other, z.subarray(end)]);
    }),
    "overlaps with another",
  ],
  [
    "a content that reaches into the directory",
    changed((z, central) => (z.writeUInt32LE(60, 18), z.writeUInt32LE(60, central + 20), z)),
    "overlaps with another",
  ],
  [
    "a directory beyond its end",
    changed((z, _central, end) => (z.writeUInt32LE(1e6, end + 16), z)),
    "is broken",
  ],
  ["no directory", changed((z, _central, end) => z.subarray(0, end)), "its directory cannot be read"],
  ["a part of several", changed((z, _central, end) => (z.writeUInt16LE(1, end + 4), z)), "multi-disk"],
];

test.each(TRICKS)("a zip is refused that has %s", async (_name, archive, reason) => {
  expect(await refusalOf(archive)).toContain(reason);
});

test.each([
  ["small", 1_000],
  ["large", 1_000_000],
])(
  "a zip is refused that has a %s content with more bytes after it, or with another length than stated",
  async (_size, size) => {
    const content = Buffer.from(Array.from({ length: size }, (_, index) => (index * index) % 251));
    const packed = deflateRawSync(content);
    // as `zip` writes a link: a stored content is not compressed again
    const stored = (bytes: Buffer, says: number): Buffer => {
      const archive = zip([{ name: "index.html", content: bytes, mode: SYMBOLIC_LINK, size: says }]);
      const central = archive.lastIndexOf("PK\u0001\u0002");
      for (const [at, offset] of [
        [0, 14],
        [central, 16],
      ] as const) {
        archive.writeUInt16LE(8, at + offset - 6);
        archive.writeUInt32LE(crc32(content), at + offset);
      }
      archive.writeUInt32LE(0o100644 * 65_536, central + 38);
      return archive;
    };
    expect(await unpacked(stored(packed, size))).toEqual({ "index.html": content.toString("latin1") });
    const behind = Buffer.concat([packed, Buffer.from("behind")]);
    expect(await refusalOf(stored(behind, size))).toContain("continues after the end of its compression");
    expect(await refusalOf(stored(packed, size - 1))).toContain("has more bytes than declared");
    expect(await refusalOf(stored(packed, size + 1))).toContain("has fewer bytes than declared");
    expect(await refusalOf(stored(packed.subarray(0, -5), size))).toContain("its compressed data is invalid");
    const damaged = Buffer.from(packed);
    damaged.fill(0xff, 20, 100);
    expect(await refusalOf(stored(damaged, size))).toContain("its compressed data is invalid");
  },
);

test("A04 a zip that claims a million entries is refused before they are read", async () => {
  const archive = changed((z, _central, end) => (z.writeUInt16LE(65_534, end + 10), z));
  expect(await refusalOf(archive)).toContain("contains more than 20000 files and folders");
});

/** A zip of one page with this number of bytes of comments in its directory. */
function withComments(count: number, commentBytes: number): Buffer {
  const archive = zip(
    Array.from({ length: count }, (_, at) => ({ name: at === 0 ? "index.html" : `${at}` })),
  );
  const central = archive.indexOf(Buffer.from(Uint32Array.of(CENTRAL).buffer));
  const end = archive.lastIndexOf(Buffer.from(Uint32Array.of(END).buffer));
  const records: Buffer[] = [];
  for (let at = central; at < end;) {
    const length = 46 + archive.readUInt16LE(at + 28);
    const record = Buffer.from(archive.subarray(at, at + length));
    record.writeUInt16LE(commentBytes, 32);
    records.push(record, Buffer.alloc(commentBytes, "c"));
    at += length;
  }
  const tail = Buffer.from(archive.subarray(end));
  tail.writeUInt32LE(
    records.reduce((sum, { length }) => sum + length, 0),
    12,
  );
  return Buffer.concat([archive.subarray(0, central), ...records, tail]);
}

test("a zip with a directory far too large for its files is refused under any limits", async () => {
  const limits = { unpackedBytes: 1e9, files: 1e9 };
  expect(await refusalOf(withComments(4, 65_535), limits)).toMatch(
    /has a directory of 262\d{3} bytes for 4 files and folders$/,
  );
  expect(await refusalOf(withComments(1_000, 1_000), limits)).toContain("bytes for 1000 files and folders");
  expect(Object.keys(await unpacked(withComments(1_000, 400), limits))).toHaveLength(1_000);
  expect(Object.keys(await unpacked(withComments(1, 65_535), limits))).toHaveLength(1);
});

test("a descriptor after a content must be right", async () => {
  const content = Buffer.from("<h1>Start</h1>");
  const record = (sum: number, errors: { packedSize?: number; size?: number } = {}): Buffer => {
    const bytes = Buffer.alloc(16);
    bytes.writeUInt32LE(0x08074b50);
    bytes.writeUInt32LE(sum, 4);
    const packedSize = zip([{ name: "index.html", content }]).readUInt32LE(18);
    bytes.writeUInt32LE(packedSize + (errors.packedSize ?? 0), 8);
    bytes.writeUInt32LE(content.length + (errors.size ?? 0), 12);
    return bytes;
  };
  const announced = (archive: Buffer): Buffer => {
    archive.writeUInt16LE(8, 6); // and the sizes before the content are unknown
    archive.fill(0, 14, 26);
    return archive;
  };
  const sum = crc32(content);
  expect(Object.keys(await unpacked(announced(withHidden(record(sum)))))).toEqual(["index.html"]);
  for (const wrong of [record(1), record(sum, { packedSize: 1 }), record(sum, { size: 1 })]) {
    expect(await refusalOf(announced(withHidden(wrong)))).toContain("does not list");
  }
  expect(await refusalOf(withHidden(record(sum)))).toContain("does not list");
});
