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
import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Part, strongEtag, type PartNote } from "../../../../provider/copies/download/part.ts";
import { ownName } from "../../../../provider/runtime/files/ownerProcess.ts";
import { MODES, notOnWindows } from "../../../systems.ts";

const NOTE: PartNote = { subject: "job a", etag: '"1"', totalBytes: 100 };
const HOUR_MS = 3_600_000;

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "part-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const claim = (name = "a", subject = "job a"): Part => Part.claim(folder, name, subject, Date.now());

/** A part as another process left it. */
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

test("of several parts the largest is resumed, and the others are removed", async () => {
  left("free-00000001", "1");
  left("free-00000002", "333");
  left("free-00000003", "22");
  const part = claim();
  await part.open();
  expect(part.size).toBe(3);
  expect(readdirSync(folder)).toHaveLength(1);
  await part.close();
});

test.each([
  ["of another bundle", { ...NOTE, subject: "job b" }],
  ["with a weak ETag", { ...NOTE, etag: 'W/"1"' }],
  ["with a line end in its ETag", { ...NOTE, etag: '"1\r\nx: y"' }],
  ["without an ETag", { subject: "job a" }],
  ["with a note that was cut", '{"subject": "jo'],
  ["with a note that says nothing", "null"],
])("a part %s is useless", async (_what, note) => {
  left(FREE, "one", { note });
  const part = claim();
  await part.open();
  expect(part.size).toBe(0);
  expect(readdirSync(folder)).toHaveLength(1);
  await part.close();
});

test.each(["100", -0.5, null])("a size of %j in a note is ignored", async (totalBytes) => {
  left(FREE, "one", { note: { ...NOTE, totalBytes } });
  const part = claim();
  await part.open();
  expect([part.size, part.note]).toEqual([3, { subject: "job a", etag: '"1"' }]);
  await part.close();
});

test("a smaller part is resumed where the largest is useless", async () => {
  left("free-00000001", "333", { note: "null" });
  left("free-00000002", "22");
  left("free-00000003", "1");
  const part = claim();
  await part.open();
  expect(part.size).toBe(2);
  expect(readdirSync(folder)).toHaveLength(1);
  await part.close();
});

test("only its owner can read a part", async (context) => {
  notOnWindows(context, MODES);
  const below = join(folder, "downloads");
  const part = Part.claim(below, "a", "job a", Date.now());
  await part.open();
  await part.begin(NOTE);
  const modes = [below, dirname(part.path), part.path, join(dirname(part.path), "note.json")].map(
    (path) => statSync(path).mode & 0o777,
  );
  expect(modes).toEqual([0o700, 0o700, 0o600, 0o600]);
  await part.close();
});

test("written bytes survive a kill, though neither a block is full nor the part is closed", async () => {
  const part = claim();
  await part.open();
  await part.begin(NOTE);
  await part.append(Buffer.from("one "));
  part.write();
  part.write(); // nothing new
  await expect.poll(() => readFileSync(part.path, "utf8")).toBe("one ");
  await part.append(Buffer.from("two"));
  expect(part.size).toBe(7);
  expect(await part.finish()).toBe(createHash("sha256").update("one two").digest("hex"));
  await part.close();
  await part.close(); // again, after a failure
  expect(readFileSync(part.path, "utf8")).toBe("one two");
});

test("bytes that were not written yet are dropped when a part begins again", async () => {
  const part = claim();
  await part.open();
  await part.append(Buffer.from("of another bundle"));
  await part.begin(NOTE);
  await part.append(Buffer.from("new"));
  await part.close();
  expect([part.size, readFileSync(part.path, "utf8")]).toEqual([3, "new"]);
});

test("a useless part is removed instead of released, and one that is gone is released without an error", () => {
  const useless = claim();
  useless.isUseless = true;
  useless.release();
  expect(readdirSync(folder)).toEqual([]);
  const gone = claim();
  gone.remove();
  gone.release();
  expect(readdirSync(folder)).toEqual([]);
});

test.each([living, FAR])("a part that may be in use is left alone: %s", async (owner) => {
  const theirs = left(owner, "theirs");
  const part = claim();
  await part.open();
  expect(part.size).toBe(0);
  part.remove();
  expect(readFileSync(join(theirs, "bundle"), "utf8")).toBe("theirs");
  await part.close();
});

test("an unused part is removed after a day, where no live owner is known; other files stay", () => {
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

test("a part without bytes is as old as its folder", () => {
  const [old, young] = [left(FAR, "x"), left(FAR, "x", { name: "b" })];
  for (const path of [old, young]) rmSync(join(path, "bundle"));
  const then = new Date(Date.now() - 25 * HOUR_MS);
  utimesSync(old, then, then);
  claim("c");
  expect([existsSync(old), existsSync(young)]).toEqual([false, true]);
});

test("the part of a living process of this machine stays, though the clock of this run is a day ahead", () => {
  const theirs = left(living, "theirs", { ageMs: 25 * HOUR_MS });
  claim();
  expect(readFileSync(join(theirs, "bundle"), "utf8")).toBe("theirs");
});

test("parts of names with a common prefix are distinguished", async () => {
  left(FREE, "x", { name: "a.b" });
  const part = claim("a");
  await part.open();
  expect(part.size).toBe(0);
  await part.close();
});

test("a released part is available to the next download, in this process, too", async () => {
  const part = claim();
  await part.open();
  await part.begin(NOTE);
  await part.append(Buffer.from("some"));
  await part.close();
  part.release();
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
