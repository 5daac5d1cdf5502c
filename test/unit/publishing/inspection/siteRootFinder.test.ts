// Which files start a site, at the borders of their rules.
import { expect, test } from "vitest";
import { type SiteRoot, SiteRootFinder } from "../../../../provider/publishing/inspection/siteRoot.ts";
import { SiteTree } from "../../../../provider/publishing/inspection/siteTree.ts";

/** The site in an archive of these files, and how much of them was read. */
async function found(files: Record<string, string>): Promise<{ site: SiteRoot | undefined; read: string[] }> {
  const tree = new SiteTree({ unpackedBytes: Infinity, files: 1_000 });
  const finder = new SiteRootFinder();
  const read: string[] = [];
  for (const [path, content] of Object.entries(files)) {
    tree.add(path, "file");
    // eslint-disable-next-line @typescript-eslint/require-await -- as an archive is read
    const pieces = async function* (): AsyncIterable<Uint8Array> {
      read.push(path);
      yield Buffer.from(content.slice(0, 5));
      yield Buffer.from(content.slice(5));
    };
    await finder.see(path, content.length, pieces());
  }
  return { site: finder.find(tree), read };
}

const siteBeside = async (...names: string[]): Promise<SiteRoot | undefined> =>
  (await found(Object.fromEntries(["site/index.html", ...names].map((name) => [name, "x"])))).site;

test.each([
  ...[
    "Start",
    "start",
    "Serve",
    "serve-docs",
    "Launch",
    "launch",
    "Open",
    "open me",
    "Run",
    "run",
    "View",
    "view",
  ],
  ...["Preview", "preview"],
])("a file starts the site beside it that begins with %s", async (word) => {
  for (const extension of ["command", "bat", "cmd", "sh", "ps1", "desktop", "js", "mjs", "cjs", "py"]) {
    const name = `${word}.${extension}`;
    expect(await siteBeside(name)).toEqual({ root: "site", leftOut: [name] });
  }
});

test.each([
  "restart.sh",
  "START.sh",
  "Docs.command",
  "start.sh.txt",
  "start.bat2",
  "start",
  "start-sh",
  "Start.html",
])("a file starts no site that is called %s", async (name) => {
  expect(await siteBeside(name)).toBeUndefined();
});

test.each([
  ...[
    "README",
    "README.md",
    "README.txt",
    "LICENSE",
    "LICENSE.md",
    "LICENSE.txt",
    "NOTICE",
    "NOTICE.md",
    "NOTICE.txt",
  ],
  "package.json",
])("%s may be beside a site and the file that starts it", async (name) => {
  expect(await siteBeside("serve.js", name)).toEqual({ root: "site", leftOut: ["serve.js", name] });
  expect(await siteBeside(name)).toBeUndefined();
});

test.each([
  "readme.md",
  "README.html",
  "MY-README",
  "README.md.js",
  "COPYING",
  "package.json5",
  "my-package.json",
])("%s may not be beside a site", async (name) => {
  expect(await siteBeside("serve.js", name)).toBeUndefined();
});

test("a site and its launch files may be below a folder, and a site may have a folder of its own name", async () => {
  expect(
    (await found({ "a/site/index.html": "", "a/serve.js": "", "a/site/site/index.html": "" })).site,
  ).toEqual({
    root: "a/site",
    leftOut: ["a/serve.js"],
  });
  expect((await found({ "a/site/index.html": "", "serve.js": "" })).site).toBeUndefined();
  expect((await found({ "a/b/site/index.html": "", "a/b/serve.js": "" })).site).toBeUndefined();
  expect((await found({ "a/site/index.html": "", "a/serve.js": "", "b.js": "" })).site).toBeUndefined();
});

test.each(["", "site", "a/site"])(
  "launch files in the folder %j of the site name their programs",
  async (root) => {
    const below = (name: string): string => (root === "" ? name : `${root}/${name}`);
    const files = {
      [below("index.html")]: "<script src=app.js>",
      ...(root === "a/site" && { "a/serve.js": "" }),
      [below("start.command")]: "exec node serve.mjs",
      [below("start.bat")]: "python serve.py && node other.js",
      [below("start.cmd")]: "node serve.cjs",
      ...Object.fromEntries(
        ["serve.mjs", "serve.py", "serve.cjs", "app.js", "serve.html"].map((name) => [below(name), "x"]),
      ),
      [below("folder/serve.py")]: "x",
    };
    const { site } = await found(files);
    expect(site?.root).toBe(root);
    const left = ["start.command", "serve.mjs", "start.bat", "serve.py", "start.cmd", "serve.cjs"].map(below);
    expect(site?.leftOut.filter((path) => path !== "a/serve.js")).toEqual(left);
  },
);

test("only launch files are read, up to 64 KiB, and not in deep folders", async () => {
  const long = (bytes: number): string => "serve.js".padEnd(bytes);
  const { site, read } = await found({
    "index.html": "",
    "serve.js": "",
    "start.bat": long(64 * 1_024),
    "start.cmd": long(64 * 1_024 + 1),
    "start.sh": "serve.js",
    "install.bat": "serve.js",
    "a/b/start.bat": "",
    "a/b/c/start.bat": "",
  });
  expect(read).toEqual(["start.bat", "a/b/start.bat"]);
  expect(site).toEqual({ root: "", leftOut: ["start.bat", "serve.js"] });
});

test("sixteen launch files are read", async () => {
  const files = Array.from({ length: 17 }, (_, at): [string, string] => [`start${at}.bat`, "node serve.js"]);
  const { site, read } = await found({ "index.html": "", "serve.js": "", ...Object.fromEntries(files) });
  expect(read).toHaveLength(16);
  expect(site?.leftOut).toHaveLength(17);
  expect(site?.leftOut).not.toContain("start16.bat");
});
