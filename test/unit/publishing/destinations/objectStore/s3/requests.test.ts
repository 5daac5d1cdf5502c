// What is asked of a store, and what a store's answers cannot make it do.
import { Readable } from "node:stream";
import { beforeEach, expect, test, type TestContext } from "vitest";
import type {
  Copy,
  DraftingDestination,
} from "../../../../../../provider/publishing/destinations/destination.ts";
import { s3Destination } from "../../../../../../provider/publishing/destinations/objectStore/s3/s3Store.ts";
import {
  type BucketStub,
  contentsXml,
  startBucketStub,
  STUB_BUCKET,
  stubBundle,
  stubError,
  stubOperation,
  xml,
} from "../../../../../simulation/bucketStub.ts";

let store: BucketStub;
beforeEach(async (context) => {
  store = await startBucketStub(context);
});

const DIGEST = "ab".repeat(32);
const place = (layout: "archive" | "site"): DraftingDestination =>
  s3Destination({ bucket: STUB_BUCKET, endpoint: store.endpoint, prefix: "a", layout });

async function publish(context: TestContext, layout: "archive" | "site", size = 10): Promise<Copy> {
  const draft = await place(layout).begin(await stubBundle(context, size), await stubOperation(context));
  await draft.sink?.file({ path: "index.html", size: 1 }, Readable.from([Buffer.from("a")]));
  return draft.publish();
}

test("content has one checksum, which all stores support, and no answer needs one", async (context) => {
  await publish(context, "archive", 9 * 1024 * 1024);
  const site = await publish(context, "site");
  await place("site").read(site, await stubOperation(context));
  const names = store.requests.flatMap(({ headers }) => Object.keys(headers));
  expect(new Set(names.filter((name) => name.startsWith("x-amz-checksum-")))).toEqual(
    new Set(["x-amz-checksum-sha256", "x-amz-checksum-algorithm", "x-amz-checksum-mode"]),
  );
  const modes = store.requests.filter(({ headers }) => headers["x-amz-checksum-mode"] !== undefined);
  expect(new Set(modes.map(({ method }) => method))).toEqual(new Set(["HEAD"]));
});

test("an operation that is stopped sends no request", async (context) => {
  const copies = { archive: await publish(context, "archive"), site: await publish(context, "site") };
  const operation = await stubOperation(context, AbortSignal.abort(new Error("stopped")));
  store.requests.length = 0;
  for (const layout of ["archive", "site"] as const) {
    const [copy, at] = [copies[layout], place(layout)];
    for (const work of [
      () => at.compare(copy, operation),
      () => at.read(copy, operation),
      () => at.find(DIGEST, operation),
      () => at.release([copy], operation),
    ]) {
      await expect(work()).rejects.toThrow("stopped");
    }
  }
  expect(store.requests).toEqual([]);
});

test("a list with objects of another prefix leads to none of them", async (context) => {
  const record = `b/.docs-hosting/${DIGEST}.json`;
  store.put(record, "{}");
  store.rule = ({ query }) =>
    query.has("list-type") ? xml("ListBucketResult", contentsXml(record, 2, '"e"')) : undefined;
  await expect(publish(context, "site")).rejects.toThrow("written by somebody else"); // it is not in the list
  expect(store.requests.filter(({ method, key }) => method === "GET" && key.startsWith("b/"))).toEqual([]);
});

test("a list with uploads of another prefix ends none of them", async (context) => {
  await place("archive").claim([], await stubOperation(context)); // as the run that left them did
  const { sha256 } = await stubBundle(context, 10);
  const uploads = ["a", "b"].map(
    (prefix) => `<Upload><Key>${prefix}/${sha256}.tar.gz</Key><UploadId>${prefix}</UploadId></Upload>`,
  );
  const ended: string[] = [];
  store.rule = ({ method, key, query }) => {
    if (method === "DELETE") ended.push(key);
    if (method === "DELETE") return { status: 204 };
    return key === "" && query.has("uploads")
      ? xml("ListMultipartUploadsResult", uploads.join(""))
      : undefined;
  };
  await publish(context, "archive");
  expect(ended).toEqual([`a/${sha256}.tar.gz`]);
});

test("uploads on several pages are all seen, and an end that fails is no error of the copy", async (context) => {
  await place("archive").claim([], await stubOperation(context)); // as the run that left them did
  const { sha256 } = await stubBundle(context, 10);
  const key = `a/${sha256}.tar.gz`;
  const pages: (string | null)[] = [];
  const ended: (string | null)[] = [];
  store.rule = ({ method, query, key: asked }) => {
    if (method === "DELETE") ended.push(query.get("uploadId"));
    if (method === "DELETE") return ended.length === 2 ? stubError(403, "AccessDenied") : { status: 204 };
    if (asked !== "" || !query.has("uploads")) return undefined;
    const marker = query.get("upload-id-marker");
    pages.push(marker);
    const next = marker === null ? "1" : "2";
    return xml(
      "ListMultipartUploadsResult",
      `<IsTruncated>${marker === null}</IsTruncated><NextKeyMarker>${key}</NextKeyMarker><NextUploadIdMarker>${next}</NextUploadIdMarker>` +
        `<Upload><Key>${key}</Key><UploadId>${next}</UploadId></Upload>`,
    );
  };
  await publish(context, "archive");
  expect(pages).toEqual([null, "1"]);
  expect(ended).toEqual(["1", "2"]);
});

test("a refusal names the request and the object", async (context) => {
  const copy = await publish(context, "archive");
  store.rule = () => stubError(403, "AccessDenied");
  await expect(place("archive").read(copy, await stubOperation(context))).rejects.toThrow(
    `s3:GetObject on ${copy.uri} is not allowed`,
  );
  store.rule = ({ method }) => (method === "DELETE" ? stubError(403, "AccessDenied") : undefined);
  await expect(place("archive").release([copy], await stubOperation(context))).rejects.toThrow(
    `s3:DeleteObject on ${copy.uri} is not allowed`,
  );
});

test("an object that vanishes before it is removed is no error", async (context) => {
  const copy = await publish(context, "archive");
  store.rule = ({ method }) => (method === "DELETE" ? stubError(404, "NoSuchKey") : undefined);
  await expect(place("archive").release([copy], await stubOperation(context))).resolves.toBeUndefined();
});
