import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import {
  downloadBlob,
  findBlob,
  readBlob,
} from "../../../../../provider/publishing/images/registry/download.ts";
import { type Reply, type ScriptedRegistry, scriptedRegistry } from "./scriptedRegistry.ts";

const CONTENT = Buffer.from("0123456789");
const BLOB = { digest: digestOf(CONTENT), size: CONTENT.length };
const NAME = `registry.internal/docs/site@${BLOB.digest}`;

function digestOf(bytes: Buffer): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

test("a small blob is read whole, and is what its digest says", async () => {
  const { client, lines } = scriptedRegistry(() => ({ body: CONTENT }));
  expect(await readBlob(client, BLOB)).toEqual(CONTENT);
  expect(await findBlob(client, BLOB)).toEqual(CONTENT);
  expect(lines()).toEqual([`GET blobs/${BLOB.digest}`, `GET blobs/${BLOB.digest}`]);
});

test("a small blob with other bytes is an error for who needs it, and none for who looks for it", async () => {
  const { client } = scriptedRegistry(() => ({ body: "else" }));
  await expect(readBlob(client, BLOB)).rejects.toThrow(
    `the registry gave something else for ${NAME}: its digest is ${digestOf(Buffer.from("else"))}`,
  );
  expect(await findBlob(client, BLOB)).toBeUndefined();
});

test("a small blob that is not there is an error for who needs it, and none for who looks for it", async () => {
  const { client } = scriptedRegistry(() => ({ status: 404 }));
  await expect(readBlob(client, BLOB)).rejects.toThrow("answered 404");
  expect(await findBlob(client, BLOB)).toBeUndefined();
});

test("a small blob has at most 8 MiB", async () => {
  const most = Buffer.alloc(8 * 1024 * 1024);
  const { client } = scriptedRegistry(() => ({ body: most }));
  expect((await readBlob(client, { digest: digestOf(most), size: most.length })).equals(most)).toBe(true);
  const larger = scriptedRegistry(() => ({ body: Buffer.alloc(most.length + 1) }));
  await expect(findBlob(larger.client, BLOB)).rejects.toThrow("answered with more than 8 MiB");
});

