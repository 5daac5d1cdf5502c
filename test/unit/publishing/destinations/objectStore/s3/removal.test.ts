// Objects are removed a thousand at a time, and one by one where the store does not do that.
import { beforeEach, expect, test, type TestContext } from "vitest";
import type { ObjectStore } from "../../../../../../provider/publishing/destinations/objectStore/objectStore.ts";
import { openS3 } from "../../../../../../provider/publishing/destinations/objectStore/s3/s3Store.ts";
import { BUCKET_QUIRKS } from "../../../../../simulation/bucketQuirks.ts";
import {
  type BucketStub,
  startBucketStub,
  STUB_BUCKET,
  stubError,
  stubOperation,
  xml,
} from "../../../../../simulation/bucketStub.ts";

let store: BucketStub;
beforeEach(async (context) => {
  store = await startBucketStub(context);
});

async function open(context: TestContext): Promise<ObjectStore> {
  const inputs = { bucket: STUB_BUCKET, endpoint: store.endpoint };
  const objects = await openS3(inputs, await stubOperation(context));
  context.onTestFinished(() => objects.close());
  return objects;
}

async function remove(context: TestContext, keys: readonly string[]): Promise<void> {
  await (await open(context)).remove(keys);
}

function written(count: number, name = (at: number): string => `a/${at}`): string[] {
  const keys = Array.from({ length: count }, (_, at) => name(at));
  for (const key of keys) store.put(key, "a");
  return keys;
}

const requests = (): string[] => store.requests.map(({ method, key }) => `${method} ${key}`.trim());

test("2,500 objects are removed with three requests, and no other object", async (context) => {
  store.put("b", "stays");
  await remove(context, written(2_500));
  expect([...store.objects.keys()]).toEqual(["b"]);
  expect(requests()).toEqual(["POST", "POST", "POST"]);
});

test("one object is removed with a request for it, and none with no request", async (context) => {
  await remove(context, written(1));
  await remove(context, []);
  expect(requests()).toEqual(["DELETE a/0"]);
});

test("names that XML must escape are removed", async (context) => {
  await remove(
    context,
    written(2, (at) => `a/<&>"'é ${at}`),
  );
  expect([...store.objects.keys()]).toEqual([]);
  expect(requests()).toEqual(["POST"]);
});

test("a list has its MD5 and no other checksum", async (context) => {
  store.insistsOnMd5 = true;
  await remove(context, written(2));
  expect(requests()).toEqual(["POST"]);
  const names = Object.keys(store.requests[0]?.headers ?? {});
  expect(names.filter((name) => name.includes("checksum"))).toEqual([]);
});

test("a store that refuses lists is asked once in an operation, and then for each object", async (context) => {
  store.rule = BUCKET_QUIRKS["no removal of several objects"];
  const objects = await open(context);
  for (let call = 0; call < 2; call++) await objects.remove(written(2));
  expect([...store.objects.keys()]).toEqual([]);
  expect(requests().filter((line) => line === "POST")).toHaveLength(1);
  expect(requests().filter((line) => line.startsWith("DELETE"))).toHaveLength(4);
});

test("an object of a list that the store does not remove is removed alone, or named", async (context) => {
  const keys = written(3);
  const refusal = "<Error><Key>a/1</Key><Code>InternalError</Code></Error>";
  const others = ["a/0", "a/2"].map((key) => `<Deleted><Key>${key}</Key></Deleted>`).join("");
  store.rule = ({ method }) => (method === "POST" ? xml("DeleteResult", others + refusal) : undefined);
  await remove(context, keys);
  expect(requests()).toEqual(["POST", "DELETE a/1"]);
  store.rule = ({ method }) =>
    method === "POST" ? xml("DeleteResult", others + refusal) : stubError(403, "AccessDenied");
  await expect(remove(context, keys)).rejects.toThrow("s3:DeleteObject on s3://docs/a/1 is not allowed");
});

test("a bucket that is gone is named, not its objects", async (context) => {
  store.rule = ({ method }) =>
    method === "POST" || method === "DELETE" ? stubError(404, "NoSuchBucket") : undefined;
  await expect(remove(context, written(2))).rejects.toThrow("there is no bucket docs");
});
