import { gzipSync } from "node:zlib";
import { beforeEach, describe, expect, test } from "vitest";
import { shortened } from "../suites.ts";
import { LIMITS, NO_START_PAGE, OUTSIDE, type Refusal, TOO_LARGE } from "./archiveRefusals.ts";
import { type ArchiveServer, send } from "./archiveServer.ts";
import { type PodFolders, SYSTEMS } from "./fetchRun.ts";
import { podBesideStore, refused } from "./podBesideStore.ts";
import { type Entry, SITE, tar, tarGz } from "./tarArchive.ts";

type Row = Refusal<Entry>;

const LINK = /a symbolic link: pack with `tar -h`|cannot be listed/;
const HARD_LINK = /a hard link to something that is no earlier file in it|cannot be listed/;
const STRANGE = /neither a file nor a folder/;
const BAD_COMPRESSION = /its compression does not hold/;
const NO_FORMAT = /it is no tar.gz, tar or zip, rather perhaps a web page/;
const NO_END = /is broken: it (has no end|cannot be listed)/;

const LONG = tarGz([...SITE, { name: "long", content: gzipSync(Buffer.alloc(90_000, "abcdefg")) }]);
const BAD_CHECKSUM = tarGz(SITE);
BAD_CHECKSUM.writeUInt32LE(BAD_CHECKSUM.readUInt32LE(BAD_CHECKSUM.length - 8) ^ 1, BAD_CHECKSUM.length - 8);

/** An entry with a name that is too long for any header. */
const longName = (name: string, type = "0"): Entry[] => [
  { name: "././@LongLink", type: "L", content: `${name}\0` },
  { name: name.slice(0, 99), type },
];

const sparse = (sparseSize: number): Entry => ({ name: "sparse.html", type: "S", sparseSize });

