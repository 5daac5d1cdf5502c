// Who wrote which object below the prefix of a site, and what is therefore sent, kept and removed.
import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { beforeEach, expect, test, type TestContext } from "vitest";
import type {
  Copy,
  DraftingDestination,
} from "../../../../../../provider/publishing/destinations/destination.ts";
import { s3Destination } from "../../../../../../provider/publishing/destinations/objectStore/s3/s3Store.ts";
import {
  type BucketStub,
  startBucketStub,
  STUB_BUCKET,
  type StubOperation,
  stubOperation,
} from "../../../../../simulation/bucketStub.ts";

type Site = Readonly<Record<string, string>>;
const SITE: Site = { "app.css": "a{}", "guide.html": "<h1>Guide</h1>", "index.html": "<h1>Start</h1>" };

let store: BucketStub;
beforeEach(async (context) => {
  store = await startBucketStub(context);
});

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const editionOf = (site: Site): string => sha256(JSON.stringify(site));
const sites = (prefix = "v"): DraftingDestination =>
  s3Destination({ bucket: STUB_BUCKET, endpoint: store.endpoint, layout: "site", prefix });
const recordKey = (site: Site): string => `v/.docs-hosting/${editionOf(site)}.json`;

async function publish(
  context: TestContext,
  site: Site,
  {
    prefix,
    placing,
    operation,
    earlier,
  }: {
    prefix?: string;
    placing?: (copy: Copy) => void;
    operation?: StubOperation;
    earlier?: readonly Copy[];
  } = {},
): Promise<Copy> {
  const bundle = {
    path: "/nowhere",
    format: "tar.gz",
    sha256: editionOf(site),
    size: 1,
    version: "1",
  } as const;
  const used = operation ?? (await stubOperation(context));
  const draft = await sites(prefix).begin(bundle, used, bundle.sha256, earlier);
  for (const [path, text] of Object.entries(site)) {
    await draft.sink?.file({ path, size: text.length }, Readable.from([Buffer.from(text)]));
  }
  store.requests.length = 0;
  return draft.publish(placing);
}

const asked = (method: string): string[] =>
  store.requests
    .filter((request) => request.method === method && request.key !== "" && !request.key.includes("/.docs-"))
    .map(({ key }) => key);
const files = (): string[] =>
  [...store.objects.keys()].filter((key) => !key.includes("/.docs-hosting/")).sort();
interface WrittenRecord {
  isWhole: boolean;
  headersVersion: number;
  files: [string, string, string][];
  derived?: string[];
}
const recordOf = (site: Site): WrittenRecord =>
  JSON.parse(String(store.objects.get(recordKey(site))?.body)) as WrittenRecord;
const rewrite = (site: Site, change: object): void =>
  store.put(recordKey(site), JSON.stringify({ ...recordOf(site), ...change }));

test("what a page loads is sent before the page, and the start page last; all is new", async (context) => {
  const placed: Copy[] = [];
  const copy = await publish(context, SITE, { placing: (each) => placed.push(each) });
  const sent = asked("PUT");
  expect(sent[0]).toBe("v/app.css");
  expect(sent.slice(1, 3).sort()).toEqual(["v/guide", "v/guide.html"]);
  expect(sent[3]).toBe("v/index.html");
  const puts = store.requests.filter(({ method, key }) => method === "PUT" && files().includes(key));
  expect(puts.map(({ headers }) => headers["if-none-match"])).toEqual(["*", "*", "*", "*"]);
  expect(placed).toEqual([copy]);
  expect(copy).toMatchObject({
    sha256: editionOf(SITE),
    uri: `s3://docs/v/#sha256:${editionOf(SITE)}`,
    parts: { record: recordKey(SITE) },
  });
  expect(recordOf(SITE)).toMatchObject({
    isWhole: true,
    files: expect.arrayContaining([
      ["app.css", sha256("a{}"), store.objects.get("v/app.css")?.etag],
    ]) as unknown,
    derived: ["guide"],
  });
});

