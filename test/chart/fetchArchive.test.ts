import { chmodSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeEach, describe, expect, test } from "vitest";
import { type ArchiveServer, send } from "./archiveServer.ts";
import { CANARY, PodFolders, SYSTEMS } from "./fetchRun.ts";
import { podBesideStore, refused } from "./podBesideStore.ts";
import { type Entry, SITE, tar, tarGz } from "./tarArchive.ts";
import { SYMBOLIC_LINK, zip, type ZipEntry } from "./zipArchive.ts";

/** What is wrong, the archive or what the site has on top, what is said of it, settings. */
type Row = [name: string, archive: Buffer | Entry[], reason: RegExp, environment?: Record<string, string>];

const OUTSIDE = /a name (leads outside|begins at the root)|an entry's name leads outside its folder/;
const LINK = /symbolic or hard link|cannot be listed/;
const STRANGE = /neither a file nor a folder/;
const TOO_LARGE = /more than fetch.maxUnpackedBytes \(100000\)/;
const BAD_COMPRESSION = /its compression does not hold/;
const NO_FORMAT = /it is no tar.gz, tar or zip, rather perhaps a web page/;
const NO_END = /is broken: it (has no end|cannot be listed)/;
const NO_START_PAGE = /it has no index.html/;
const LIMITS = { MAX_UNPACKED_BYTES: "100000", MAX_ENTRIES: "40" };

const LONG = tarGz([...SITE, { name: "long", content: gzipSync(Buffer.alloc(90_000, "abcdefg")) }]);
const BAD_CHECKSUM = tarGz(SITE);
BAD_CHECKSUM.writeUInt32LE(BAD_CHECKSUM.readUInt32LE(BAD_CHECKSUM.length - 8) ^ 1, BAD_CHECKSUM.length - 8);

/** An entry with a name that no header has room for. */
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
    /a name holds a backslash/,
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
  ["A02 with a hard link", [{ name: "link", type: "1", linkName: "index.html" }], LINK],
  [
    "A02 with a chain of hard links",
    [
      { name: "one", type: "1", linkName: "/etc/passwd" },
      { name: "two", type: "1", linkName: "one" },
    ],
    LINK,
  ],
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
  ["A06 with a name twice", [{ name: "guide.html", content: "other" }], /it holds a name twice/],
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
    /^[^\u001b]*a name holds a control character[^\u001b]*$/,
  ],
  [
    "with an owner's name that looks like another column",
    [{ name: "link", type: "2", linkName: "/etc", userName: "a\n-rw-r--r-- b" }],
    /symbolic or hard link|neither a file/,
  ],
  ["that is an HTML page", Buffer.from("<!doctype html><title>Sign in</title>"), NO_FORMAT],
  ["that is nothing", Buffer.alloc(0), NO_FORMAT],
  ["that is nothing, compressed", gzipSync(Buffer.alloc(0)), NO_FORMAT],
  ["that is an xz", Buffer.from("fd377a585a000004", "hex"), NO_FORMAT],
  ["without a start page", tarGz([{ name: "guide.html" }]), NO_START_PAGE],
  [
    "with a start page in one of two folders only",
    tarGz([{ name: "a/index.html" }, { name: "b/x.html" }]),
    NO_START_PAGE,
  ],
  ["with only an empty folder", tarGz([{ name: "a/", type: "5", mode: 0o755 }]), NO_START_PAGE],
];

const ZIP_SITE: readonly ZipEntry[] = SITE.map(({ name, content = "" }) => ({ name, content }));
const LONG_ZIP = zip([...ZIP_SITE, { name: "long", content: gzipSync(Buffer.alloc(90_000, "abcdefg")) }]);
const BAD_ZIP = Buffer.from(LONG_ZIP);
const IN_LONG = LONG_ZIP.indexOf("long") + 50;
BAD_ZIP.writeUInt8(BAD_ZIP.readUInt8(IN_LONG) ^ 1, IN_LONG);

/** As `Row`. */
type ZipRow = [
  name: string,
  archive: Buffer | ZipEntry[],
  reason: RegExp,
  environment?: Record<string, string>,
];

const REFUSED_ZIPS: ZipRow[] = [
  ...["../x", "/etc/x", "folder/../../x", "a/..", "..", "./../x"].map((name): ZipRow => [
    `the name ${name}`,
    [{ name, content: "evil" }],
    OUTSIDE,
  ]),
  [
    "another name before its content, outside",
    [{ name: "x", localName: "../../x" }],
    /outside|does not hold/,
  ],
  ["a backslash in a name", [{ name: "folder\\x" }], /a name holds a backslash/],
  ["a name twice", [{ name: "guide.html", content: "other" }], /it holds a name twice/],
  ["a symbolic link", [{ name: "link", mode: SYMBOLIC_LINK, content: "folder" }], /symbolic link/],
  [
    "a symbolic link and a write through it",
    [
      { name: "link", mode: SYMBOLIC_LINK, content: "folder" },
      { name: "link/index.html", content: "evil" },
    ],
    /symbolic link|cannot be unpacked/,
  ],
  ["a file that is encrypted", [{ name: "x", content: "x", encrypted: true }], /cut off, damaged, encrypted/],
  ["a file that unpacks to too much", [{ name: "x", content: Buffer.alloc(200_000) }], TOO_LARGE, LIMITS],
  [
    "a file that unpacks to more than it says",
    [{ name: "x", content: Buffer.alloc(200_000), size: 10 }],
    /fetch.maxUnpackedBytes|does not hold/,
    LIMITS,
  ],
  [
    "too many folders that are in names only",
    Array.from({ length: 10 }, (_, index) => ({ name: `${index}/a/b/c/page.html` })),
    /more than fetch.maxEntries \(40\) files and folders/,
    LIMITS,
  ],
  ["its end missing", LONG_ZIP.subarray(0, -30), /does not hold/],
  ["its beginning only", LONG_ZIP.subarray(0, LONG_ZIP.length / 2), /does not hold/],
  ["a flipped bit", BAD_ZIP, /does not hold/],
  ["no start page", zip([{ name: "guide.html" }]), NO_START_PAGE],
];

