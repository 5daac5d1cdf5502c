import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ownName } from "../../../../provider/base/runtime/files/ownerProcess.ts";
import {
  type DownloadNote,
  PartialDownload,
  strongEtag,
} from "../../../../provider/publishing/download/partialDownload.ts";
import { MODES, notOnWindows } from "../../../systems.ts";

const NOTE: DownloadNote = { subject: "job a", etag: '"1"', totalBytes: 100 };
const HOUR_MS = 3_600_000;

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "part-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const claim = (name = "a", subject = "job a"): PartialDownload =>
  PartialDownload.claim(folder, name, subject, Date.now());

/** A partial download as another process left it. */
function left(
  owner: string,
  bytes: string,
  { name = "a", note = NOTE, ageMs = 0 }: { name?: string; note?: unknown; ageMs?: number } = {},
): string {
  const path = join(folder, `${name}.${owner}.part`);
  mkdirSync(path);
  writeFileSync(join(path, "bundle"), bytes);
  writeFileSync(join(path, "note.json"), typeof note === "string" ? note : JSON.stringify(note));
  const then = new Date(Date.now() - ageMs);
  utimesSync(join(path, "bundle"), then, then);
  return path;
}

const FREE = "free-00000000";
/** Of this very process, as another download of it would have it. */
const living = ownName();
/** Of an unknown machine. */
const FAR = "0123456789abcdef-1-1-00000000";

test("of several partial downloads the largest is resumed, and the others are removed", async () => {
  left("free-00000001", "1");
  left("free-00000002", "333");
  left("free-00000003", "22");
  const partial = claim();
  await partial.open();
  expect(partial.size).toBe(3);
  expect(readdirSync(folder)).toHaveLength(1);
  await partial.close();
});

test.each([
  ["of another bundle", { ...NOTE, subject: "job b" }],
  ["with a weak ETag", { ...NOTE, etag: 'W/"1"' }],
  ["with a line end in its ETag", { ...NOTE, etag: '"1\r\nx: y"' }],
  ["without an ETag", { subject: "job a" }],
  ["with a note that was cut", '{"subject": "jo'],
  ["with a note that says nothing", "null"],
])("a partial download %s is useless", async (_what, note) => {
  left(FREE, "one", { note });
  const partial = claim();
  await partial.open();
  expect(partial.size).toBe(0);
  expect(readdirSync(folder)).toHaveLength(1);
  await partial.close();
});

test.each(["100", -0.5, null])("a size of %j in a note is ignored", async (totalBytes) => {
  left(FREE, "one", { note: { ...NOTE, totalBytes } });
  const partial = claim();
  await partial.open();
  expect([partial.size, partial.note]).toEqual([3, { subject: "job a", etag: '"1"' }]);
  await partial.close();
});

test("a smaller partial download is resumed where the largest is useless", async () => {
  left("free-00000001", "333", { note: "null" });
  left("free-00000002", "22");
  left("free-00000003", "1");
  const partial = claim();
  await partial.open();
  expect(partial.size).toBe(2);
  expect(readdirSync(folder)).toHaveLength(1);
  await partial.close();
});

test("only its owner can read a partial download", async (context) => {
  notOnWindows(context, MODES);
  const below = join(folder, "downloads");
  const partial = PartialDownload.claim(below, "a", "job a", Date.now());
  await partial.open();
  await partial.begin(NOTE);
  const modes = [below, dirname(partial.path), partial.path, join(dirname(partial.path), "note.json")].map(
    (path) => statSync(path).mode & 0o777,
  );
  expect(modes).toEqual([0o700, 0o700, 0o600, 0o600]);
  await partial.close();
});

test("written bytes survive a kill, though neither a block is full nor the partial download is closed", async () => {
  const partial = claim();
  await partial.open();
  await partial.begin(NOTE);
  await partial.append(Buffer.from("one "));
  partial.write();
  partial.write(); // nothing new
  await expect.poll(() => readFileSync(partial.path, "utf8")).toBe("one ");
  await partial.append(Buffer.from("two"));
  expect(partial.size).toBe(7);
  expect(await partial.finish()).toBe(createHash("sha256").update("one two").digest("hex"));
  await partial.close();
  await partial.close(); // again, after a failure
  expect(readFileSync(partial.path, "utf8")).toBe("one two");
});

test("bytes that were not written yet are dropped when a partial download begins again", async () => {
  const partial = claim();
  await partial.open();
  await partial.append(Buffer.from("of another bundle"));
  await partial.begin(NOTE);
  await partial.append(Buffer.from("new"));
  await partial.close();
  expect([partial.size, readFileSync(partial.path, "utf8")]).toEqual([3, "new"]);
});

test("a useless partial download is removed instead of released, and one that is gone is released without an error", () => {
  const useless = claim();
  useless.isUseless = true;
  useless.release();
  expect(readdirSync(folder)).toEqual([]);
  const gone = claim();
  gone.remove();
  gone.release();
  expect(readdirSync(folder)).toEqual([]);
});

test.each([living, FAR])("a partial download that may be in use is left alone: %s", async (owner) => {
  const theirs = left(owner, "theirs");
  const partial = claim();
  await partial.open();
  expect(partial.size).toBe(0);
  partial.remove();
  expect(readFileSync(join(theirs, "bundle"), "utf8")).toBe("theirs");
  await partial.close();
});

test("an unused partial download is removed after a day, where no live owner is known; other files stay", () => {
  const [old, oldOfOther] = [
    left(FAR, "x", { ageMs: 25 * HOUR_MS }),
    left(FREE, "x", { name: "b", ageMs: 25 * HOUR_MS }),
  ];
  const young = left(FREE, "x", { name: "c", ageMs: 23 * HOUR_MS });
  const others = join(folder, "mine.part.txt");
  writeFileSync(others, "");
  claim();
  expect([old, oldOfOther, young, others].map((path) => existsSync(path))).toEqual([
    false,
    false,
    true,
    true,
  ]);
});

test("a partial download without bytes is as old as its folder", () => {
  const [old, young] = [left(FAR, "x"), left(FAR, "x", { name: "b" })];
  for (const path of [old, young]) rmSync(join(path, "bundle"));
  const then = new Date(Date.now() - 25 * HOUR_MS);
  utimesSync(old, then, then);
  claim("c");
  expect([existsSync(old), existsSync(young)]).toEqual([false, true]);
});

test("the partial download of a living process of this machine stays, though the clock of this run is a day ahead", () => {
  const theirs = left(living, "theirs", { ageMs: 25 * HOUR_MS });
  claim();
  expect(readFileSync(join(theirs, "bundle"), "utf8")).toBe("theirs");
});

test("partial downloads of names with a common prefix are distinguished", async () => {
  left(FREE, "x", { name: "a.b" });
  const partial = claim("a");
  await partial.open();
  expect(partial.size).toBe(0);
  await partial.close();
});

test("a released partial download is available to the next download, in this process, too", async () => {
  const partial = claim();
  await partial.open();
  await partial.begin(NOTE);
  await partial.append(Buffer.from("some"));
  await partial.close();
  partial.release();
  const next = claim();
  await next.open();
  expect([next.size, next.note]).toEqual([4, NOTE]);
  await next.close();
});

test.each([
  [null, undefined],
  ['"a b"', undefined],
  ['W/"a"', undefined],
  ["a", undefined],
  ['""', undefined],
  ['"a"', '"a"'],
  [`"${"a".repeat(1_001)}"`, undefined],
])("of the ETag %s the strong value is %s", (header, etag) => {
  expect(strongEtag(header)).toBe(etag);
});
