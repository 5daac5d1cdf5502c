// Entries that a tar.gz must not have: A01 to A04 and A06 of the faults.
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { DEFAULT_UNPACKED_BYTES } from "../../../../provider/publishing/archives/unpackedBound.ts";
import { type Entry, SITE, tar, tarGz } from "../../../chart/tarArchive.ts";
import { LIMITS, refusalOf, unpacked } from "./bundleOnDisk.ts";
import { tarAttribute } from "./tarAttribute.ts";

/** Entries in addition to a good site, the message, limits below the usual ones. */
type Row = [name: string, entries: Entry[], reason: string | RegExp, limits?: Partial<typeof LIMITS>];

const FEW = { unpackedBytes: 100_000, files: 40 };

/** An entry with a name that is too long for any header, as GNU writes it. */
const longName = (name: string, type = "0"): Entry[] => [
  { name: "././@LongLink", type: "L", content: `${name}\0` },
  { name: name.slice(0, 99), type },
];

/** An entry with attributes before it. */
const withAttributes = (attributes: string | Buffer, type = "x"): Entry[] => [
  { name: "attributes", type, content: attributes },
  { name: "x.html", content: "x" },
];

const REFUSED: Row[] = [
  ...["../x", "folder/../../x", "a/..", "..", "./../x"].map((name): Row => [
    `A01 the name ${name}`,
    [{ name }],
    `its entry «${name}» leads outside its folder`,
  ]),
  ["A01 a name from the root", [{ name: "/etc/x" }], "its entry «/etc/x» has an absolute path"],
  ["A01 a drive", [{ name: "c:/x" }], "its entry «c:/x» begins with a drive letter"],
  ["A01 a backslash", [{ name: "C:\\x" }], "its entry «C:\\x» has a backslash in its name"],
  [
    "A01 a way out in attributes",
    withAttributes(tarAttribute("path", "../x")),
    "«../x» leads outside its folder",
  ],
  ["A01 a way out in a long name", longName(`${"d/".repeat(60)}../x`), "leads outside its folder"],
  ["A01 a folder outside", [{ name: "../", type: "5" }], "leads outside its folder"],
  [
    "A01 names between slashes that are empty",
    [{ name: "a//b" }],
    "has an empty segment or a «.» in its path",
  ],
  ["A01 a dot between slashes", [{ name: "a/./b" }], "has an empty segment or a «.» in its path"],
  ["A01 no name", [{ name: "" }], "its entry «» has no name"],
  ["A01 the end of a line", [{ name: "a\nb.html" }], "its entry «a\\u{a}b.html» has a control character"],
  ["A01 an escape sequence", [{ name: "a\u001b[31m.html" }], "its entry «a\\u{1b}[31m.html» has a control"],
  ["A01 the end of a line of Unicode", [{ name: "a\u2028b" }], "has a control character or a line break"],
  ["A01 a command for pipelines", [{ name: "../::error::x" }], "«../: :error::x» leads outside"],
  [
    "A02 a symbolic link and a write through it",
    [
      { name: "link", type: "2", linkName: "/tmp" },
      { name: "link/x", content: "evil" },
    ],
    "its entry «link» is a symbolic link",
  ],
  ["A02 a symbolic link within", [{ name: "link", type: "2", linkName: "index.html" }], "is a symbolic link"],
  [
    "A02 a chain of hard links",
    [
      { name: "one", type: "1", linkName: "/etc/passwd" },
      { name: "two", type: "1", linkName: "one" },
    ],
    "its entry «one» is a hard link to «/etc/passwd», which is no earlier file of the archive",
  ],
  ...["../x", "later.html", "folder", "folder/", "GUIDE.html", "self.html", ""].map((linkName): Row => [
    `A02 a hard link to ${linkName || "nothing"}`,
    [{ name: "self.html", type: "1", linkName }, { name: "later.html" }],
    `its entry «self.html» is a hard link to «${linkName}», which is no earlier file of the archive`,
  ]),
  [
    "A02 a hard link with a content",
    [{ name: "copy.html", type: "1", linkName: "guide.html", content: "evil" }],
    "its entry «copy.html» is a hard link with a content of 4 bytes",
  ],
  [
    "A02 a hard link with the name of a file",
    [{ name: "index.html", type: "1", linkName: "guide.html" }],
    "its entry «index.html» occurs twice",
  ],
  [
    "A02 a hard link with two targets",
    [
      { name: "@", type: "K", content: "guide.html\0" },
      { name: "@", type: "x", content: tarAttribute("linkpath", "index.html") },
      { name: "copy.html", type: "1" },
    ],
    "names an entry twice",
  ],
  [
    "A04 copies that are larger than allowed",
    [
      { name: "x", content: Buffer.alloc(60_000) },
      { name: "y", type: "1", linkName: "x" },
    ],
    "more than 100000 bytes",
    FEW,
  ],
  [
    "A02 a long link",
    [
      { name: "@", type: "K", content: "/etc\0" },
      { name: "l", type: "2" },
    ],
    "symbolic link",
  ],
  ["A03 a character device", [{ name: "strange", type: "3" }], "its entry «strange» is a device"],
  ["A03 a block device", [{ name: "strange", type: "4" }], "its entry «strange» is a device"],
  ["A03 a fifo", [{ name: "strange", type: "6" }], "its entry «strange» is a fifo"],
  ["A03 a program with its owner's rights", [{ name: "x", mode: 0o4755 }], "(setuid)"],
  ["A03 a program with its group's rights", [{ name: "x", mode: 0o2755 }], "(setuid)"],
  ["A03 a sparse file", [{ name: "s.html", type: "S", sparseSize: 200_000 }], "«s.html» is a sparse file"],
  [
    "A03 a sparse file in attributes",
    withAttributes(tarAttribute("GNU.sparse.major", "1")),
    "contains a sparse file",
  ],
  [
    "A03 a part of a volume",
    [{ name: "x", type: "M" }],
    "neither a file nor a folder, but an entry of type «M»",
  ],
  ["A03 an unknown kind", [{ name: "x", type: "\u0001" }], "an entry of type «0x01»"],
  ["A03 a folder with a content", [{ name: "x/", type: "0", content: "hidden" }], "is a folder with content"],
  [
    "A04 more bytes than allowed",
    [{ name: "x", content: Buffer.alloc(100_001) }],
    "more than 100000 bytes",
    FEW,
  ],
  [
    "A04 many files with more bytes than allowed",
    Array.from({ length: 11 }, (_, index) => ({ name: `${index}`, content: Buffer.alloc(10_000) })),
    "unpacks to more than 100000 bytes",
    FEW,
  ],
  ["A04 a size that is a lie", [{ name: "x", size: 2 ** 32 }], "unpacks to more than 1000000000 bytes"],
  [
    "A04 a size in attributes",
    withAttributes(tarAttribute("size", "999999999999")),
    "more than 1000000000 bytes",
  ],
  ["A04 a size that is none", withAttributes(tarAttribute("size", "-1")), "it gives an entry «-1» bytes"],
  [
    "A04 more files than allowed",
    Array.from({ length: 50 }, (_, index) => ({ name: `page-${index}.html` })),
    "contains more than 40 files and folders",
    FEW,
  ],
  [
    "A04 more folders than allowed, in names only",
    Array.from({ length: 10 }, (_, index) => ({ name: `${index}/a/b/c/page.html` })),
    "contains more than 40 files and folders",
    FEW,
  ],
  [
    "A04 one folder again and again",
    Array.from({ length: 50 }, () => ({ name: "folder/", type: "5" })),
    "contains more than 40 files and folders",
    FEW,
  ],
  ["A04 folders 5000 deep", longName(`${"d/".repeat(5_000)}x`), "has a path of more than 1024 bytes"],
  ["A04 folders 65 deep", longName(`${"d/".repeat(65)}x`), "is more than 64 folders deep"],
  ["A04 an empty folder 65 deep", longName("d/".repeat(65), "5"), "is more than 64 folders deep"],
  ["A04 a name of 256 bytes", longName("ü".repeat(128)), "has a name of more than 255 bytes"],
  ["A04 a name of 4 GB", [{ name: "@", type: "L", size: 2 ** 32 }], "attributes of 4294967296 bytes"],
  ["A04 attributes of 4 GB", [{ name: "@", type: "x", size: 2 ** 32 }], "attributes of 4294967296 bytes"],
  [
    "A04 attributes without end",
    Array.from({ length: 9 }, () => ({ name: "@", type: "g", content: tarAttribute("comment", "x") })),
    "has too many attribute headers",
  ],
  [
    "A04 two sizes, of which the header's would fit",
    withAttributes(tarAttribute("size", "512")),
    "its entry «x.html» has 1 bytes by its header, and 512 by its attributes",
  ],
  ["A06 a name twice", [{ name: "guide.html" }], "its entry «guide.html» occurs twice"],
  ["A06 a name twice, in two ways", [{ name: "./guide.html" }], "its entry «./guide.html» occurs twice"],
  ["A06 a folder that is a file", [{ name: "folder" }], "«folder» is both a file and a folder"],
  ["A06 a file that is a folder", [{ name: "guide.html/x" }], "«guide.html/x» is both a file and a folder"],
  [
    "attributes that continue after their end",
    withAttributes("999 path=../evil\n"),
    "attributes cannot be read",
  ],
  ["attributes without the end of a line", withAttributes("13 path=evilX"), "attributes cannot be read"],
  ["attributes without a length", withAttributes("path=evil\n"), "attributes cannot be read"],
  ["attributes with a length in another form", withAttributes("0x0c path=e\n"), "attributes cannot be read"],
  [
    "a name for all entries",
    withAttributes(tarAttribute("path", "evil"), "g"),
    "sets «path» for all entries",
  ],
  ["a size for all entries", withAttributes(tarAttribute("size", "0"), "g"), "sets «size» for all entries"],
  [
    "two names in attributes",
    withAttributes(tarAttribute("path", "a") + tarAttribute("path", "b")),
    "sets «path» twice for one entry",
  ],
  [
    "a long name and another in attributes",
    [...longName("a").slice(0, 1), ...withAttributes(tarAttribute("path", "b"))],
    "names an entry twice",
  ],
  [
    "a link with a long target",
    [
      { name: "././@LongLink", type: "K", content: `${"t".repeat(150)}\0` },
      { name: "here", type: "2" },
    ],
    "its entry «here» ",
  ],
  ["attributes of no entry", withAttributes(tarAttribute("path", "a")).slice(0, 1), "an entry is missing"],
  ["an archive after its end", [], "continues after its end"],
];

