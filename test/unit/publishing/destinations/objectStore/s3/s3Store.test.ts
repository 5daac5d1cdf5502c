// The interface of a store, as S3 implements it: what the layouts rely on.
import { createHash } from "node:crypto";
import { beforeEach, expect, test } from "vitest";
import type {
  ListedObject,
  NewObject,
  ObjectStore,
  SendOptions,
} from "../../../../../../provider/publishing/destinations/objectStore/objectStore.ts";
import { openS3 } from "../../../../../../provider/publishing/destinations/objectStore/s3/s3Store.ts";
import {
  type BucketStub,
  startBucketStub,
  STUB_BUCKET,
  stubError,
  stubOperation,
  xml,
} from "../../../../../simulation/bucketStub.ts";

let stub: BucketStub;
let store: ObjectStore;
beforeEach(async (context) => {
  stub = await startBucketStub(context);
  store = await openS3({ bucket: STUB_BUCKET, endpoint: stub.endpoint }, await stubOperation(context));
  context.onTestFinished(() => store.close());
});

const HEADERS = { contentType: "text/plain", cacheControl: "no-store" };

function object(text: string): NewObject {
  const sha256 = createHash("sha256").update(text).digest("hex");
  return { key: "a", size: text.length, sha256, headers: HEADERS };
}

const send = (text: string, onlyIf?: SendOptions["onlyIf"]): Promise<void> =>
  store.send(object(text), Buffer.from(text), { onlyIf });

async function listed(atMost?: number): Promise<ListedObject[]> {
  const found: ListedObject[] = [];
  await store.list("", (object) => found.push(object), atMost);
  return found;
}

const stored = (): string | undefined => stub.objects.get("a")?.body.toString();

test("an object is written where there is none, and stays where there is one", async () => {
  await send("first", "absent");
  await expect(send("second", "absent")).rejects.toMatchObject({ failure: "conflict" });
  expect(stored()).toBe("first");
});

test("a large object is written under the same condition, and leaves no upload", async () => {
  const text = "a".repeat(9 * 1024 * 1024);
  await send("first");
  await expect(send(text, "absent")).rejects.toMatchObject({ failure: "conflict" });
  expect(stub.uploads.size).toBe(0);
  await send(text);
  expect(stored()).toBe(text);
});

test("the revision is the same from every request, and another one after a write", async () => {
  await send("first");
  const first = (await store.head("a"))?.revision;
  expect(await listed()).toMatchObject([{ key: "a", revision: first }]);
  await send("second");
  expect((await store.head("a"))?.revision).not.toBe(first);
});

test("what is not there is undefined, and its removal no error", async () => {
  expect(await store.head("a")).toBeUndefined();
  expect(await store.read("a", () => Promise.resolve("read"))).toBeUndefined();
  await store.remove(["a", "b"]);
});

test("a list is read in every form in which stores write it", async () => {
  const entry = (key: string, etag: string, more = ""): string =>
    `<Contents>${more}<Key>${key}</Key><LastModified>2026-11-23T00:00:00.000Z</LastModified>${etag}<Size>3</Size></Contents>`;
  stub.rule = () =>
    xml(
      "ListBucketResult",
      [
        entry("a&amp;b&lt;é&#x1F600;", "<ETag>&quot;1&quot;</ETag>"),
        entry("b&#34;&#34;", "<ETag>&#34;2&#34;</ETag>"),
        entry("&quot;c&quot;", '<ETag>"3"</ETag>', "<Owner><ID>x</ID></Owner>"),
        entry("d", "<ETag>&quot;</ETag>"),
        entry("e", "<ETag>&amp;quot;5</ETag>"),
        entry("f", ""),
      ].join(""),
    );
  const modifiedAtMs = Date.UTC(2026, 10, 23);
  expect(await listed()).toEqual(
    [
      ["a&b<é😀", '"1"'],
      ['b""', '"2"'],
      ['"c"', '"3"'],
      ["d", '"'],
      ["e", "&quot;5"],
      ["f", ""],
    ].map(([key, revision]) => ({ key, revision, size: 3, modifiedAtMs })),
  );
});

test("a list ends after as many objects as are wanted", async () => {
  for (const key of ["a", "b", "c"]) stub.put(key, key);
  await listed(1);
  expect(stub.requests.map(({ query }) => query.get("max-keys"))).toEqual(["1"]);
});

test.each([
  [404, "NoSuchBucket", "noBucket"],
  [403, "AccessDenied", "denied"],
  [403, "InvalidAccessKeyId", "credentials"],
  [400, "ExpiredToken", "credentials"],
  [403, "RequestTimeTooSkewed", "clock"],
  [301, "PermanentRedirect", "address"],
  [400, "BadDigest", "corrupted"],
  [403, "QuotaExceeded", "full"],
  [501, "NotImplemented", "unsupported"],
  [409, "ConditionalRequestConflict", "conflict"],
  [418, "Teapot", "other"],
] as const)("the answer %d %s is the failure «%s»", async (status, code, failure) => {
  stub.rule = () => stubError(status, code);
  await expect(listed()).rejects.toMatchObject({ failure });
});
