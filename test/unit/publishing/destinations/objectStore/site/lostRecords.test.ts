// Records of copies that somebody removed, or that a late list lacks: without them, nothing is removed, and nothing is given up in silence.
import { hash } from "node:crypto";
import { Readable } from "node:stream";
import { beforeEach, describe, expect, test, type TestContext } from "vitest";
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
  type StubOperation,
  stubOperation,
  xml,
} from "../../../../../simulation/bucketStub.ts";

type Site = Readonly<Record<string, string>>;
const V1: Site = { "a.css": "a", "guide.html": "g", "index.html": "one" };
const V2: Site = { ...V1, "index.html": "two" };
const V3: Site = { ...V1, "index.html": "three" };

let store: BucketStub;
beforeEach(async (context) => {
  store = await startBucketStub(context);
});

const sites = (cleanUrls = true): DraftingDestination =>
  s3Destination({ bucket: STUB_BUCKET, endpoint: store.endpoint, layout: "site", prefix: "v", cleanUrls });

async function publish(
  context: TestContext,
  site: Site,
  {
    earlier,
    operation,
    cleanUrls,
  }: { earlier?: readonly Copy[]; operation?: StubOperation; cleanUrls?: boolean } = {},
): Promise<Copy> {
  const sha256 = hash("sha256", JSON.stringify(site));
  const bundle = { path: "/nowhere", format: "tar.gz", sha256, size: 1, version: "1" } as const;
  const used = operation ?? (await stubOperation(context));
  const draft = await sites(cleanUrls).begin(bundle, used, sha256, earlier);
  for (const [path, text] of Object.entries(site)) {
    await draft.sink?.file({ path, size: text.length }, Readable.from([Buffer.from(text)]));
  }
  return draft.publish();
}

const recordKey = ({ sha256 }: Copy): string => `v/.docs-hosting/${sha256}.json`;
const live = (): string[] => [...store.objects.keys()].filter((key) => !key.includes(".docs-hosting")).sort();
const removed = (key: string): boolean => !store.objects.has(key);

/** Lists lack some objects, which are there. */
function listWithout(isLate: (key: string) => boolean): void {
  store.rule = ({ query, key }) => {
    if (key !== "" || !query.has("list-type")) return undefined;
    const prefix = query.get("prefix") ?? "";
    const shown = [...store.objects].filter(([each]) => each.startsWith(prefix) && !isLate(each)).sort();
    const entries = shown.map(([each, { body, etag, modifiedAt }]) =>
      contentsXml(each, body.length, etag, modifiedAt),
    );
    return xml("ListBucketResult", `<IsTruncated>false</IsTruncated>${entries.join("")}`);
  };
}

describe("an earlier copy is removed", () => {
  test("not while the record of the newest is gone: the error says what helps, and that works", async (context) => {
    const first = await publish(context, V1);
    const second = await publish(context, V2);
    const before = [...store.objects.keys()];
    const record = recordKey(second);
    store.objects.delete(record); // by somebody, or a rule of the store's life cycle
    await expect(sites().prune([first], [second], await stubOperation(context))).rejects.toMatchObject({
      message: expect.stringContaining(
        `the record of s3://docs/v/#sha256:${second.sha256} is gone`,
      ) as string,
      remedy: expect.stringContaining("Run `pulumi up --refresh`") as string,
    });
    expect([...store.objects.keys()]).toEqual(before.filter((key) => key !== record));

    expect(await sites().compare(second, await stubOperation(context))).toBe("changed");
    await publish(context, V2, { earlier: [second, first] });
    await sites().prune([first], [second], await stubOperation(context));
    expect(await sites().compare(second, await stubOperation(context))).toBe("same");
    expect(removed(recordKey(first))).toBe(true);
  });

  test("not while the record of an earlier copy that stays is gone, unless that is removed, too", async (context) => {
    const first = await publish(context, V1);
    const second = await publish(context, V2);
    const third = await publish(context, { ...V3, "old.css": "o" });
    store.objects.delete(recordKey(second));
    await expect(sites().prune([first], [third, second], await stubOperation(context))).rejects.toThrow(
      "nothing is removed below s3://docs/v",
    );
    expect(live()).toContain("v/a.css");
    await sites().prune([second, first], [third], await stubOperation(context));
    expect(await sites().compare(third, await stubOperation(context))).toBe("same");
    expect(removed(recordKey(first))).toBe(true);
  });

  test("with what is only its own, while a list is late by the record of the newest", async (context) => {
    const first = await publish(context, { ...V1, "old.css": "o" });
    const second = await publish(context, V2);
    listWithout((key) => key === recordKey(second));
    await sites().prune([first], [second], await stubOperation(context));
    expect(live()).toEqual(["v/a.css", "v/guide", "v/guide.html", "v/index.html"]);
    expect(await sites().compare(second, await stubOperation(context))).toBe("same");
  });

  test("although a list is late by its record, and its files go with it", async (context) => {
    const first = await publish(context, { ...V1, "old.css": "o" });
    const second = await publish(context, V2);
    listWithout((key) => key === recordKey(first));
    await sites().prune([first], [second], await stubOperation(context));
    expect(live()).not.toContain("v/old.css");
    expect(removed(recordKey(first))).toBe(true);
  });

  test("with a line about its files, if its own record is gone", async (context) => {
    const first = await publish(context, { ...V1, "old.css": "o" });
    const second = await publish(context, V2);
    store.objects.delete(recordKey(first));
    const operation = await stubOperation(context);
    await sites().prune([first], [second], operation);
    expect(operation.reporter.lines.warn).toEqual([
      expect.stringMatching(/these are not removed, because no record says whose they are: old\.css\./),
    ]);
  });
});

