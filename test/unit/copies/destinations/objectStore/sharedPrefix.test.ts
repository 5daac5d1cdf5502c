// Two owners below one prefix of a bucket: who has the pages, what is kept for the other, and what is left in the end.
import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { beforeEach, expect, test, type TestContext } from "vitest";
import { s3Destination } from "../../../../../provider/copies/destinations/objectStore/s3/s3Store.ts";
import type { Copy } from "../../../../../provider/copies/destinations/destination.ts";
import type { Owner } from "../../../../../provider/copies/ownership/owner.ts";
import {
  startBucketStub,
  STUB_BUCKET,
  stubOperation,
  type BucketStub,
  type StubOperation,
} from "../../../../simulation/bucketStub.ts";
import { OWNER, otherOwner } from "../../../../simulation/owners.ts";

type Site = Readonly<Record<string, string>>;
const FIRST: Site = { "app.css": "a{}", "index.html": "<h1>First</h1>", "only-first.html": "1" };
const SECOND: Site = { "app.css": "a{}", "index.html": "<h1>Second</h1>", "only-second.html": "2" };
const OTHER = otherOwner();

let store: BucketStub;
beforeEach(async (context) => {
  store = await startBucketStub(context);
});

const destination = () =>
  s3Destination({ bucket: STUB_BUCKET, endpoint: store.endpoint, layout: "site", prefix: "v" });
const operationOf = async (context: TestContext, owner: Owner): Promise<StubOperation> => ({
  ...(await stubOperation(context)),
  owner,
});

async function publish(
  context: TestContext,
  site: Site,
  owner: Owner,
): Promise<{ copy: Copy; warnings: string[] }> {
  const operation = await operationOf(context, owner);
  const sha256 = createHash("sha256").update(JSON.stringify(site)).digest("hex");
  const bundle = { path: "/nowhere", format: "tar.gz", sha256, size: 1, version: "1" } as const;
  const draft = await destination().begin(bundle, operation);
  for (const [path, text] of Object.entries(site)) {
    await draft.sink?.file({ path, size: text.length }, Readable.from([Buffer.from(text)]));
  }
  return { copy: await draft.publish(), warnings: operation.reporter.lines.warn };
}

const pages = (): Record<string, string> =>
  Object.fromEntries(
    [...store.objects]
      .filter(([key]) => !key.includes("/.docs-hosting/") && key.includes("."))
      .map(([key, { body }]): [string, string] => [key.slice(2), String(body)])
      .sort(),
  );
async function destroy(context: TestContext, copy: Copy, owner: Owner): Promise<StubOperation> {
  const operation = await operationOf(context, owner);
  await destination().remove([copy], [], operation);
  return operation;
}

test("the pages belong to the owner who published last; a warning names the other one, who gets them back", async (context) => {
  const first = await publish(context, FIRST, OWNER);
  const second = await publish(context, SECOND, OTHER);
  expect(first.warnings).toEqual([]);
  expect(second.warnings).toEqual([
    expect.stringContaining(`replaces 1 files of a copy of ${OWNER.urn} (stack docs/dev)`),
  ]);
  expect(pages()["index.html"]).toBe("<h1>Second</h1>");
  expect(await destination().compare(first.copy, await operationOf(context, OWNER))).toBe("changed");

  await destroy(context, second.copy, OTHER);
  expect(pages()).toEqual(FIRST);
  expect(await destination().compare(first.copy, await operationOf(context, OWNER))).toBe("same");
  store.requests.length = 0;
  await publish(context, FIRST, OWNER);
  expect(store.requests.filter(({ method, key }) => method === "PUT" && !key.includes("/owners/"))).toEqual(
    [],
  );
  await destroy(context, first.copy, OWNER);
  expect([...store.objects.keys()]).toEqual([]);
});

test("an owner who no longer has the pages leaves without touching them", async (context) => {
  const first = await publish(context, FIRST, OWNER);
  const second = await publish(context, SECOND, OTHER);
  await destroy(context, first.copy, OWNER);
  expect(pages()).toEqual(SECOND);
  expect(await destination().compare(second.copy, await operationOf(context, OTHER))).toBe("same");
  await destroy(context, second.copy, OTHER);
  expect([...store.objects.keys()]).toEqual([]);
});