test("a site without a start page has the address of its folder", async (context) => {
  const copy = await publish(context, { "a.txt": "a" });
  expect(copy.address).toBe(copy.sitePath);
});

test("a site that is there is not sent again, and nothing is written", async (context) => {
  const copy = await publish(context, SITE);
  const placed: Copy[] = [];
  expect(await publish(context, SITE, { placing: (each) => placed.push(each) })).toEqual(copy);
  const changes = store.requests.filter(({ method }) => method !== "GET" && method !== "HEAD");
  expect(changes).toEqual([]);
  expect(placed).toEqual([copy]);
});

test("of a new site, only what changed is sent, over what is there", async (context) => {
  await publish(context, SITE);
  await publish(context, { ...SITE, "index.html": "new" });
  expect(asked("PUT")).toEqual(["v/index.html"]);
  const [put] = store.requests.filter(({ key, method }) => method === "PUT" && key === "v/index.html");
  expect(put?.headers["if-none-match"]).toBeUndefined();
});

test("the same files with another edition are only noted", async (context) => {
  await publish(context, SITE);
  const bundle = { path: "/nowhere", format: "zip", sha256: "0".repeat(64), size: 1, version: "1" } as const;
  const draft = await sites().begin(bundle, await stubOperation(context), "cd".repeat(32));
  for (const [path, text] of Object.entries(SITE)) {
    await draft.sink?.file({ path, size: text.length }, Readable.from([Buffer.from(text)]));
  }
  store.requests.length = 0;
  expect(await draft.publish()).toMatchObject({ sha256: "cd".repeat(32) });
  expect(asked("PUT")).toEqual([]);
  expect(store.objects.has(`v/.docs-hosting/${"cd".repeat(32)}.json`)).toBe(true);
});

test("files that an earlier version sent with other headers are sent again", async (context) => {
  await publish(context, SITE);
  rewrite(SITE, { headersVersion: 0 });
  await publish(context, SITE);
  expect(asked("PUT").sort()).toEqual(files());
});

test("a file that somebody overwrote is sent again", async (context) => {
  await publish(context, SITE);
  store.put("v/app.css", "b{}");
  await publish(context, SITE);
  expect(asked("PUT")).toEqual(["v/app.css"]);
});

test("objects that no copy wrote are never overwritten", async (context) => {
  store.put("v/index.html", "theirs");
  store.put("v/other.html", "theirs");
  await expect(publish(context, SITE)).rejects.toMatchObject({
    message: "below s3://docs/v there are objects that no copy of a site wrote: index.html",
    remedy: "Nothing was written. Give the destination a prefix of its own, or remove these objects.",
  });
  expect([...store.objects].map(([key, { body }]) => [key, String(body)])).toEqual([
    ["v/index.html", "theirs"],
    ["v/other.html", "theirs"],
  ]);
});

test("an object of somebody else with the content of a file of the site is not adopted, and keeps its headers", async (context) => {
  store.put("v/app.css", SITE["app.css"] ?? "", { "content-type": "text/css", "cache-control": "max-age=5" });
  await expect(publish(context, SITE)).rejects.toThrow(
    "below s3://docs/v there are objects that no copy of a site wrote: app.css",
  );
  expect(files()).toEqual(["v/app.css"]);
  expect(store.objects.get("v/app.css")?.headers["cache-control"]).toBe("max-age=5");
});

test("what this package sent is adopted without its record, and so is equal content of a copy that the state has", async (context) => {
  const copy = await publish(context, SITE);
  store.objects.delete(recordKey(SITE));
  await publish(context, SITE);
  expect(await sites().compare(copy, await stubOperation(context))).toBe("same");
  // as a tool leaves it that moves a bucket elsewhere
  for (const key of files()) {
    store.put(key, store.objects.get(key)?.body ?? "", { "content-type": "text/css" });
  }
  store.objects.delete(recordKey(SITE));
  await expect(publish(context, SITE)).rejects.toThrow("no copy of a site wrote");
  await publish(context, SITE, { earlier: [copy] });
  expect(await sites().compare(copy, await stubOperation(context))).toBe("same");
});