const REFUSED: Row[] = [
  ...["../x", "/etc/x", "folder/../../x", "a/..", "..", "./../x"].map((name): Row => [
    `A01 with the name ${name}`,
    [{ name, content: "evil" }],
    OUTSIDE,
  ]),
  ...["C:\\x", "folder\\x", "..\\x"].map((name): Row => [
    `A01 with the name ${name}`,
    [{ name }],
    /a name contains a backslash/,
  ]),
  ["A01 with a drive in a name", [{ name: "c:/x" }], /a name begins with a drive/],
  ["A02 with a symbolic link", [{ name: "link", type: "2", linkName: "index.html" }], LINK],
  ["A02 with a symbolic link to outside", [{ name: "link", type: "2", linkName: "/etc" }], LINK],
  [
    "A02 with a symbolic link and a write through it",
    [
      { name: "link", type: "2", linkName: "/tmp" },
      { name: "link/x", content: "evil" },
    ],
    LINK,
  ],
  ...["/etc/passwd", "../.download/archive", "later.html", "folder", "Index.html"].map((linkName): Row => [
    `A02 with a hard link to ${linkName}`,
    [{ name: "link", type: "1", linkName }, { name: "later.html" }],
    HARD_LINK,
  ]),
  [
    "A02 with a chain of hard links",
    [
      { name: "one", type: "1", linkName: "/etc/passwd" },
      { name: "two", type: "1", linkName: "one" },
    ],
    HARD_LINK,
  ],
  [
    "A02 with a hard link whose owner's name looks like a good one",
    [{ name: "l", type: "1", linkName: "/etc/passwd", userName: "x l link to index.html" }],
    HARD_LINK,
  ],
  ["A06 with metadata twice", [{ name: "._x" }, { name: "._x" }], /it contains a name twice/],
  ["A01 with metadata outside", [{ name: "folder/../../._x" }], OUTSIDE],
  ["A01 with a folder of version control outside", [{ name: ".git/../../x" }], OUTSIDE],
  ["A03 with a character device", [{ name: "strange", type: "3" }], STRANGE],
  ["A03 with a block device", [{ name: "strange", type: "4" }], STRANGE],
  ["A03 with a fifo", [{ name: "strange", type: "6" }], STRANGE],
  ["A03 with a sparse file beyond the limit", [sparse(200_000)], /cannot be (listed|unpacked)/, LIMITS],
  ["A04 that is a bomb", [{ name: "zeros", content: Buffer.alloc(200_000_000) }], TOO_LARGE, LIMITS],
  [
    "A04 that is a little too large",
    [{ name: "big", content: Buffer.alloc(100_001) }],
    new RegExp(`${TOO_LARGE.source}|cannot be unpacked`),
    LIMITS,
  ],
  [
    "A04 with too many entries",
    Array.from({ length: 50 }, (_, index) => ({ name: `page-${index}.html` })),
    /more than fetch.maxEntries \(40\) files and folders/,
    LIMITS,
  ],
  [
    "A04 with folders 5000 deep",
    [{ name: "././@LongLink", type: "L", content: `${"d/".repeat(5000)}x\0` }, { name: "d/x" }],
    /a name is too long|cannot be listed/,
  ],
  ["A04 with folders 65 deep", longName(`${"d/".repeat(65)}x`), /folders more than 64 deep/],
  ["A04 with an empty folder 65 deep", longName("d/".repeat(65), "5"), /folders more than 64 deep/],
  [
    "A04 with too many folders that are in names only",
    Array.from({ length: 10 }, (_, index) => ({ name: `${index}/a/b/c/page.html` })),
    /more than fetch.maxEntries \(40\) files and folders/,
    LIMITS,
  ],
  [
    "A04 with too many empty folders",
    Array.from({ length: 40 }, (_, index) => ({ name: `${index}/`, type: "5" })),
    /more than fetch.maxEntries \(40\) files and folders/,
    LIMITS,
  ],
  [
    "A04 with a name that claims to be 4 GB long",
    [{ name: "././@LongLink", type: "L", size: 2 ** 32 }],
    NO_END,
  ],
  ...[0.1, 0.5, 0.9, 0.999].map((share): Row => [
    `A05 of which only ${share} came`,
    LONG.subarray(0, Math.floor(LONG.length * share)),
    BAD_COMPRESSION,
  ]),
  ["A05 with a wrong checksum", BAD_CHECKSUM, BAD_COMPRESSION],
  ["A05 whose tar is cut off in the middle of a file", gzipSync(tar(SITE).subarray(0, 700)), NO_END],
  ["A05 whose tar is cut off between two entries", gzipSync(tar(SITE).subarray(0, 1024)), NO_END],
  ["A05 whose tar is cut off before its end mark", gzipSync(tar(SITE).subarray(0, -1024)), NO_END],
  ["A06 with a name twice", [{ name: "guide.html", content: "other" }], /it contains a name twice/],
  [
    "with a line break in a name",
    [{ name: "a\nb.html" }],
    /control character|neither a file|twice|cannot be/,
  ],
  [
    "with a line break in a name that looks like an entry in a listing",
    [{ name: "a\n-evil.html" }],
    /control character|neither a file/,
  ],
  [
    "with a line break in a name that looks like a whole line of a listing",
    [{ name: "a\n-rw-r--r-- 0/0 4 2030-01-01 00:00:00 b.html" }],
    /control character/,
  ],
  [
    "with an escape sequence in a name, which no log repeats",
    [{ name: "a\u001b[31m.html" }],
    /^[^\u001b]*a name contains a control character[^\u001b]*$/,
  ],
  [
    "with an owner's name that looks like another column",
    [{ name: "link", type: "2", linkName: "/etc", userName: "a\n-rw-r--r-- b" }],
    /symbolic link|neither a file/,
  ],
  ["that is an HTML page", Buffer.from("<!doctype html><title>Sign in</title>"), NO_FORMAT],
  ["that is nothing", Buffer.alloc(0), NO_FORMAT],
  ["that is nothing, compressed", gzipSync(Buffer.alloc(0)), NO_FORMAT],
  ["that is an xz", Buffer.from("fd377a585a000004", "hex"), NO_FORMAT],
  ["without a start page", tarGz([{ name: "guide.html" }]), NO_START_PAGE],
  [
    "with a start page that is deeper",
    tarGz([{ name: "a.txt" }, { name: "x/y/z/index.html" }, { name: "build/html/index.html" }]),
    /no index.html at its root or in its only folder, only in build\/html: pack the content of that folder/,
  ],
  [
    "with a start page in one of two folders only",
    tarGz([{ name: "a/index.html" }, { name: "b/x.html" }]),
    NO_START_PAGE,
  ],
  ["with only an empty folder", tarGz([{ name: "a/", type: "5", mode: 0o755 }]), NO_START_PAGE],
];

