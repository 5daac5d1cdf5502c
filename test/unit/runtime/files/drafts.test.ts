import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import {
  beginDraft,
  draftPath,
  endedDrafts,
  removeDraft,
  removeDrafts,
  removeOldDrafts,
  replaceFolder,
} from "../../../../provider/runtime/files/drafts.ts";
import { freeName, ownName } from "../../../../provider/runtime/files/ownerProcess.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "drafts-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

const KEY = "0123456789abcdef";
/** Of a process of another machine, which cannot be checked. */
const elsewhere = (): string => ownName().replace(/^[0-9a-f]+/, "fedcba9876543210");

function make(path: string, seconds?: number): string {
  mkdirSync(path);
  if (seconds !== undefined) utimesSync(path, seconds, seconds);
  return path;
}
const left = (paths: readonly string[]): boolean[] => paths.map((path) => existsSync(path));

test("a draft is hidden, empty and its process's own, in a folder that is created for it", async () => {
  const draft = await beginDraft(join(folder, "a/b"));
  expect(readdirSync(draft)).toEqual([]);
  expect(readdirSync(join(folder, "a/b"))).toEqual([basename(draft)]);
  expect(basename(draft)).toBe(`.docs-hosting-${basename(draft).split("-").slice(2).join("-")}`);
  expect(basename(draft)).toContain(`-${process.pid}-`);
  expect(await beginDraft(join(folder, "a/b"))).not.toBe(draft);
  expect(existsSync(draft)).toBe(true);
});

test("the next draft removes one of an ended process; those of living processes, other machines and other resources stay", async () => {
  const ended = [
    make(draftPath(folder, undefined, freeName())),
    make(draftPath(folder, undefined, freeName())),
  ];
  const others = [
    make(`${draftPath(folder, undefined, freeName())}.bak`),
    make(join(folder, `a${basename(draftPath(folder, undefined, freeName()))}`)),
    make(draftPath(folder)),
    make(draftPath(folder, undefined, elsewhere())),
    make(draftPath(folder, KEY, freeName())),
    make(join(folder, ".docs-hosting-0123456789abc.draft")), // of an earlier release
    make(join(folder, "x.draft")),
  ];
  const files = join(ended[0] ?? "", "site");
  make(files);
  writeFileSync(join(files, "index.html"), "");
  await beginDraft(folder);
  expect(left(ended)).toEqual([false, false]);
  expect(left(others)).not.toContain(false);
});

test("drafts of a resource are its own", async () => {
  const [own, other] = [
    make(draftPath(folder, KEY, freeName())),
    make(draftPath(folder, undefined, freeName())),
  ];
  make(draftPath(folder, KEY));
  expect(await endedDrafts(folder, KEY)).toEqual([own]);
  await removeDrafts(folder, KEY);
  expect(left([own, other])).toEqual([false, true]);
  expect(await endedDrafts(join(folder, "none"))).toEqual([]);
});

test("after a day by the file system's clock every draft is removed, except those of living processes", async () => {
  const now = make(join(folder, "now"), 1_000_000);
  const [day, living] = [1_000_000 - 24 * 3_600, make(draftPath(folder), 1)];
  const old = [
    make(join(folder, ".docs-hosting-0123456789abc.draft"), day - 1),
    make(draftPath(folder, undefined, elsewhere()), day - 1),
    make(join(folder, `.docs-hosting-${KEY}.${elsewhere()}.kit`), day - 1),
  ];
  const young = [
    make(draftPath(folder, KEY, elsewhere()), day),
    make(draftPath(folder, KEY, freeName()), day),
  ];
  await removeOldDrafts(folder, now);
  expect(left(old)).toEqual([false, false, false]);
  expect(left([living, ...young])).toEqual([true, true, true]);
});