describe.each(SYSTEMS)("with %s, the archive", (system) => {
  let pod: PodFolders;
  let server: ArchiveServer;
  beforeEach(async (context) => {
    ({ pod, server } = await podBesideStore(context, system, tarGz(SITE)));
  });

  test.each(REFUSED)("%s is refused", async (_, archive, reason, environment) => {
    server.answer = send(Buffer.isBuffer(archive) ? archive : tarGz([...SITE, ...archive]));
    expect(await refused(pod, environment)).toMatch(reason);
  });

  test.each(REFUSED_ZIPS)(
    "that is a zip with %s is refused, and writes nowhere else",
    async (_, archive, reason, environment) => {
      server.answer = send(Buffer.isBuffer(archive) ? archive : zip([...ZIP_SITE, ...archive]));
      expect(await refused(pod, environment)).toMatch(reason);
    },
  );

  test("that is a zip whose link leads outside is refused, and nothing is written through it", async () => {
    const outside = join(pod.root, "outside");
    mkdirSync(outside, { mode: 0o777 });
    chmodSync(outside, 0o777);
    const link = { name: "link", mode: SYMBOLIC_LINK, content: outside };
    server.answer = send(zip([...ZIP_SITE, link, { name: "link/x", content: "evil" }]));
    const { code } = await pod.fetch();
    expect(code).toBe(1);
    expect(readdirSync(outside)).toEqual([]);
    expect(pod.served()).toBeUndefined();
  });

  test("that is a zip with a line break in a name is refused where unzip keeps it; Info-ZIP's takes it away", async () => {
    server.answer = send(zip([...ZIP_SITE, { name: "a\nb.html" }]));
    if (system === "busybox") return expect(await refused(pod)).toContain("a name holds a control character");
    await pod.fetch();
    expect(pod.served()).toHaveProperty("ab.html");
  });

  test("may be a zip, whose files are unpacked with modes and times of our own", async () => {
    server.answer = send(
      zip([...ZIP_SITE, { name: "shut.html", mode: 0o100000 }, { name: "a b/-rf $(x).html" }]),
    );
    const { log } = await pod.fetch();
    expect(log).toContain("5 files");
    expect(pod.served()).toMatchObject({ "folder/index.html": "<h1>Folder</h1>", "a b/-rf $(x).html": "" });
    const { mode, mtimeMs } = statSync(join(pod.site, "active/shut.html"));
    expect(mode & 0o7777).toBe(0o644);
    expect(mtimeMs).toBe(statSync(join(pod.site, "active/index.html")).mtimeMs);
    expect(mtimeMs).toBeLessThan(Date.now() - 3_600_000);
  });

  test("A04 with 401 names of 500 folders each, 8 KB, is refused before a folder is made", async () => {
    const names = Array.from({ length: 401 }, (_, index) => `${index}/${"d/".repeat(499)}x`);
    server.answer = send(tarGz([...SITE, ...names.flatMap((name) => longName(name))]));
    const run = await pod.start({ TIME_LIMIT_SECONDS: "20" });
    expect((await run.ended).terminationMessage).toMatch(/folders more than 64 deep/);
    expect(run.seconds).toBeLessThan(10);
  });

  test("A04 that takes longer to decompress than the time limit is ended there", async () => {
    server.answer = send(gzipSync(Buffer.alloc(2 ** 30), { level: 1 }));
    const run = await pod.start({ TIME_LIMIT_SECONDS: "1", MAX_UNPACKED_BYTES: String(2 ** 32) });
    expect((await run.ended).terminationMessage).toMatch(
      /within 1 s.*checking and unpacking the archive took too long/,
    );
    expect(run.seconds).toBeLessThan(4);
  });

  test("A03 is unpacked without the right to run, to write or to become somebody", async () => {
    server.answer = send(
      tarGz([...SITE, { name: "root.html", mode: 0o6777 }, { name: "shut.html", mode: 0 }]),
    );
    expect((await pod.fetch()).code).toBe(0);
    for (const name of ["root.html", "shut.html", "index.html"]) {
      expect(statSync(join(pod.site, "active", name)).mode & 0o7777).toBe(0o644);
    }
    expect(statSync(join(pod.site, "active/folder")).mode & 0o7777).toBe(0o755);
  });

  test("A03 with a sparse file is unpacked whole within the limit, and refused where tar knows none", async () => {
    server.answer = send(tarGz([...SITE, sparse(2_000)]));
    if (system === "busybox") return expect(await refused(pod)).toContain("cannot be listed");
    expect((await pod.fetch()).code).toBe(0);
    expect(pod.served()?.["sparse.html"]).toBe("\0".repeat(2_000));
  });

  test("A05 with garbage behind it is refused where gzip tells; busybox's unpacks what its checksum covers", async () => {
    server.answer = send(Buffer.concat([tarGz(SITE), Buffer.from("garbage")]));
    if (system !== "busybox") return expect(await refused(pod)).toMatch(BAD_COMPRESSION);
    await pod.fetch();
    expect(Object.keys(pod.served() ?? {}).sort()).toEqual(["folder/index.html", "guide.html", "index.html"]);
  });

  test("A06 keeps names apart that differ in case or in Unicode form, as links do on a web server", async () => {
    const names = ["Guide.html", "\u00fc.html", "u\u0308.html", "aux.html"];
    server.answer = send(tarGz([...SITE, ...names.map((name) => ({ name, content: name }))]));
    expect((await pod.fetch()).code).toBe(0);
    expect(pod.served()).toMatchObject(Object.fromEntries(names.map((name) => [name, name])));
    expect(pod.served()).toMatchObject({ "guide.html": "<h1>Guide</h1>" });
  });

  test("is unwrapped when everything is in one folder", async () => {
    server.answer = send(tarGz(SITE.map((entry) => ({ ...entry, name: `./my site-1.2/${entry.name}` }))));
    expect((await pod.fetch()).code).toBe(0);
    expect(Object.keys(pod.served() ?? {}).sort()).toEqual(["folder/index.html", "guide.html", "index.html"]);
  });

  test("is unpacked when its folders are read-only, and names, also an owner's, have spaces, quotes and dashes", async () => {
    const entries: Entry[] = [
      { name: "./", type: "5", mode: 0o555 },
      ...SITE.map((entry) => ({ ...entry, ...(entry.type === "5" && { mode: 0o555 }) })),
      { name: "folder/-rf $(x) 'a\" &;.html", content: "odd" },
    ];
    server.answer = send(tarGz(entries.map((entry) => ({ ...entry, userName: "a b c" }))));
    expect((await pod.fetch()).log).toContain("4 files");
    expect(pod.served()).toMatchObject({ "folder/-rf $(x) 'a\" &;.html": "odd" });
  });

  test("keeps the times of its files", async () => {
    await pod.fetch();
    expect(statSync(join(pod.site, "active/guide.html")).mtimeMs).toBe(600_000_001_000);
  });

  test("gets times of its own when all its files have one and the same, or nginx's ETags would never change", async () => {
    const timeOf = async (content: string) => {
      const entries = [...SITE, { name: "new.html", content }];
      server.answer = send(tarGz(entries.map((entry) => ({ ...entry, time: 1 }))));
      const one = new PodFolders(system);
      one.writeSecret(`${server.url}/?${CANARY}`);
      await one.fetch();
      const time = statSync(join(one.site, "active/index.html")).mtimeMs;
      one.remove();
      return time;
    };
    const [first, again, other] = [await timeOf("a"), await timeOf("a"), await timeOf("b")];
    expect(first).not.toBe(1000);
    expect(again).toBe(first);
    expect(other).not.toBe(first);
    expect(Math.max(first, other)).toBeLessThan(Date.now());
  });

  test("D15 never shows half a site, whenever the container is killed, and the next start succeeds", async () => {
    const pages = Array.from({ length: 200 }, (_, index) => ({
      name: `page-${index}.html`,
      content: "page",
    }));
    server.answer = send(tarGz([...SITE, ...pages]));
    for (let afterMs = 20; afterMs < 500; afterMs += 60) {
      const run = await pod.start();
      await new Promise((resolve) => setTimeout(resolve, afterMs));
      run.kill();
      await run.ended;
      expect([undefined, 203]).toContain(pod.served() && Object.keys(pod.served() ?? {}).length);
    }
    expect((await pod.fetch()).code).toBe(0);
    expect(Object.keys(pod.served() ?? {})).toHaveLength(203);
    expect(pod.leftovers()).toEqual([]);
  }, 120_000);

  // busybox's shell has these programs in itself
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

  test("of another content is fetched, when the volume has one", async () => {
    await pod.fetch();
    pod.writeSecret(`${server.url}/?${CANARY}`, "fedcba9876543210");
    expect((await pod.fetch({ CONTENT_ID: "fedcba9876543210" })).code).toBe(0);
    expect(server.requests).toHaveLength(2);
  });

  test("is not fetched again when the same pod's container is started anew", async () => {
    await pod.fetch();
    const { code, log } = await pod.fetch();
    expect(code).toBe(0);
    expect(log).toContain("Version «v1» is unpacked already");
    expect(server.requests).toHaveLength(1);
  });
});