test("what a killed run has sent is not sent again, unless it is of other content or has other headers", async (context) => {
  await publish(context, SITE);
  const { files: listed } = recordOf(SITE);
  rewrite(SITE, { isWhole: false, files: listed.map(([path, digest]) => [path, digest, ""]) });
  const css = store.objects.get("v/app.css");
  if (css) {
    store.objects.set("v/app.css", { ...css, headers: { ...css.headers, "cache-control": "no-store" } });
  }
  const guide = store.objects.get("v/guide.html");
  if (guide) {
    store.objects.set("v/guide.html", { ...guide, body: Buffer.from("<h1>GUIDE</h1>"), headers: {} });
  }
  await publish(context, SITE);
  expect(asked("PUT")).toEqual(["v/app.css", "v/guide.html"]);
  expect([...new Set(asked("HEAD"))].sort()).toEqual(files());
});

test.for([
  [".docs-hosting", "the site has a file .docs-hosting, in the folder of the copies' records"],
  [".docs-hosting/a", "the site has a file .docs-hosting/a, in the folder of the copies' records"],
  [`${"ä".repeat(511)}a`, "is too long for a bucket"],
] as const)(
  "a site with the file %s is refused before anything is written",
  async ([path, message], context) => {
    await expect(publish(context, { [path]: "a" })).rejects.toThrow(message);
    expect(store.objects.size).toBe(0);
  },
);

test("names are as long as a bucket allows, the prefix included", async (context) => {
  const copy = await publish(context, { ["a".repeat(1_022)]: "a", ".docs-hosting2": "a" });
  expect(await sites().compare(copy, await stubOperation(context))).toBe("same");
});

test("an object that is in the way of a folder of the new site is removed first, if a copy wrote it", async (context) => {
  await publish(context, { guide: "a file", "a/b.txt": "a" });
  store.put("v/x/other.txt", "theirs");
  await publish(context, { "guide/index.html": "a folder", a: "a file" });
  expect([...store.removed].sort()).toEqual(["v/a/b.txt", "v/guide"]);
  expect(files()).toEqual(["v/a", "v/guide/index.html", "v/x/other.txt"]);
});

test("a file that changes while the site is sent is an error", async (context) => {
  store.rule = ({ method, key }) => {
    if (method === "PUT" && key === "v/index.html") store.put("v/app.css", "longer than before");
    return undefined;
  };
  await expect(publish(context, SITE)).rejects.toMatchObject({
    message:
      "s3://docs/v/app.css was written by somebody else at the same time, or the store has lost what was sent",
    remedy:
      "Run `pulumi up` again. Two sites cannot be published below one prefix at the same time: give each its own.",
  });
  expect(recordOf(SITE).isWhole).toBe(false);
});

test("an incomplete copy is not the same", async (context) => {
  const copy = await publish(context, SITE);
  rewrite(SITE, { isWhole: false });
  expect(await sites().compare(copy, await stubOperation(context))).toBe("changed");
  await expect(sites().find(editionOf(SITE), await stubOperation(context))).rejects.toThrow(
    "it is incomplete, or another one replaced it",
  );
});

