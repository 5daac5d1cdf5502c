// Uploads that killed runs and failures left.
import { expect, test } from "vitest";
import {
  stubBundle,
  stubError,
  stubOperation,
  type StubRequest,
  xml,
} from "../../../../../simulation/bucketStub.ts";
import { archives, keyOf, MB, publish, store, withStore } from "./storedArchives.ts";

withStore();

const isBegin = ({ method, query }: StubRequest): boolean => method === "POST" && query.has("uploads");

/** As a run leaves it that was killed after one part. */
function leaveUpload(id: string, key: string, ageMs: number): void {
  const startedAt = new Date(Date.now() - ageMs);
  store.uploads.set(id, { key, headers: {}, startedAt, parts: new Map([[1, Buffer.alloc(5)]]) });
}

test("uploads that killed runs left are aborted: of this archive at once, of others after an hour", async (context) => {
  const bundle = await stubBundle(context, 10);
  const other = `a/${"0".repeat(64)}.zip`;
  await archives().claim([], await stubOperation(context)); // as the killed runs did
  leaveUpload("own", keyOf(bundle), 0);
  leaveUpload("young", other, 3_500_000);
  leaveUpload("old", other, 3_700_000);
  leaveUpload("foreign", "a/film.mp4", 3_700_000);
  leaveUpload("elsewhere", `b/${"0".repeat(64)}.zip`, 3_700_000);
  await publish(context, bundle);
  expect([...store.uploads.keys()].sort()).toEqual(["elsewhere", "foreign", "young"]);
});

test("an upload whose name never arrived, because the operation was stopped at its start, is aborted by the next run", async (context) => {
  const bundle = await stubBundle(context, 9 * MB);
  const stop = new AbortController();
  store.rule = (request) => {
    if (!isBegin(request)) return undefined;
    store.uploads.set("nameless", {
      key: keyOf(bundle),
      headers: {},
      startedAt: new Date(),
      parts: new Map(),
    });
    stop.abort(new Error("stopped"));
    return "hang";
  };
  await expect(publish(context, bundle, stop.signal)).rejects.toThrow("stopped");
  expect([...store.uploads.keys()]).toEqual(["nameless"]);
  store.rule = () => undefined;
  await publish(context, bundle);
  expect(store.uploads.size).toBe(0);
});

test("removing the last copy also aborts old uploads of killed runs", async (context) => {
  const copy = await publish(context, await stubBundle(context, 10));
  leaveUpload("old", `a/${"0".repeat(64)}.zip`, 3_700_000);
  await archives().release([copy], await stubOperation(context));
  expect(store.uploads.size).toBe(0);
});

test("without the right to list uploads, none is aborted, and publishing and removing still work", async (context) => {
  store.rule = ({ method, query }) =>
    method === "GET" && query.has("uploads") ? stubError(403, "AccessDenied") : undefined;
  const copy = await publish(context, await stubBundle(context, 10));
  const operation = await stubOperation(context);
  const said: string[] = [];
  const reporter = { ...operation.reporter, debug: (line: string) => said.push(line) };
  await archives().release([copy], { ...operation, reporter });
  expect(store.objects.size).toBe(0);
  expect(said).toEqual([
    "unfinished uploads at s3://docs/a stay: s3:ListBucketMultipartUploads on s3://docs/a is not allowed",
  ]);
});

test("an old upload of another archive is kept as long as a page of its parts shows activity, and aborted if it vanished", async (context) => {
  const other = `a/${"0".repeat(64)}.zip`;
  await archives().claim([], await stubOperation(context));
  leaveUpload("old", other, 3_700_000);
  const asked: (string | null)[] = [];
  store.rule = ({ method, query }) => {
    if (method !== "GET" || !query.has("uploadId")) return undefined;
    const marker = query.get("part-number-marker");
    asked.push(marker);
    const modified = marker === null ? "2020-01-01T00:00:00Z" : new Date().toISOString();
    const part = `<Part><PartNumber>1</PartNumber><LastModified>${modified}</LastModified></Part>`;
    return xml(
      "ListPartsResult",
      `<IsTruncated>${marker === null}</IsTruncated><NextPartNumberMarker>1</NextPartNumberMarker>${part}`,
    );
  };
  await publish(context, await stubBundle(context, 10));
  expect(asked).toEqual([null, "1"]);
  expect([...store.uploads.keys()]).toEqual(["old"]);
  const aborted: string[] = [];
  store.rule = ({ method, key, query }) => {
    if (!query.has("uploadId")) return undefined;
    if (method === "DELETE") aborted.push(key);
    return stubError(404, "NoSuchUpload");
  };
  await publish(context, await stubBundle(context, 11));
  expect(aborted).toEqual([other]);
});
