import { statSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ArchiveServer, send, startArchiveServer } from "./archiveServer.ts";
import { CANARY, PodFolders, SYSTEMS } from "./fetchRun.ts";
import { type Entry, SITE, tar, tarGz } from "./tarArchive.ts";

describe.each(SYSTEMS)("with %s, the archive", (system) => {
  let pod: PodFolders;
  let server: ArchiveServer;

  beforeEach(async () => {
    pod = new PodFolders(system);
    server = await startArchiveServer(send(tarGz(SITE)));
    pod.writeSecret(`${server.url}/bundle.tar.gz?signature=${CANARY}`);
  });
  afterEach(async () => {
    pod.remove();
    await server.close();
  });

  /** Expects that nothing of the archive is served and nothing left over, and returns the reason that the pod gives. */
  async function refused(archive: Buffer, environment: Record<string, string> = {}): Promise<string> {
    server.answer = send(archive);
    const { code, log, terminationMessage } = await pod.fetch(environment);
    expect(log).not.toMatch(/fetch-bundle.sh|arithmetic|not found/);
    expect(pod.served()).toBeUndefined();
    expect(pod.leftovers()).toEqual([]);
    expect(pod.keptCopies()).toEqual([]);
    expect(code).toBe(1);
    expect(log).toContain(terminationMessage.trim());
    return terminationMessage;
  }

  const OUTSIDE = /a name (leads outside|begins at the root)|an entry's name leads outside its folder/;

  test.each(["../x", "/etc/x", "folder/../../x", "a/..", "..", "./../x"])(
    "A01 is refused for the name %s",
    async (name) => {
      expect(await refused(tarGz([...SITE, { name, content: "evil" }]))).toMatch(OUTSIDE);
    },
  );

  test.each(["C:\\x", "folder\\x", "..\\x"])("A01 is refused for the name %s", async (name) => {
    expect(await refused(tarGz([...SITE, { name }]))).toContain("a name holds a backslash");
  });

  test("A01 is refused for a drive in a name", async () => {
    expect(await refused(tarGz([...SITE, { name: "c:/x" }]))).toContain("a name begins with a drive");
  });

  test.each<[string, Entry[]]>([
    ["a symbolic link", [{ name: "link", type: "2", linkName: "index.html" }]],
    ["a symbolic link to outside", [{ name: "link", type: "2", linkName: "/etc" }]],
    [
      "a symbolic link and a write through it",
      [
        { name: "link", type: "2", linkName: "/tmp" },
        { name: "link/x", content: "evil" },
      ],
    ],
    ["a hard link", [{ name: "link", type: "1", linkName: "index.html" }]],
    [
      "a chain of hard links",
      [
        { name: "one", type: "1", linkName: "/etc/passwd" },
        { name: "two", type: "1", linkName: "one" },
      ],
    ],
  ])("A02 is refused for %s", async (_, entries) => {
    expect(await refused(tarGz([...SITE, ...entries]))).toMatch(/symbolic or hard link|cannot be listed/);
  });

  test.each([
    ["a character device", "3"],
    ["a block device", "4"],
    ["a fifo", "6"],
  ])("A03 is refused for %s", async (_, type) => {
    expect(await refused(tarGz([...SITE, { name: "strange", type }]))).toContain(
      "neither a file nor a folder",
    );
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

  const sparse = (sparseSize: number): Buffer =>
    tarGz([...SITE, { name: "sparse.html", type: "S", sparseSize }]);

  test("A03 is refused for a sparse file that unpacks to more than the limit", async () => {
    const reason = await refused(sparse(200_000), { MAX_UNPACKED_BYTES: "100000" });
    expect(reason).toMatch(/cannot be (listed|unpacked)/);
  });

  test("A03 is refused, where tar knows no sparse files, or unpacked whole within the limit", async () => {
    if (system === "busybox") return expect(await refused(sparse(2_000))).toContain("cannot be listed");
    server.answer = send(sparse(2_000));
    expect((await pod.fetch()).code).toBe(0);
    expect(pod.served()?.["sparse.html"]).toBe("\0".repeat(2_000));
  });

  test("A04 is stopped early when it is a bomb", async () => {
    const limits = { MAX_UNPACKED_BYTES: "100000", MAX_ENTRIES: "10" };
    const bomb = tarGz([...SITE, { name: "zeros", content: Buffer.alloc(200_000_000) }]);
    expect(bomb.length).toBeLessThan(300_000);
    expect(await refused(bomb, limits)).toContain("more than fetch.maxUnpackedBytes (100000)");
  });

  test("A04 is refused for what is a little too large", async () => {
    const archive = tarGz([...SITE, { name: "big", content: Buffer.alloc(100_001) }]);
    const limits = { MAX_UNPACKED_BYTES: "100000" };
    expect(await refused(archive, limits)).toMatch(
      /more than fetch.maxUnpackedBytes \(100000\)|cannot be unpacked/,
    );
  });

  test("A04 is refused for too many entries", async () => {
    const entries = Array.from({ length: 50 }, (_, index) => ({ name: `page-${index}.html` }));
    const reason = await refused(tarGz([...SITE, ...entries]), { MAX_ENTRIES: "40" });
    expect(reason).toContain("more than fetch.maxEntries (40) files and folders");
  });

  test("A04 is refused for folders 5000 deep", async () => {
    const longName = `${"d/".repeat(5000)}x`;
    const entries = [{ name: "././@LongLink", type: "L", content: `${longName}\0` }, { name: "d/x" }];
    expect(await refused(tarGz([...SITE, ...entries]))).toMatch(/a name is too long|cannot be listed/);
  });

  test("A04 is refused for a name that claims to be 4 GB long", async () => {
    const entries = [{ name: "././@LongLink", type: "L", size: 2 ** 32 }];
    expect(await refused(tarGz([...SITE, ...entries]))).toMatch(
      /is broken: it (cannot be listed|has no end)/,
    );
  });

  test.each([0.1, 0.5, 0.9, 0.999])("A05 is not unpacked when only %s of it came", async (share) => {
    const archive = tarGz([...SITE, { name: "random", content: gzipSync(Buffer.alloc(90_000, "abcdefg")) }]);
    const reason = await refused(archive.subarray(0, Math.floor(archive.length * share)));
    expect(reason).toContain("its compression does not hold");
  });

  test("A05 is not unpacked when its checksum does not hold", async () => {
    const archive = tarGz(SITE);
    archive.writeUInt32LE(archive.readUInt32LE(archive.length - 8) ^ 1, archive.length - 8);
    expect(await refused(archive)).toContain("its compression does not hold");
  });

  test.each([
    ["in the middle of a file", 700],
    ["between two entries", 1024],
    ["before its end mark", -1024],
  ])("A05 is not unpacked when the tar inside was cut off %s", async (_, bytes) => {
    expect(await refused(gzipSync(tar(SITE).subarray(0, bytes)))).toMatch(
      /is broken: it (has no end|cannot be listed)/,
    );
  });

  test("A05 with garbage behind it is refused where gzip tells; busybox's unpacks what its checksum covers", async () => {
    const archive = Buffer.concat([tarGz(SITE), Buffer.from("garbage")]);
    if (system !== "busybox") {
      expect(await refused(archive)).toContain("its compression does not hold");
      return;
    }
    server.answer = send(archive);
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

  test("A06 is refused when it holds a name twice", async () => {
    const twice = [{ name: "guide.html", content: "other" }];
    expect(await refused(tarGz([...SITE, ...twice]))).toContain("it holds a name twice");
  });

  test.each([
    ["a line break", "a\nb.html", /control character|neither a file|twice|cannot be/],
    ["an escape sequence", "a\u001b[31m.html", /a name holds a control character/],
  ])("is refused for %s in a name, and the log does not repeat it", async (_, name, expected) => {
    const reason = await refused(tarGz([...SITE, { name }]));
    expect(reason).toMatch(expected);
    expect(reason).not.toContain("\u001b");
  });

  test("is not fooled by an owner's name that looks like another column", async () => {
    const entries = [{ name: "link", type: "2", linkName: "/etc", userName: "a\n-rw-r--r-- b" }];
    expect(await refused(tarGz([...SITE, ...entries]))).toMatch(/symbolic or hard link|neither a file/);
    server.answer = send(
      tarGz(SITE.map((entry) => ({ ...entry, userName: "a b -> c".replace(" -> ", " ") }))),
    );
    expect((await pod.fetch()).code).toBe(0);
  });

  test.each([
    ["an HTML page", Buffer.from("<!doctype html><title>Sign in</title>"), "rather perhaps a web page"],
    ["nothing", Buffer.alloc(0), "it is empty"],
    ["nothing, compressed", gzipSync(Buffer.alloc(0)), "it is empty"],
    [
      "a zip",
      Buffer.from("PK\u0003\u0004 and more"),
      "it is of format zip; tar.gz and tar can be unpacked here",
    ],
    ["an xz", Buffer.from("fd377a585a000004", "hex"), "it is of format xz"],
  ])("is refused when it is %s", async (_, content, reason) => {
    expect(await refused(content)).toContain(reason);
  });

  test.each<[string, Entry[]]>([
    ["no start page", [{ name: "guide.html" }]],
    ["no start page but in one of two folders", [{ name: "a/index.html" }, { name: "b/x.html" }]],
    ["only an empty folder", [{ name: "a/", type: "5", mode: 0o755 }]],
  ])("is refused when it has %s", async (_, entries) => {
    expect(await refused(tarGz(entries))).toContain("it has no index.html");
  });

  test("is unwrapped when everything is in one folder", async () => {
    server.answer = send(tarGz(SITE.map((entry) => ({ ...entry, name: `./my site-1.2/${entry.name}` }))));
    expect((await pod.fetch()).code).toBe(0);
    expect(Object.keys(pod.served() ?? {}).sort()).toEqual(["folder/index.html", "guide.html", "index.html"]);
  });

  test("is unpacked when its folders are read-only, and when names have spaces, quotes and dashes", async () => {
    const entries = [
      { name: "./", type: "5", mode: 0o555 },
      ...SITE.map((entry) => ({ ...entry, ...(entry.type === "5" && { mode: 0o555 }) })),
      { name: "folder/-rf $(x) 'a\" &;.html", content: "odd" },
    ];
    server.answer = send(tarGz(entries));
    expect((await pod.fetch()).log).toContain("4 files");
    expect(pod.served()).toMatchObject({ "folder/-rf $(x) 'a\" &;.html": "odd" });
  });

  test("keeps the times of its files", async () => {
    await pod.fetch();
    expect(statSync(join(pod.site, "active/guide.html")).mtimeMs).toBe(600_000_001_000);
  });

  test("gets times of its own when all its files have one and the same, or nginx's ETags would never change", async () => {
    const timesOf = async (content: string) => {
      server.answer = send(
        tarGz([...SITE, { name: "new.html", content }].map((entry) => ({ ...entry, time: 1 }))),
      );
      const one = new PodFolders(system);
      one.writeSecret(`${server.url}/?${CANARY}`);
      await one.fetch();
      const time = statSync(join(one.site, "active/index.html")).mtimeMs;
      one.remove();
      return time;
    };
    const [first, again, other] = [await timesOf("a"), await timesOf("a"), await timesOf("b")];
    expect(first).not.toBe(1000);
    expect(again).toBe(first);
    expect(other).not.toBe(first);
    expect(Math.max(first, other)).toBeLessThan(Date.now());
  });

  test("D15 never shows half a site, whenever the container is killed, and the next start succeeds", async () => {
    const entries = Array.from({ length: 200 }, (_, index) => ({
      name: `page-${index}.html`,
      content: "page",
    }));
    server.answer = send(tarGz([...SITE, ...entries]));
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