test("what an incomplete copy has, too, stays as it is: its run may be sending it", async (context) => {
  const first = await publish(context, FIRST, OWNER);
  const second = await publish(context, SECOND, OTHER);
  for (const [key, object] of store.objects) {
    if (!key.endsWith(`/.docs-hosting/${first.copy.sha256}.json`)) continue;
    store.objects.set(key, {
      ...object,
      body: Buffer.from(String(object.body).replace('"isWhole":true', '"isWhole":false')),
    });
  }
  await destroy(context, second.copy, OTHER);
  expect(pages()["index.html"]).toBe("<h1>Second</h1>");
});

test("a copy of two owners is removed with the last of them, and a line names the other", async (context) => {
  const first = await publish(context, FIRST, OWNER);
  await publish(context, FIRST, OTHER);
  const { reporter } = await destroy(context, first.copy, OWNER);
  expect(reporter.lines.info).toEqual([expect.stringContaining(`stays: it also belongs to ${OTHER.urn}`)]);
  expect(pages()).toEqual(FIRST);
  await destroy(context, first.copy, OTHER);
  expect([...store.objects.keys()]).toEqual([]);
});

test("a file that had to make room for a folder of the other site comes back", async (context) => {
  const first = await publish(context, { "index.html": "1", guide: "a file" }, OWNER);
  const second = await publish(context, { "index.html": "2", "guide/a.txt": "a" }, OTHER);
  expect(store.objects.has("v/guide")).toBe(false);
  await destroy(context, second.copy, OTHER);
  expect(String(store.objects.get("v/guide")?.body)).toBe("a file");
  expect(await destination().compare(first.copy, await operationOf(context, OWNER))).toBe("same");
});

test("an object that somebody corrected is written again, and a line names it", async (context) => {
  const first = await publish(context, FIRST, OWNER);
  store.put("v/index.html", "<h1>Corrected</h1>");
  const again = await publish(context, FIRST, OWNER);
  expect(again.warnings).toEqual([expect.stringContaining("They are written again: index.html")]);
  expect(pages()).toEqual(FIRST);
  await destroy(context, first.copy, OWNER);
  expect([...store.objects.keys()]).toEqual([]);
});

test("credentials that may not list remove nothing, and a line says that the copy stays", async (context) => {
  const first = await publish(context, FIRST, OWNER);
  store.rule = ({ method, key }) =>
    method === "GET" && key === ""
      ? { status: 403, body: "<Error><Code>AccessDenied</Code></Error>" }
      : undefined;
  const { reporter } = await destroy(context, first.copy, OWNER);
  expect(reporter.lines.warn).toEqual([
    expect.stringContaining("stays, because its owners cannot be listed"),
  ]);
  expect(pages()).toEqual(FIRST);
});

test("a removal names the owner of a copy that stays without files that nobody kept", async (context) => {
  const first = await publish(context, FIRST, OWNER);
  const second = await publish(context, SECOND, OTHER);
  // as after two publications at the same time
  for (const key of [...store.objects.keys()]) if (key.includes("/saved/")) store.objects.delete(key);
  const { reporter } = await destroy(context, second.copy, OTHER);
  expect(reporter.lines.warn).toEqual([
    expect.stringMatching(
      `a copy of ${OWNER.urn} \\(stack docs/dev\\) is now without these files: index.html. .* Run \`pulumi up --refresh\` of that stack`,
    ),
  ]);
  await publish(context, FIRST, OWNER);
  expect(pages()).toEqual(FIRST);
  await destroy(context, first.copy, OWNER);
  expect([...store.objects.keys()]).toEqual([]);
});

test("an archive of another owner below the same prefix is no site that is published at the same time", async (context) => {
  store.put(`v/.docs-hosting/owners/${"a".repeat(64)}.tar.gz/${OTHER.id}.json`, "{}");
  expect((await publish(context, FIRST, OWNER)).warnings).toEqual([]);
});