describe("a publication", () => {
  test("removes an abandoned copy, and not what the newest needs, whose record a list lacks", async (context) => {
    const first = await publish(context, { ...V1, "half.css": "h" });
    const record = store.objects.get(recordKey(first));
    store.put(recordKey(first), String(record?.body).replace('"isWhole":true', '"isWhole":false'));
    const second = await publish(context, V2);
    const operation = await stubOperation(context);
    operation.clock.wallMs = Date.now() + 2 * 3_600_000;
    listWithout((key) => key === recordKey(second));
    await publish(context, V2, { earlier: [second], operation });
    store.rule = () => undefined;
    expect(live()).toEqual(["v/a.css", "v/guide", "v/guide.html", "v/index.html"]);
    expect(await sites().compare(second, await stubOperation(context))).toBe("same");
  });

  test("removes no abandoned copy while an earlier copy has no record", async (context) => {
    const half = await publish(context, { ...V1, "half.css": "h" });
    const record = store.objects.get(recordKey(half));
    store.put(recordKey(half), String(record?.body).replace('"isWhole":true', '"isWhole":false'));
    const first = await publish(context, V1);
    store.objects.delete(recordKey(first));
    const operation = await stubOperation(context);
    operation.clock.wallMs = Date.now() + 2 * 3_600_000;
    await publish(context, V2, { earlier: [first], operation });
    expect(live()).toContain("v/half.css");
  });

  test("keeps second addresses that an earlier copy may have, whose record is gone", async (context) => {
    const first = await publish(context, V1);
    const second = await publish(context, V2);
    store.objects.delete(recordKey(first));
    const earlier = [second, first];
    await publish(context, V2, { earlier, cleanUrls: false });
    expect(live()).toContain("v/guide");
    expect(await sites(false).compare(second, await stubOperation(context))).toBe("same");
    await publish(context, V2, { earlier: [second], cleanUrls: false });
    expect(live()).not.toContain("v/guide");
  });

  test("says nothing about a record that only a late list lacks", async (context) => {
    const first = await publish(context, V1);
    const operation = await stubOperation(context);
    listWithout((key) => key === recordKey(first));
    await publish(context, V2, { earlier: [first], operation });
    expect(operation.reporter.lines.warn).toEqual([]);
  });
});

describe("a destroy", () => {
  test("names what stays of a site whose record somebody removed", async (context) => {
    const copy = await publish(context, V1);
    store.objects.delete(recordKey(copy));
    const operation = await stubOperation(context);
    await sites().release([copy], operation);
    expect(live()).toHaveLength(4);
    expect(operation.reporter.lines.warn).toEqual([
      `below s3://docs/v these are not removed, because no record says whose they are: a.css, guide, guide.html and 1 more. ` +
        `The record of s3://docs/v/#sha256:${copy.sha256} is gone: they may be its files. Remove them by hand if nobody needs them`,
    ]);
  });

  test("names it also without the mark, beside another copy that has its record", async (context) => {
    const first = await publish(context, V1);
    const second = await publish(context, { ...V2, "new.css": "n" });
    store.objects.delete(recordKey(second));
    store.objects.delete("v/.docs-hosting/owner.json");
    const operation = await stubOperation(context);
    await sites().release([second, first], operation);
    expect(operation.reporter.lines.warn).toEqual([
      expect.stringContaining(`These stay: s3://docs/v/#sha256:${second.sha256}, s3://docs/v/#sha256:`),
    ]);
  });

  test.for([
    ["nothing", () => true],
    ["no pages", (key: string) => !key.includes(".docs-hosting")],
    ["no record", (key: string) => /[0-9a-f]{64}\.json/.test(key)],
  ] as const)("removes the site whose list is late, and shows %s", async ([, isLate], context) => {
    const copy = await publish(context, V1);
    listWithout(isLate);
    await sites().release([copy], await stubOperation(context));
    expect([...store.objects.keys()]).toEqual([]);
  });

  test("leaves and names a file that somebody overwrote, also where the list is late by it", async (context) => {
    const copy = await publish(context, V1);
    store.put("v/a.css", "theirs");
    listWithout((key) => key === "v/a.css");
    const operation = await stubOperation(context);
    await sites().release([copy], operation);
    expect(live()).toEqual(["v/a.css"]);
    expect(operation.reporter.lines.warn).toEqual([
      "below s3://docs/v these are not removed, because someone else overwrote them: a.css",
    ]);
  });

  test("asks for no file that is listed", async (context) => {
    const copy = await publish(context, V1);
    store.requests.length = 0;
    await sites().release([copy], await stubOperation(context));
    expect(store.requests.filter(({ method }) => method === "HEAD")).toEqual([]);
  });
});