describe.each(shortened(SYSTEMS))("with %s, the archive", (system) => {
  let pod: PodFolders;
  let server: ArchiveServer;
  beforeEach(async (context) => {
    ({ pod, server } = await podBesideStore(context, system, tarGz(SITE)));
  });

  test.each(REFUSED)("%s is refused", async (_, archive, reason, environment) => {
    server.answer = send(Buffer.isBuffer(archive) ? archive : tarGz([...SITE, ...archive]));
    expect(await refused(pod, environment)).toMatch(reason);
  });

  test("A04 with 401 names of 500 folders each, 8 KB, is refused before a folder is made", async () => {
    const names = Array.from({ length: 401 }, (_, index) => `${index}/${"d/".repeat(499)}x`);
    server.answer = send(tarGz([...SITE, ...names.flatMap((name) => longName(name))]));
    const run = await pod.start({ TIME_LIMIT_SECONDS: "20" });
    expect((await run.ended).terminationMessage).toMatch(/folders more than 64 deep/);
    expect(run.seconds).toBeLessThan(10);
  });

  test("A04 that takes longer to decompress than the time limit is stopped there", async () => {
    server.answer = send(gzipSync(Buffer.alloc(2 ** 30), { level: 1 }));
    const run = await pod.start({ TIME_LIMIT_SECONDS: "1", MAX_UNPACKED_BYTES: String(2 ** 32) });
    expect((await run.ended).terminationMessage).toMatch(
      /within 1 s.*checking and unpacking the archive took too long/,
    );
    expect(run.seconds).toBeLessThan(4);
  });

  test("A03 with a sparse file is unpacked whole within the limit, and refused where tar knows none", async () => {
    server.answer = send(tarGz([...SITE, sparse(2_000)]));
    if (system === "busybox") return expect(await refused(pod)).toContain("cannot be listed");
    expect((await pod.fetch()).code).toBe(0);
    expect(pod.served()?.["sparse.html"]).toBe("\0".repeat(2_000));
  });

  test("A05 with garbage behind it is refused where gzip reports it; busybox's unpacks what its checksum covers", async () => {
    server.answer = send(Buffer.concat([tarGz(SITE), Buffer.from("garbage")]));
    if (system !== "busybox") return expect(await refused(pod)).toMatch(BAD_COMPRESSION);
    await pod.fetch();
    expect(Object.keys(pod.served() ?? {}).sort()).toEqual(["folder/index.html", "guide.html", "index.html"]);
  });

  // busybox's shell has these programs built in
  if (system !== "busybox") {
    test.each([
      ["gzip", "exec sleep 30"],
      ["tar", 'case $* in *-tf*) exec sleep 30 ;; esac; exec /usr/bin/tar "$@"'],
      ["tar", 'case $* in *-tvf*) exec sleep 30 ;; esac; exec /usr/bin/tar "$@"'],
      ["tar", 'case $* in *-xf*) exec sleep 30 ;; esac; exec /usr/bin/tar "$@"'],
      ["xargs", "exec sleep 30"],
      ["chmod", "exec sleep 30"],
      ["find", "exec sleep 30"],
      ["touch", "exec sleep 30"],
    ])("A04 ends at the time limit when %s never ends: %s", async (name, script) => {
      pod.replaceProgram(name, script);
      server.answer = send(tarGz(SITE.map((entry) => ({ ...entry, time: 1 }))));
      const run = await pod.start({ TIME_LIMIT_SECONDS: "2" });
      expect((await run.ended).terminationMessage).toMatch(/within 2 s.*took too long/);
      expect(run.seconds).toBeLessThan(15);
    });
  }
});