test("a site is read from its record, with the pages that were sent twice", async (context) => {
  const copy = await publish(context, SITE);
  const expected = {
    files: new Map(
      [...Object.entries(SITE), ["guide", SITE["guide.html"] ?? ""]].map(([path = "", text = ""]) => [
        path,
        sha256(text),
      ]),
    ),
    derived: new Set(["guide"]),
  };
  const read = async (): Promise<unknown> => {
    const content = await sites().read(copy, await stubOperation(context));
    if (content === undefined || !("files" in content)) return content;
    const { files, ...rest } = content;
    return { files: new Map([...files.keys()].map((path) => [path, files.get(path)])), ...rest };
  };
  expect(await read()).toEqual(expected);
  rewrite(SITE, { derived: undefined }); // as earlier versions wrote it
  expect(await read()).toEqual(expected);
  expect(await sites().find(editionOf(SITE), await stubOperation(context))).toEqual({
    copy: {
      sha256: copy.sha256,
      uri: copy.uri,
      address: copy.address,
      sitePath: copy.sitePath,
      parts: copy.parts,
    },
    edition: editionOf(SITE),
    files: expected.files,
  });
  store.objects.delete(recordKey(SITE));
  expect(await sites().read(copy, await stubOperation(context))).toBeUndefined();
});

test("a removal leaves the files of other copies, and removes pages before what they load, and the record last", async (context) => {
  const old = await publish(context, { ...SITE, "old.html": "old", "old.css": "old{}" });
  const kept = await publish(context, SITE);
  await sites().prune([old, kept], [kept], await stubOperation(context));
  const { removed } = store;
  expect(removed.slice(0, 2).sort()).toEqual(["v/old", "v/old.html"]);
  expect(removed.slice(2)).toEqual([
    "v/old.css",
    recordKey({ ...SITE, "old.html": "old", "old.css": "old{}" }),
  ]);
  expect(await sites().compare(kept, await stubOperation(context))).toBe("same");
});

test("the last removal also removes incomplete copies; another one leaves them", async (context) => {
  const half: Site = { "half.css": "h{}" };
  const [one, two] = [await publish(context, SITE), await publish(context, { "b.txt": "b" })];
  await publish(context, half);
  const listed = [
    ["half.css", sha256("h{}"), ""],
    ["x.css", sha256("x"), ""],
  ];
  rewrite(half, { isWhole: false, files: listed });
  store.put("v/x.css", "y");
  await sites().prune([one], [two], await stubOperation(context));
  expect(files()).toEqual(["v/b.txt", "v/half.css", "v/x.css"]);
  const operation = await stubOperation(context);
  await sites().release([two], operation);
  expect(files()).toEqual(["v/x.css"]);
  expect(operation.reporter.lines.warn).toEqual([
    "below s3://docs/v these are not removed, because someone else overwrote them: x.css",
  ]);
});

test("a copy that is incomplete for more than an hour is removed by the next run, a younger one is not", async (context) => {
  const half: Site = { "half.css": "h{}" };
  await publish(context, half);
  rewrite(half, { isWhole: false });
  const operation = await stubOperation(context);
  const modifiedMs = store.objects.get(recordKey(half))?.modifiedAt?.getTime() ?? 0; // in whole milliseconds, as the store lists it
  operation.clock.wallMs = modifiedMs + 3_600_000;
  await publish(context, SITE, { operation });
  expect(files()).toContain("v/half.css");
  operation.clock.wallMs = modifiedMs + 3_600_001;
  await publish(context, SITE, { operation });
  expect(files()).not.toContain("v/half.css");
  expect(store.objects.has(recordKey(half))).toBe(false);
  expect(files()).toContain("v/app.css");
});

test("a copy that a killed run began long ago is completed, not removed", async (context) => {
  await publish(context, SITE);
  rewrite(SITE, { isWhole: false });
  const operation = await stubOperation(context);
  operation.clock.wallMs = Date.parse("2036-11-23T00:00:00Z");
  const copy = await publish(context, SITE, { operation });
  expect(await sites().compare(copy, await stubOperation(context))).toBe("same");
  expect(recordOf(SITE).isWhole).toBe(true);
});

test("a whole copy is not removed, however old it is", async (context) => {
  const old: Site = { "old.css": "h{}" };
  await publish(context, old);
  const operation = await stubOperation(context);
  operation.clock.wallMs = Date.parse("2036-11-23T00:00:00Z");
  await publish(context, SITE, { operation });
  expect(files()).toContain("v/old.css");
});
