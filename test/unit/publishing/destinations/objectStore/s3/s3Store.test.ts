// The contract of object stores at a bucket in memory, and what only S3 does. test/copies/objectStores.test.ts: at real stores.
import { beforeEach, expect, test } from "vitest";
import type {
  ListedObject,
  ObjectStore,
} from "../../../../../../provider/publishing/destinations/objectStore/objectStore.ts";
import { openS3 } from "../../../../../../provider/publishing/destinations/objectStore/s3/s3Store.ts";
import { STORE_ROWS, storeRow } from "../../../../../contracts/objectStore.ts";
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

async function listed(atMost?: number): Promise<ListedObject[]> {
  const found: ListedObject[] = [];
  await store.list("", (object) => found.push(object), atMost);
  return found;
}

test.for(STORE_ROWS)("%s", (name, context) =>
  storeRow(name, {
    prefix: "",
    open: async (signal) =>
      openS3({ bucket: STUB_BUCKET, endpoint: stub.endpoint }, await stubOperation(context, signal)),
    seen(key) {
      const { body: content, headers } = stub.objects.get(key) ?? {};
      return Promise.resolve(content && { content, contentType: headers?.["content-type"] });
    },
    openUploads: () => Promise.resolve([...stub.uploads.values()].map(({ key }) => key)),
  }),
);

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
