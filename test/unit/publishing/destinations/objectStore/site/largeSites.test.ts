// What a large site must not repeat: lists of it, its record, its second addresses.
import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { beforeEach, expect, test, type TestContext } from "vitest";
import type { Copy } from "../../../../../../provider/publishing/destinations/destination.ts";
import type { BucketInputs } from "../../../../../../provider/publishing/destinations/objectStore/s3/inputs.ts";
import { s3Destination } from "../../../../../../provider/publishing/destinations/objectStore/s3/s3Store.ts";
import type { Bundle } from "../../../../../../provider/publishing/inspection/bundle.ts";
import {
  type BucketStub,
  startBucketStub,
  STUB_BUCKET,
  stubOperation,
  xml,
} from "../../../../../simulation/bucketStub.ts";

type Site = Readonly<Record<string, string>>;

let store: BucketStub;
beforeEach(async (context) => {
  store = await startBucketStub(context);
});

const FIRST: Site = { "index.html": "start", "guide.html": "guide", "a/b.html": "b", "a/s.css": "h1 {}" };
const SECOND: Site = { ...FIRST, "guide.html": "other" };

const place = (more: Partial<BucketInputs> = {}) =>
  s3Destination({ bucket: STUB_BUCKET, endpoint: store.endpoint, prefix: "v", layout: "site", ...more });

function bundleOf(site: Site): Bundle {
  const sha256 = createHash("sha256").update(JSON.stringify(site)).digest("hex");
  return { path: "/nowhere", format: "tar.gz", sha256, size: 1, version: "1" };
}

/** As a `pulumi up` does it: compares with the copy before, publishes, removes the copies before. */
async function up(
  context: TestContext,
  site: Site,
  more: Partial<BucketInputs> = {},
  earlier: readonly Copy[] = [],
): Promise<Copy> {
  const operation = await stubOperation(context);
  const destination = place(more);
  const draft = await destination.begin(bundleOf(site), operation);
  for (const [path, text] of Object.entries(site)) {
    await draft.sink?.file({ path, size: text.length }, Readable.from([Buffer.from(text)]));
  }
  for (const copy of earlier.slice(0, 1)) await destination.read(copy, operation);
  const copy = await draft.publish();
  const others = earlier.filter(({ sha256 }) => sha256 !== copy.sha256);
  if (others.length > 0) await destination.prune(others, [copy], operation);
  return copy;
}

const keys = (): string[] =>
  [...store.objects.keys()].filter((key) => !key.includes(".docs-hosting")).map((key) => key.slice(2));

/** Lists of the whole site, and reads of records. */
const lists = (): number =>
  store.requests.filter(({ query }) => query.get("prefix") === "v/" && query.has("list-type")).length;
const reads = (): string[] =>
  store.requests
    .filter(({ method, key }) => method === "GET" && key !== "" && !key.endsWith("/owner.json"))
    .map(({ key }) => key);

test("a new version lists the site before it, after it and before the removal, and reads each record once, also to compare and to prune", async (context) => {
  const first = await up(context, FIRST);
  expect(lists()).toBe(2); // before it and after it
  store.requests.length = 0;
  const second = await up(context, SECOND, {}, [first]);
  expect(lists()).toBe(3);
  expect(reads()).toEqual([`v/.docs-hosting/${first.sha256}.json`]);
  expect(await place().compare(second, await stubOperation(context))).toBe("same");
  expect(await place().compare(first, await stubOperation(context))).toBe("gone");
});

test("a record that somebody else writes meanwhile is read again", async (context) => {
  const first = await up(context, FIRST);
  const record = `v/.docs-hosting/${first.sha256}.json`;
  store.requests.length = 0;
  store.rule = ({ method, key }) => {
    const text = store.objects.get(record)?.body.toString() ?? "";
    if (method === "PUT" && key === "v/guide.html") {
      store.put(record, text.replace("guide.html", "guide.htm"));
    }
    return undefined;
  };
  await up(context, SECOND, {}, [first]);
  expect(reads()).toEqual([record, record]);
});

test("a record that an operation has read is read again only if it was changed since", async (context) => {
  const first = await up(context, FIRST);
  const record = `v/.docs-hosting/${first.sha256}.json`;
  const operation = await stubOperation(context);
  await place().read(first, operation);
  store.requests.length = 0;
  expect(await place().compare(first, operation)).toBe("same");
  expect(reads()).toEqual([]);
  store.put(record, store.objects.get(record)?.body.toString().replace("guide.html", "guide.htm") ?? "");
  expect(await place().compare(first, operation)).toBe("changed");
  expect(reads()).toEqual([record]);
});