/** Downloads the blob into a file that has this text already, if any, from a registry that replies in this order. */
async function downloaded(
  script: readonly (readonly [range: string | undefined, reply: Reply])[],
  existing?: string | Buffer,
  blob = BLOB,
): Promise<ScriptedRegistry & { content: Buffer; moved: number[]; failure: Error | undefined }> {
  const folder = await mkdtemp(join(tmpdir(), "download-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, "blob");
  if (existing !== undefined) await writeFile(path, existing);
  const registry = scriptedRegistry((_request, number) => script[number - 1]?.[1] ?? { status: 418 });
  const moved: number[] = [];
  const failure = await downloadBlob(registry.client, blob, path, (bytes) => moved.push(bytes)).then(
    () => undefined,
    (error: unknown) => error as Error,
  );
  expect(registry.requests.map(({ headers }) => headers["range"])).toEqual(script.map(([range]) => range));
  return { ...registry, content: await readFile(path), moved, failure };
}

const rest = (offset: number, body = CONTENT.subarray(offset)): Reply => ({
  status: 206,
  headers: { "content-range": `bytes ${offset}-9/10` },
  body,
});

test("a blob is stored in a new file, and a program without interest in its progress gets it, too", async () => {
  const { content, moved, failure, client } = await downloaded([[undefined, { body: CONTENT }]]);
  expect(failure).toBeUndefined();
  expect(content).toEqual(CONTENT);
  expect(moved).toEqual([10]);
  const path = join(tmpdir(), `download-${process.pid}`);
  onTestFinished(() => rm(path, { force: true }));
  await expect(downloadBlob(client, BLOB, path)).rejects.toThrow("answered 418");
});

test("a blob that is there is not requested", async () => {
  const { content, moved, failure } = await downloaded([], CONTENT);
  expect(failure).toBeUndefined();
  expect(content).toEqual(CONTENT);
  expect(moved).toEqual([]);
});

test("what an earlier run has stored is not requested again", async () => {
  const { content, moved, failure } = await downloaded([["bytes=4-", rest(4)]], "0123");
  expect(failure).toBeUndefined();
  expect(content).toEqual(CONTENT);
  expect(moved).toEqual([10]);
});

test.each<[string, Reply]>([
  ["sends all again", { body: CONTENT }],
  ["sends another part", { ...rest(4), headers: { "content-range": "bytes 0-9/10" }, body: CONTENT }],
  ["does not say which part it sends", { status: 206, body: CONTENT }],
  ["sends all with the header of a part", { ...rest(4), status: 200, body: CONTENT }],
])("a registry that %s begins the file anew", async (_what, reply) => {
  const { content, moved, failure } = await downloaded([["bytes=4-", reply]], "0123");
  expect(failure).toBeUndefined();
  expect(content).toEqual(CONTENT);
  expect(moved).toEqual([10]);
});

test.each([
  ["begins with other bytes", "abcd", [["bytes=4-", rest(4)] as const]],
  ["has other bytes", "abcdefghij", []],
])("a file that %s is downloaded anew", async (_what, existing, script) => {
  const { content, failure } = await downloaded([...script, [undefined, { body: CONTENT }]], existing);
  expect(failure).toBeUndefined();
  expect(content).toEqual(CONTENT);
});

test("a file that is larger than the blob is emptied", async () => {
  const { content, failure } = await downloaded([[undefined, { body: CONTENT }]], "0123456789a");
  expect(failure).toBeUndefined();
  expect(content).toEqual(CONTENT);
});

test("a file of several megabytes is continued", async () => {
  const whole = Buffer.alloc(3 * 1024 * 1024 + 5, "0123456789");
  const have = 2 * 1024 * 1024 + 3;
  const blob = { digest: digestOf(whole), size: whole.length };
  const reply = { status: 206, headers: { "content-range": `bytes ${have}-` }, body: whole.subarray(have) };
  const { content, failure } = await downloaded([[`bytes=${have}-`, reply]], whole.subarray(0, have), blob);
  expect(failure).toBeUndefined();
  expect(content.equals(whole)).toBe(true);
});

test("a download continues after a broken connection", async () => {
  const { content, moved, failure, reporter } = await downloaded([
    [undefined, { body: "0123", isCut: true }],
    ["bytes=4-", { error: "ECONNRESET" }],
    ["bytes=4-", rest(4)],
  ]);
  expect(failure).toBeUndefined();
  expect(content).toEqual(CONTENT);
  expect(moved).toEqual([4, 10]);
  expect(reporter.lines.progress).toHaveLength(2);
});

test("a download continues after a reply that ended early, which is said", async () => {
  const { content, failure, reporter } = await downloaded([
    [undefined, { body: "0123" }],
    ["bytes=4-", rest(4)],
  ]);
  expect(failure).toBeUndefined();
  expect(content).toEqual(CONTENT);
  expect(reporter.lines.progress).toEqual([`${NAME} ended before its size; trying again in 0s`]);
});

test("other bytes are an error, and more bytes than the manifest says are one before they are stored", async () => {
  const other = await downloaded([[undefined, { body: "abcdefghij" }]]);
  expect(other.failure?.message).toBe(
    `the registry gave something else for ${NAME}: its digest is ${digestOf(Buffer.from("abcdefghij"))}`,
  );
  const more = await downloaded([[undefined, { body: "0123456789a" }]]);
  expect(more.failure?.message).toBe(`the registry gave more for ${NAME} than its manifest says`);
  expect(more.content).toEqual(Buffer.alloc(0));
});

test("wrong bytes that came in two parts are an error", async () => {
  const { failure } = await downloaded([
    [undefined, { body: "abcd" }],
    ["bytes=4-", rest(4)],
  ]);
  expect(failure?.message).toContain("the registry gave something else");
});

test("a refused download is an error", async () => {
  const { failure } = await downloaded([[undefined, { status: 403 }]]);
  expect(failure?.message).toContain("answered 403");
});
