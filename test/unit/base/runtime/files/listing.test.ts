import { createHash } from "node:crypto";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import {
  compareFolder,
  differenceOf,
  digestFile,
  filesBelow,
  keptText,
  removeListed,
} from "../../../../../provider/base/runtime/files/listing.ts";

let folder: string;
let site: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "listing-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  site = join(folder, "site");
  for (const path of Object.keys(FILES)) {
    mkdirSync(join(site, path, ".."), { recursive: true });
    writeFileSync(join(site, path), FILES[path] ?? "");
  }
});

const FILES: Readonly<Record<string, string>> = {
  "index.html": "a",
  "deep/er/b.html": "b",
  ["__proto__"]: "c",
};
const sha256 = (text: string | Buffer): string => createHash("sha256").update(text).digest("hex");
const LISTING = new Map(Object.entries(FILES).map(([path, text]) => [path, sha256(text)]));
const { signal } = new AbortController();
const stopped = AbortSignal.abort(new Error("stopped"));

test("a file of any length has its digest and size", async () => {
  for (const length of [0, 1, 2 ** 20 - 1, 2 ** 20, 2 ** 20 + 1]) {
    const bytes = Buffer.alloc(length, "docs");
    writeFileSync(join(folder, "file"), bytes);
    expect(await digestFile(join(folder, "file"), signal)).toEqual({ sha256: sha256(bytes), size: length });
    expect(await digestFile(join(folder, "file"), signal, { flush: true })).toEqual({
      sha256: sha256(bytes),
      size: length,
    });
  }
  await expect(digestFile(join(folder, "file"), stopped)).rejects.toThrow("stopped");
});

test("files are listed by their paths, in the order of their bytes; a link is not followed", async () => {
  symlinkSync("/", join(site, "link"));
  expect(await filesBelow(site)).toEqual(["__proto__", "deep/er/b.html", "index.html", "link"]);
});

test.each<[string, string, () => void]>([
  ["the same", "same", () => undefined],
  ["gone", "gone", () => rmSync(site, { recursive: true })],
  ["changed by another byte", "changed", () => writeFileSync(join(site, "index.html"), "A")],
  [
    "the same with one more, which somebody else put there",
    "same",
    () => writeFileSync(join(site, "more"), ""),
  ],
  ["changed by one less", "changed", () => rmSync(join(site, "__proto__"))],
  [
    "changed by a file in the place of the folder",
    "changed",
    () => (rmSync(site, { recursive: true }), writeFileSync(site, "")),
  ],
  [
    "changed by a link to the same bytes",
    "changed",
    () => {
      writeFileSync(join(folder, "other"), "a");
      rmSync(join(site, "index.html"));
      symlinkSync(join(folder, "other"), join(site, "index.html"));
    },
  ],
])("a folder is %s", async (_, found, harm) => {
  harm();
  expect(await compareFolder(site, LISTING, signal)).toBe(found);
});

test("a folder whose contents are all in the list is removed as a whole", async () => {
  expect(await removeListed(site, LISTING, signal)).toEqual([]);
  expect(readdirSync(folder)).toEqual([]);
  expect(await removeListed(site, LISTING, signal)).toEqual([]);
});

test("files that others added or changed in a folder stay, and a link's target does", async () => {
  writeFileSync(join(site, "deep/notes.txt"), "mine");
  writeFileSync(join(site, "index.html"), "mine");
  mkdirSync(join(folder, "others"));
  writeFileSync(join(folder, "others/b.html"), "b");
  rmSync(join(site, "deep/er"), { recursive: true });
  symlinkSync(join(folder, "others"), join(site, "deep/er"));
  mkdirSync(join(site, "deeper/empty"), { recursive: true });
  expect(await removeListed(site, LISTING, signal)).toEqual([
    "deep/er",
    "deep/notes.txt",
    "deeper/empty/",
    "index.html",
  ]);
  expect(readdirSync(site).sort()).toEqual(["deep", "deeper", "index.html"]);
  expect(readFileSync(join(folder, "others/b.html"), "utf8")).toBe("b");
});

test("a file or link in place of the folder stays", async () => {
  rmSync(site, { recursive: true });
  symlinkSync(folder, site);
  expect(await removeListed(site, LISTING, signal)).toEqual([""]);
  expect(readdirSync(folder)).toEqual(["site"]);
});

test.each([
  [[""], "./a stays: this copy was a folder. Remove it when it is no longer needed"],
  [
    ["x", "y/z"],
    "./a stays: it has files that this copy did not write or that were changed since: x, y/z. Remove them when they are no longer needed",
  ],
])("remaining files, %j, are named", (left, text) => {
  expect(keptText("./a", left, "copy")).toBe(text);
});

test("of remaining files, the first few are named, and their number", () => {
  const named = (count: number): string | undefined => {
    const left = Array.from({ length: count }, (_, at) => `f${at}`);
    return /since: (.*)\. Remove/.exec(keptText("./a", left, "copy"))?.[1];
  };
  expect(named(3)).toBe("f0, f1, f2");
  expect(named(4)).toBe("f0, f1, f2 and 1 more");
});

test("a stopped run removes nothing more", async () => {
  await expect(removeListed(site, LISTING, stopped)).rejects.toThrow("stopped");
  expect(await compareFolder(site, LISTING, signal)).toBe("same");
  await expect(compareFolder(site, LISTING, stopped)).rejects.toThrow("stopped");
});

test("of a folder with many files, a thread tells the same, and removes the same", async () => {
  const large = new Map(LISTING);
  for (let at = 0; at < 700; at++) {
    writeFileSync(join(site, `page-${at}.html`), at === 0 ? Buffer.alloc(2 ** 20 + 1, "docs") : `page ${at}`);
    large.set(`page-${at}.html`, sha256(readFileSync(join(site, `page-${at}.html`))));
  }
  expect(await compareFolder(site, large, signal)).toBe("same");
  await expect(removeListed(site, large, stopped)).rejects.toThrow("stopped");
  expect(await compareFolder(site, large, signal)).toBe("same");
  writeFileSync(join(site, "page-600.html"), "PAGE 600");
  writeFileSync(join(site, "notes.txt"), "mine");
  rmSync(join(site, "page-5.html"));
  symlinkSync("page-6.html", join(site, "page-5.html"));
  rmSync(join(site, "page-7.html"));
  expect(await differenceOf(site, large, signal)).toEqual({
    altered: ["page-5.html", "page-600.html"],
    missing: ["page-7.html"],
    foreign: ["notes.txt"],
  });
  const left = ["notes.txt", "page-5.html", "page-600.html"];
  expect(await removeListed(site, large, signal)).toEqual(left);
  expect(readdirSync(site).sort()).toEqual(left);
});

test("an empty folder of others stays and is named; those that files of the list were in go, also without their files", async () => {
  mkdirSync(join(site, "deep/uploads/today"), { recursive: true });
  rmSync(join(site, "deep/er/b.html"));
  expect(await differenceOf(site, LISTING, signal)).toEqual({
    altered: [],
    missing: ["deep/er/b.html"],
    foreign: ["deep/uploads/today/"],
  });
  expect(await removeListed(site, LISTING, signal)).toEqual(["deep/uploads/today/"]);
  expect(readdirSync(site, { recursive: true }).sort()).toEqual([
    "deep",
    "deep/uploads",
    "deep/uploads/today",
  ]);
});