test("a folder replaces anything at its path", async () => {
  const draft = await beginDraft(folder);
  for (const [index, before] of ["nothing", "a file", "a folder"].entries()) {
    const to = join(folder, "place");
    if (before === "a file") {
      rmSync(to, { recursive: true });
      writeFileSync(to, "");
    }
    const from = make(join(folder, "from"));
    writeFileSync(join(from, String(index)), "");
    await replaceFolder(from, to, make(join(draft, String(index))));
    expect(readdirSync(to)).toEqual([String(index)]);
    expect(existsSync(from)).toBe(false);
  }
});

test("several processes that replace it with the same folder at once all succeed, and leave nothing else", async () => {
  const to = join(folder, "to");
  const isThere = (): Promise<boolean> => Promise.resolve(existsSync(join(to, "file")));
  const put = async (): Promise<void> => {
    const draft = await beginDraft(folder);
    writeFileSync(join(make(join(draft, "site")), "file"), "");
    await replaceFolder(join(draft, "site"), to, draft, { isDone: isThere });
    await removeDraft(draft);
  };
  await Promise.all(Array.from({ length: 20 }, put));
  expect(readdirSync(folder)).toEqual(["to"]);
  expect(readdirSync(to)).toEqual(["file"]);
});

test("a folder with the same content is left where it is", async () => {
  writeFileSync(join(make(join(folder, "to")), "theirs"), "");
  await replaceFolder(make(join(folder, "from")), join(folder, "to"), folder, {
    isDone: () => Promise.resolve(true),
  });
  expect(readdirSync(join(folder, "to"))).toEqual(["theirs"]);
});

test("a replacement that fails is an error", async () => {
  await expect(replaceFolder(join(folder, "none"), join(folder, "to"), folder)).rejects.toThrow("ENOENT");
  writeFileSync(join(folder, "file"), "");
  const within = replaceFolder(make(join(folder, "from")), join(folder, "file/to"), folder);
  await expect(within).rejects.toThrow("ENOTDIR");
});

test("a replacement that fails leaves the existing folder", async () => {
  writeFileSync(join(make(join(folder, "to")), "theirs"), "");
  await expect(replaceFolder(join(folder, "none"), join(folder, "to"), folder)).rejects.toThrow("ENOENT");
  expect(readdirSync(join(folder, "to"))).toEqual(["theirs"]);
});

test("a path that others fill repeatedly is given up after nine tries", async () => {
  const [from, to] = [make(join(folder, "from")), join(folder, "to")];
  writeFileSync(join(make(to), "theirs"), "");
  let calls = 0;
  const isDone = (): Promise<boolean> => Promise.resolve(++calls === 20);
  // the existing folder never leaves, as if it were recreated at once
  await expect(replaceFolder(from, to, join(folder, "no-draft"), { isDone })).rejects.toThrow("ENOTEMPTY");
  expect(calls).toBe(8);
  expect(readdirSync(to)).toEqual(["theirs"]);
});

test("a folder that a killed process moved into its draft comes back before the draft is removed, with files of others", async () => {
  const draft = make(draftPath(folder, undefined, freeName()));
  for (const [number, name] of ["site", "kit"].entries()) {
    const replaced = join(draft, ...(name === "kit" ? ["scratch"] : []), `replaced-${number + 1}-${name}`);
    mkdirSync(replaced, { recursive: true });
    writeFileSync(join(replaced, "robots.txt"), "theirs");
    writeFileSync(join(replaced, "index.html"), "before");
  }
  // another process has published it meanwhile
  writeFileSync(join(make(join(folder, "kit")), "index.html"), "now");
  await removeDrafts(folder);
  expect(readdirSync(folder).sort()).toEqual(["kit", "site"]);
  expect(["site", "kit"].map((name) => readdirSync(join(folder, name)).sort())).toEqual([
    ["index.html", "robots.txt"],
    ["index.html", "robots.txt"],
  ]);
  expect(readFileSync(join(folder, "kit", "index.html"), "utf8")).toBe("now");
});