test.each(REFUSED)("a tar.gz is refused that has %s", async (name, entries, reason, limits = {}) => {
  const archive =
    name === "an archive after its end"
      ? gzipSync(Buffer.concat([tar(SITE), tar(SITE)]))
      : tarGz([...SITE, ...entries]);
  const message = await refusalOf(archive, { ...LIMITS, ...limits });
  expect(message).toMatch(/^the bundle is refused: it[ s]/);
  expect(message).toMatch(reason);
});

/** A good site and an empty file, whose header is overwritten from an offset on. */
function written(bytes: Buffer, offset: number): Buffer {
  const header = tar([{ name: "x".repeat(offset === 0 ? bytes.length : 1) }]);
  bytes.copy(header, offset);
  header.fill(" ", 148, 156);
  const sum = header.subarray(0, 512).reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return gzipSync(Buffer.concat([tar(SITE, Buffer.alloc(0)), header]));
}

/** A name in bytes that are no text. */
function named(bytes: Buffer): Buffer {
  return written(bytes, 0);
}

/** A header with another magic, and with a text in place of the prefix. */
function withPrefix(magic: string, prefix: string): Buffer {
  const bytes = Buffer.alloc(345 + 155 - 257);
  bytes.write(magic, 0, "latin1");
  bytes.write(prefix, 345 - 257, "latin1");
  return written(bytes, 257);
}

