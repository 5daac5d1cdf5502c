import { statSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeEach, describe, expect, test } from "vitest";
import { type ArchiveServer, send } from "./archiveServer.ts";
import { CANARY, PodFolders, SYSTEMS } from "./fetchRun.ts";
import { podBesideStore, refused } from "./podBesideStore.ts";
import { type Entry, SITE, tar, tarGz } from "./tarArchive.ts";

/** What is wrong, the archive or what the site has on top, what is said of it, settings. */
type Row = [name: string, archive: Buffer | Entry[], reason: RegExp, environment?: Record<string, string>];

const OUTSIDE = /a name (leads outside|begins at the root)|an entry's name leads outside its folder/;
const LINK = /symbolic or hard link|cannot be listed/;
const STRANGE = /neither a file nor a folder/;
const TOO_LARGE = /more than fetch.maxUnpackedBytes \(100000\)/;
const BAD_COMPRESSION = /its compression does not hold/;
const NO_END = /is broken: it (has no end|cannot be listed)/;
const NO_START_PAGE = /it has no index.html/;
const LIMITS = { MAX_UNPACKED_BYTES: "100000", MAX_ENTRIES: "40" };

const LONG = tarGz([...SITE, { name: "long", content: gzipSync(Buffer.alloc(90_000, "abcdefg")) }]);
const BAD_CHECKSUM = tarGz(SITE);
BAD_CHECKSUM.writeUInt32LE(BAD_CHECKSUM.readUInt32LE(BAD_CHECKSUM.length - 8) ^ 1, BAD_CHECKSUM.length - 8);

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
    "with an escape sequence in a name, which no log repeats",
    [{ name: "a\u001b[31m.html" }],
    /^[^\u001b]*a name holds a control character[^\u001b]*$/,
  ],
  [
    "with an owner's name that looks like another column",
    [{ name: "link", type: "2", linkName: "/etc", userName: "a\n-rw-r--r-- b" }],
    /symbolic or hard link|neither a file/,
  ],
  ["that is an HTML page", Buffer.from("<!doctype html><title>Sign in</title>"), /rather perhaps a web page/],
  ["that is nothing", Buffer.alloc(0), /it is empty/],
  ["that is nothing, compressed", gzipSync(Buffer.alloc(0)), /it is empty/],
  [
    "that is a zip",
    Buffer.from("PK\u0003\u0004 and more"),
    /it is of format zip; tar.gz and tar can be unpacked here/,
  ],
  ["that is an xz", Buffer.from("fd377a585a000004", "hex"), /it is of format xz/],
  ["without a start page", tarGz([{ name: "guide.html" }]), NO_START_PAGE],
  [
    "with a start page in one of two folders only",
    tarGz([{ name: "a/index.html" }, { name: "b/x.html" }]),
    NO_START_PAGE,
  ],
  ["with only an empty folder", tarGz([{ name: "a/", type: "5", mode: 0o755 }]), NO_START_PAGE],
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

  test("is not fetched again when the same pod's container is started anew", async () => {
    await pod.fetch();
    const { code, log } = await pod.fetch();
    expect(code).toBe(0);
    expect(log).toContain("Version v1 is unpacked already");
    expect(server.requests).toHaveLength(1);
  });
});
