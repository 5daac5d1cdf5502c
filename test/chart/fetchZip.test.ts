import { chmodSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeEach, describe, expect, test } from "vitest";
import { shortened } from "../suites.ts";
import { LIMITS, NO_START_PAGE, OUTSIDE, type Refusal, TOO_LARGE } from "./archiveRefusals.ts";
import { type ArchiveServer, send } from "./archiveServer.ts";
import { type PodFolders, SYSTEMS } from "./fetchRun.ts";
import { podBesideStore, refused } from "./podBesideStore.ts";
import { SITE, tarGz } from "./tarArchive.ts";
import { SYMBOLIC_LINK, zip, type ZipEntry } from "./zipArchive.ts";

const ZIP_SITE: readonly ZipEntry[] = SITE.map(({ name, content = "" }) => ({ name, content }));
const LONG_ZIP = zip([...ZIP_SITE, { name: "long", content: gzipSync(Buffer.alloc(90_000, "abcdefg")) }]);
const BAD_ZIP = Buffer.from(LONG_ZIP);
const IN_LONG = LONG_ZIP.indexOf("long") + 50;
BAD_ZIP.writeUInt8(BAD_ZIP.readUInt8(IN_LONG) ^ 1, IN_LONG);

type Row = Refusal<ZipEntry>;

const REFUSED_ZIPS: Row[] = [
  ...["../x", "/etc/x", "folder/../../x", "a/..", "..", "./../x"].map((name): Row => [
    `the name ${name}`,
    [{ name, content: "evil" }],
    OUTSIDE,
  ]),
  [
    "another name before its content, outside",
    [{ name: "x", localName: "../../x" }],
    /outside|does not hold/,
  ],
  ["a backslash in a name", [{ name: "folder\\x" }], /a name contains a backslash/],
  ["a name twice", [{ name: "guide.html", content: "other" }], /it contains a name twice/],
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

describe.each(shortened(SYSTEMS))("with %s, the archive", (system) => {
  let pod: PodFolders;
  let server: ArchiveServer;
  beforeEach(async (context) => {
    ({ pod, server } = await podBesideStore(context, system, tarGz(SITE)));
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

  test("that is a zip with a line break in a name is refused where unzip keeps it; Info-ZIP's removes it", async () => {
    server.answer = send(zip([...ZIP_SITE, { name: "a\nb.html" }]));
    if (system === "busybox") {
      return expect(await refused(pod)).toContain("a name contains a control character");
    }
    await pod.fetch();
    expect(pod.served()).toHaveProperty("ab.html");
  });

  test("may be a zip, whose files are unpacked with our own modes and times", async () => {
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
});