test.each(["ustar  \0", "ustar 00", "USTAR\u000000", "\0"])(
  "a tar.gz is refused whose header has a prefix and the magic %j: programs disagree about its name",
  async (magic) => {
    expect(await refusalOf(withPrefix(magic, "folder"))).toContain(
      "its entry «x» has a name that programs read differently",
    );
    expect(await refusalOf(withPrefix(magic, "\0folder"))).toContain("programs read differently");
    expect(Object.keys(await unpacked(withPrefix(magic, "")))).toContain("x");
  },
);

test("the prefix of a POSIX header is the beginning of its name", async () => {
  expect(Object.keys(await unpacked(withPrefix("ustar\u000000", "folder")))).toContain("folder/x");
});

test("a size in attributes counts where the header has the same, or is too small for it", async () => {
  const same = withAttributes(tarAttribute("size", "1"));
  expect(Object.keys(await unpacked(tarGz([...SITE, ...same])))).toContain("x.html");
  const large = tarGz([...SITE, ...withAttributes(tarAttribute("size", String(8 ** 11)))]);
  expect(await refusalOf(large)).toContain("unpacks to more than 1000000000 bytes");
  const largest = tarGz([...SITE, ...withAttributes(tarAttribute("size", String(8 ** 11 - 1)))]);
  expect(await refusalOf(largest)).toContain("by its header");
});

test("a tar.gz is refused that has a name which is not UTF-8", async () => {
  expect(await refusalOf(named(Buffer.from([0x61, 0xff, 0x62])))).toContain("a name that is not UTF-8");
});

test("a byte order mark is part of a name", async () => {
  expect(Object.keys(await unpacked(named(Buffer.from("\ufeffx"))))).toContain("\ufeffx");
});

test("A04 a bomb is stopped by its ratio, long before its limit", async () => {
  const zeros = Array.from({ length: 20 }, (_, index) => ({
    name: `z${index}`,
    content: Buffer.alloc(5_000_000),
  }));
  const limits = { ...LIMITS, unpackedBytes: DEFAULT_UNPACKED_BYTES };
  const message = await refusalOf(tarGz([...SITE, ...zeros]), limits);
  expect(message).toBe(
    "the bundle is refused: it unpacks to more than 200 times its size, as a zip bomb does",
  );
});

test("bytes after the compressed archive are refused", async () => {
  const archive = Buffer.concat([tarGz(SITE), Buffer.alloc(100)]);
  expect(await refusalOf(archive)).toContain("it continues after the end of its compression");
});

test("A04 zeros after the end are stopped, too", async () => {
  const archive = gzipSync(tar(SITE, Buffer.alloc(70_000_000)));
  expect(await refusalOf(archive, { unpackedBytes: 1_000, files: 10 })).toContain("more than 1000 bytes");
});

test("A04 a million entries are stopped at the limit of entries", async () => {
  const folders = gzipSync(Buffer.alloc(512 * 10_000, tar([{ name: "x/", type: "5" }], Buffer.alloc(0))));
  const archive = Buffer.concat(Array.from({ length: 100 }, () => folders));
  expect(await refusalOf(archive, { ...LIMITS, files: 2_000 })).toContain(
    "contains more than 2000 files and folders",
  );
});
