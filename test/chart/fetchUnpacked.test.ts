import { statSync } from "node:fs";
import { basename, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { shortened } from "../suites.ts";
import { type ArchiveServer, send } from "./archiveServer.ts";
import { exported, EXPORTED_FORMS } from "./exportedForms.ts";
import { CANARY, PodFolders, SYSTEMS } from "./fetchRun.ts";
import { podBesideStore } from "./podBesideStore.ts";
import { type Entry, SITE, tarGz } from "./tarArchive.ts";

describe.each(shortened(SYSTEMS))("with %s, the archive", (system) => {
  let pod: PodFolders;
  let server: ArchiveServer;
  beforeEach(async (context) => {
    ({ pod, server } = await podBesideStore(context, system, tarGz(SITE)));
  });

  test("A03 is unpacked without permission to execute, without write permission and without setuid", async () => {
    server.answer = send(
      tarGz([...SITE, { name: "root.html", mode: 0o6777 }, { name: "shut.html", mode: 0 }]),
    );
    expect((await pod.fetch()).code).toBe(0);
    for (const name of ["root.html", "shut.html", "index.html"]) {
      expect(statSync(join(pod.site, "active", name)).mode & 0o7777).toBe(0o644);
    }
    expect(statSync(join(pod.site, "active/folder")).mode & 0o7777).toBe(0o755);
  });

  test("A06 keeps names distinct that differ in case or in Unicode form, as links on a web server do", async () => {
    const names = ["Guide.html", "\u00fc.html", "u\u0308.html", "aux.html", "drawtext(_:at:).json", "t:x"];
    server.answer = send(tarGz([...SITE, ...names.map((name) => ({ name, content: name }))]));
    expect((await pod.fetch()).code).toBe(0);
    expect(pod.served()).toMatchObject(Object.fromEntries(names.map((name) => [name, name])));
    expect(pod.served()).toMatchObject({ "guide.html": "<h1>Guide</h1>" });
  });

  test("keeps hard links to earlier files, which are copies of them", async () => {
    server.answer = send(
      tarGz([
        ...SITE,
        { name: "./v1/", type: "5", mode: 0o755 },
        { name: "./v1/copy -> x.html", type: "1", linkName: "guide.html" },
        { name: "v1/z link to y.html", type: "1", linkName: "./v1/copy -> x.html" },
        { name: "a -> b.html", content: "no link" },
      ]),
    );
    expect((await pod.fetch()).log).toContain("6 files");
    expect(pod.served()).toMatchObject({
      "v1/copy -> x.html": "<h1>Guide</h1>",
      "v1/z link to y.html": "<h1>Guide</h1>",
      "a -> b.html": "no link",
    });
  });

  test("is served without metadata of Macs and file managers, whatever its names", async () => {
    const deep = `__MACOSX/${"d/".repeat(40)}${"d/".repeat(5)}`;
    const names = [
      "./._.",
      "./._index.html",
      "folder/._a\\b",
      ".DS_Store",
      "folder/Icon\r",
      "._Icon\r",
      "Thumbs.db",
      `${deep}x`,
    ];
    const site = [
      { name: "./", type: "5", mode: 0o755 },
      ...SITE.map((entry) => ({ ...entry, name: `./${entry.name}` })),
    ];
    server.answer = send(tarGz([...names.map((name) => ({ name, content: "metadata" })), ...site]));
    const { log } = await pod.fetch();
    expect(log).toContain("3 files, 43 bytes");
    expect(Object.keys(pod.served() ?? {}).sort()).toEqual(["folder/index.html", "guide.html", "index.html"]);
  });

  test("is served without folders of version control, which the log names", async () => {
    const secret = "[remote] url = https://x-token:secret@git.example/x";
    const names = [".git/config", "theme/.svn/x", "folder/CVS/Root", "CVS/index.html", ".gitignore"];
    server.answer = send(tarGz([...SITE, ...names.map((name) => ({ name, content: secret }))]));
    const { log } = await pod.fetch();
    expect(Object.keys(pod.served() ?? {}).sort()).toEqual(
      [".gitignore", "CVS/index.html", "folder/index.html", "guide.html", "index.html"].sort(),
    );
    expect(log).toMatch(/because they are of version control: .*\.git\b/);
    expect(log).toMatch(/: 5 files, /);
  });

  test("is unwrapped when everything is in one folder", async () => {
    server.answer = send(tarGz(SITE.map((entry) => ({ ...entry, name: `./my site-1.2/${entry.name}` }))));
    expect((await pod.fetch()).code).toBe(0);
    expect(Object.keys(pod.served() ?? {}).sort()).toEqual(["folder/index.html", "guide.html", "index.html"]);
  });

  test.each(EXPORTED_FORMS)(
    "of another exporter, with $what, is served without them",
    async ({ files, leftOut }) => {
      server.answer = send(tarGz(exported(files)));
      const { code, log } = await pod.fetch();
      expect(code).toBe(0);
      expect(Object.keys(pod.served() ?? {}).sort()).toEqual([
        "folder/index.html",
        "guide.html",
        "index.html",
      ]);
      expect(log).toContain("Not served, because they only start the site on a reader's own computer: ");
      for (const path of leftOut) expect(log).toContain(basename(path));
      expect(log).toMatch(/: 3 files, 43 bytes, /);
    },
  );

  test("keeps scripts that no launch file names, and is refused with other files beside the site's folder", async () => {
    const scripts = ["serve.js", "start.bat", "install.bat"].map((name) => ({
      name,
      content: "node other.js",
    }));
    server.answer = send(tarGz([...SITE, ...scripts]));
    expect((await pod.fetch()).code).toBe(0);
    expect(pod.served()).toMatchObject({ "serve.js": "node other.js", "start.bat": "node other.js" });
    for (const beside of ["robots.txt", "other/index.html", "README.md"]) {
      const again = new PodFolders(system);
      server.answer = send(tarGz(["site/index.html", beside].map((name) => ({ name }))));
      again.writeSecret(`${server.url}/?${CANARY}`);
      expect((await again.fetch()).log).toContain("it has no index.html");
      again.remove();
    }
  });

  test("is unpacked when its folders are read-only, and when names, also an owner's, have spaces, quotes and dashes", async () => {
    const entries: Entry[] = [
      { name: "./", type: "5", mode: 0o555 },
      ...SITE.map((entry) => ({ ...entry, ...(entry.type === "5" && { mode: 0o555 }) })),
      { name: "folder/-rf $(x) 'a\" &;.html", content: "odd" },
    ];
    server.answer = send(tarGz(entries.map((entry) => ({ ...entry, userName: "a b c" }))));
    expect((await pod.fetch()).log).toContain("4 files");
    expect(pod.served()).toMatchObject({ "folder/-rf $(x) 'a\" &;.html": "odd" });
  });

  test.each([
    ["one time", [1, 1]],
    ["two times, as npm's packages", [1, 499_162_500]],
    ["times of their own", [600_000_000, 600_000_001]],
  ])(
    "whose files have %s gets the time of its digest, of which nginx makes the ETags",
    async (_, [time = 0, otherTime = 0]) => {
      const timesOf = async (content: string) => {
        const entries = [...SITE, { name: "new.html", content }].map((entry) => ({ ...entry, time }));
        server.answer = send(tarGz([...entries, { name: "other.html", content: "same", time: otherTime }]));
        const one = new PodFolders(system);
        one.writeSecret(`${server.url}/?${CANARY}`);
        await one.fetch();
        const times = ["index.html", "other.html"].map(
          (name) => statSync(join(one.site, "active", name)).mtimeMs,
        );
        one.remove();
        expect(times[1]).toBe(times[0]);
        return times[0] ?? 0;
      };
      const [first, again, other] = [await timesOf("a"), await timesOf("a"), await timesOf("b")];
      expect([time * 1000, otherTime * 1000]).not.toContain(first);
      expect(again).toBe(first);
      expect(other).not.toBe(first);
      expect(Math.max(first, other)).toBeLessThan(Date.now());
    },
  );

  test("D15 never serves half a site, whenever the container is killed, and the next start succeeds", async () => {
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

  test("of another content is fetched, when the volume has one", async () => {
    await pod.fetch();
    pod.writeSecret(`${server.url}/?${CANARY}`, "fedcba9876543210");
    expect((await pod.fetch({ CONTENT_ID: "fedcba9876543210" })).code).toBe(0);
    expect(server.requests).toHaveLength(2);
  });

  test("is not fetched again when the container of the same pod is restarted", async () => {
    await pod.fetch();
    const { code, log } = await pod.fetch();
    expect(code).toBe(0);
    expect(log).toContain("Version «v1» is unpacked already");
    expect(server.requests).toHaveLength(1);
  });
});