test("a store whose lists name revisions in another way is listed again, and the copy is whole", async (context) => {
  store.rule = ({ query }) => {
    if (!query.has("list-type")) return undefined;
    const prefix = query.get("prefix") ?? "";
    const entries = [...store.objects].filter(([key]) => key.startsWith(prefix));
    const texts = entries.map(
      ([key, { body, etag }]) =>
        `<Contents><Key>${key}</Key><LastModified>2026-11-23T00:00:00.000Z</LastModified>` +
        `<ETag>list-${etag.slice(1, 5)}</ETag><Size>${body.length}</Size></Contents>`,
    );
    return xml("ListBucketResult", texts.join(""));
  };
  const first = await up(context, FIRST);
  store.requests.length = 0;
  const second = await up(context, SECOND, {}, [first]);
  expect(lists()).toBe(3);
  expect(await place().compare(second, await stubOperation(context))).toBe("same");
});

test("names that XML must escape are listed as they are, in any form of an entry", async (context) => {
  const odd = { ...FIRST, "a&b/<'\" >.txt": "odd", "größe/ä b.txt": "odd" };
  const entry = (key: string, etag: string, size: number): string =>
    `<Key>${key}</Key><LastModified>2026-11-23T00:00:00.000Z</LastModified><ETag>${etag}</ETag><Size>${size}</Size>`;
  const escaped = (text: string): string =>
    text.replace(/[&<"']/g, (each) => ({ "&": "&amp;", "<": "&#x3c;", '"': "&#34;" })[each] ?? "&apos;");
  let at = 0;
  store.rule = ({ query }) => {
    if (!query.has("list-type")) return undefined;
    const prefix = query.get("prefix") ?? "";
    const listed = [...store.objects].filter(([key]) => key.startsWith(prefix));
    const entries = listed.map(([key, { body, etag }]) => {
      const plain = entry(escaped(key), escaped(etag), body.length);
      const forms = [
        plain,
        `\n  ${plain}\n`,
        plain.replace("<Key>", "<Key >"),
        `<Owner><ID>x</ID></Owner>${plain}`,
      ];
      return `<Contents>${forms[at++ % forms.length] ?? ""}</Contents>`;
    });
    return xml("ListBucketResult", `<IsTruncated>false</IsTruncated>${entries.join("\n")}`);
  };
  const copy = await up(context, odd);
  expect(await place().compare(copy, await stubOperation(context))).toBe("same");
  await place().release([copy], await stubOperation(context));
  expect([...store.objects.keys()]).toEqual([]);
});

test("with cleanUrls false, a page has one object, and an import finds that out", async (context) => {
  const copy = await up(context, FIRST, { cleanUrls: false });
  expect(keys().sort()).toEqual(Object.keys(FIRST).sort());
  expect(await place({ cleanUrls: false }).compare(copy, await stubOperation(context))).toBe("same");
  const found = await place().find(copy.sha256, await stubOperation(context));
  expect(found.destination).toEqual({ cleanUrls: false });
  await up(context, FIRST);
  expect((await place().find(copy.sha256, await stubOperation(context))).destination).toBeUndefined();
});

test("a change of cleanUrls removes or sends the second objects of the copy, and nothing else", async (context) => {
  const copy = await up(context, FIRST);
  const all = keys().sort();
  const second = ["a/b", "guide"];
  expect(all).toEqual([...Object.keys(FIRST), ...second].sort());
  const sent = (): string[] =>
    store.requests
      .filter(({ method, key }) => method === "PUT" && !key.includes(".docs-hosting"))
      .map(({ key }) => key.slice(2));
  store.requests.length = 0;
  expect(await up(context, FIRST, { cleanUrls: false }, [copy])).toEqual(copy);
  expect([keys().sort(), sent()]).toEqual([Object.keys(FIRST).sort(), []]);
  expect(await place().compare(copy, await stubOperation(context))).toBe("same");
  store.requests.length = 0;
  await up(context, FIRST, {}, [copy]);
  expect([keys().sort(), sent().sort()]).toEqual([all, second]);
  store.requests.length = 0;
  await up(context, FIRST, {}, [copy]);
  expect(store.requests.filter(({ method }) => method === "DELETE" || method === "POST")).toEqual([]);
  expect(sent()).toEqual([]);
});

test("second objects that are left when the run ends stay the copy's, and go with the next one", async (context) => {
  const copy = await up(context, FIRST);
  store.rule = ({ method, query }) =>
    method === "DELETE" || query.has("delete")
      ? { status: 403, body: "<Error><Code>AccessDenied</Code></Error>" }
      : undefined;
  await expect(up(context, FIRST, { cleanUrls: false }, [copy])).rejects.toThrow("s3:DeleteObject");
  expect(keys()).toContain("guide");
  store.rule = () => undefined;
  await up(context, FIRST, { cleanUrls: false }, [copy]);
  expect(keys().sort()).toEqual(Object.keys(FIRST).sort());
});

test("second objects that another copy has stay", async (context) => {
  const first = await up(context, FIRST);
  await up(context, SECOND, { cleanUrls: false });
  expect(keys()).toContain("guide");
  await up(context, FIRST, { cleanUrls: false }, []);
  expect(keys()).not.toContain("guide");
  expect(await place().compare(first, await stubOperation(context))).toBe("same");
});
