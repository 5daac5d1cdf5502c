import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { beforeEach, describe, expect, test, type TestContext } from "vitest";
import type {
  Copy,
  DraftingDestination,
} from "../../../../../../provider/publishing/destinations/destination.ts";
import type { BucketPlace } from "../../../../../../provider/publishing/destinations/objectStore/bucketPlace.ts";
import { readPagedList } from "../../../../../../provider/publishing/destinations/objectStore/pagedList.ts";
import { textsOf } from "../../../../../../provider/publishing/destinations/objectStore/readObject.ts";
import { s3Destination } from "../../../../../../provider/publishing/destinations/objectStore/s3/s3Store.ts";
import type { Bundle } from "../../../../../../provider/publishing/inspection/bundle.ts";
import {
  type BucketStub,
  contentsXml,
  startBucketStub,
  STUB_BUCKET,
  stubError,
  stubOperation,
  xml,
} from "../../../../../simulation/bucketStub.ts";

type Site = Readonly<Record<string, string>>;

const MB = 1024 * 1024;
const FIRST: Site = { "index.html": "<h1>Start</h1>", "guide.html": "<h1>Guide</h1>", "empty.txt": "" };
const SECOND: Site = { ...FIRST, "index.html": "<h1>New start</h1>", "film.mp4": "film".repeat(2.5 * MB) };

let store: BucketStub;

beforeEach(async (context) => {
  store = await startBucketStub(context);
});

const sites = (prefix = "v"): DraftingDestination =>
  s3Destination({ bucket: STUB_BUCKET, endpoint: store.endpoint, layout: "site", prefix });

function bundleOf(site: Site): Bundle {
  const sha256 = createHash("sha256").update(JSON.stringify(site)).digest("hex");
  return { path: "/nowhere", format: "tar.gz", sha256, size: 1, version: "1" };
}

async function publish(context: TestContext, site: Site, signal?: AbortSignal): Promise<Copy> {
  const draft = await sites().begin(bundleOf(site), await stubOperation(context, signal));
  for (const [path, text] of Object.entries(site)) {
    const bytes = Buffer.from(text);
    await draft.sink?.file({ path, size: bytes.length }, Readable.from([bytes]));
  }
  return draft.publish();
}

const keys = (): string[] =>
  [...store.objects.keys()].filter((key) => !key.includes("/.docs-hosting/")).sort();

test("a site becomes its files, with types, and is found again", async (context) => {
  const copy = await publish(context, FIRST);
  expect(keys()).toEqual(["v/empty.txt", "v/guide", "v/guide.html", "v/index.html"]);
  expect(store.objects.get("v/index.html")?.headers).toMatchObject({
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-cache",
  });
  expect(store.objects.get("v/empty.txt")?.body.length).toBe(0);
  expect(copy).toMatchObject({
    sitePath: `${store.endpoint}/docs/v/`,
    address: `${store.endpoint}/docs/v/index.html`,
  });
  expect(await sites().compare(copy, await stubOperation(context))).toBe("same");
});

test("a file of several parts arrives whole, and leaves no upload", async (context) => {
  await publish(context, FIRST);
  const copy = await publish(context, SECOND);
  expect(store.objects.get("v/film.mp4")?.body.toString()).toBe(SECOND["film.mp4"]);
  expect(store.objects.get("v/film.mp4")?.headers["content-type"]).toBe("video/mp4");
  expect(store.uploads.size).toBe(0);
  expect(await sites().compare(copy, await stubOperation(context))).toBe("same");
});

test("a store that requires Content-MD5 for multi-object deletions gets it", async (context) => {
  store.insistsOnMd5 = true;
  const copy = await publish(context, FIRST);
  await sites().release([copy], await stubOperation(context));
  expect([...store.objects.keys()]).toEqual([]);
});

test("files that somebody overwrote stay when the copy is removed, and are named", async (context) => {
  const copy = await publish(context, FIRST);
  for (const name of ["index.html", "guide.html", "guide", "empty.txt"]) store.put(`v/${name}`, "theirs");
  store.put("v/other.txt", "theirs, too");
  const operation = await stubOperation(context);
  await sites().release([copy], operation);
  expect(keys()).toHaveLength(5);
  expect(operation.reporter.lines.warn).toEqual([
    "below s3://docs/v these are not removed, because someone else overwrote them: empty.txt, guide, guide.html and 1 more",
  ]);
});

test("a site that is removed whole is removed without a message", async (context) => {
  const copy = await publish(context, FIRST);
  store.put("v/other.txt", "theirs");
  const operation = await stubOperation(context);
  await sites().release([copy], operation);
  expect(keys()).toEqual(["v/other.txt"]);
  expect(operation.reporter.lines.warn).toEqual([]);
});

test("a site that was stopped midway continues with the existing files", async (context) => {
  const stop = new AbortController();
  const reason = new Error("stopped");
  store.rule = ({ method, key }) => {
    if (method !== "PUT" || key !== "v/index.html") return undefined;
    setImmediate(() => stop.abort(reason));
    return "hang";
  };
  await expect(publish(context, FIRST, stop.signal)).rejects.toBe(reason);
  store.rule = () => undefined;
  store.requests.length = 0;
  await publish(context, FIRST);
  const sent = store.requests.filter(({ method, key }) => method === "PUT" && !key.includes(".docs-hosting"));
  expect(sent.map(({ key }) => key)).toEqual(["v/index.html"]);
});

test("an upload of a part of the site that a killed run left is aborted", async (context) => {
  for (const key of ["v/film.mp4", "v/theirs.mp4"]) {
    store.uploads.set(key, { key, headers: {}, startedAt: new Date(), parts: new Map() });
  }
  await publish(context, SECOND);
  expect([...store.uploads.keys()]).toEqual(["v/theirs.mp4"]);
});

test("a file that another client writes at the same moment is not overwritten", async (context) => {
  store.rule = ({ method, key }) => {
    if (method === "PUT" && key === "v/guide.html" && !store.objects.has(key)) store.put(key, "theirs");
    return undefined;
  };
  await expect(publish(context, FIRST)).rejects.toThrow(
    "s3://docs/v/guide.html was written by somebody else at the same time",
  );
  expect(store.objects.get("v/guide.html")?.body.toString()).toBe("theirs");
});

test.for([
  ["a new page", "more.html", "<h1>More</h1>"],
  ["other content of the same size", "guide.html", "x".repeat(FIRST["guide.html"]?.length ?? 0)],
] as const)(
  "%s of an update that the store confirms and loses is an error, and the next run sends it",
  async ([, path, content], context) => {
    await publish(context, FIRST);
    const third = { ...FIRST, "index.html": "<h1>New start</h1>", [path]: content };
    store.rule = ({ method, key }) =>
      method === "PUT" && key === `v/${path}` ? { status: 200, headers: { etag: '"lost"' } } : undefined;
    await expect(publish(context, third)).rejects.toThrow(`v/${path}`);
    store.rule = () => undefined;
    await publish(context, third);
    expect(store.objects.get(`v/${path}`)?.body.toString()).toBe(content);
  },
);

test("a record that the store confirms and loses is written again: a failed first copy is not of somebody else", async (context) => {
  let lost = 0;
  store.rule = ({ method, key }) => {
    const isLost =
      method === "PUT" && (/[0-9a-f]{64}\.json$/.test(key) || key === "v/guide.html") && lost++ < 2;
    return isLost ? { status: 200, headers: { etag: '"lost"' } } : undefined;
  };
  await expect(publish(context, FIRST)).rejects.toThrow("at the same time");
  store.rule = () => undefined;
  await expect(publish(context, FIRST)).resolves.toBeDefined();
});

test("an endless record is not read to the end", async () => {
  const piece = new Uint8Array(16 * 1024 * 1024);
  let given = 0;
  // eslint-disable-next-line @typescript-eslint/require-await -- as a store's answer is read
  const content = (async function* () {
    for (; ; given++) yield piece;
  })();
  const place = { uriOf: (key: string) => `s3://docs/${key}` } as unknown as BucketPlace;
  await expect(Array.fromAsync(textsOf(place, "record.json", content))).rejects.toMatchObject({
    name: "DestinationError",
    message: "s3://docs/record.json has more than 268 MB, which no record of a copy has",
  });
  expect(given).toBe(16);
});

describe("an endless list is given up, with what it listed", () => {
  let pages: number;
  beforeEach(() => {
    pages = 0;
  });
  const listing = (query: URLSearchParams): boolean => query.has("list-type");

  test("that names the same next page again", async (context) => {
    store.rule = ({ query }) =>
      listing(query)
        ? xml(
            "ListBucketResult",
            `<IsTruncated>true</IsTruncated><NextContinuationToken>again</NextContinuationToken>${contentsXml(`v/${pages++}`, 1, "e")}`,
          )
        : undefined;
    await expect(publish(context, FIRST)).rejects.toMatchObject({
      name: "DestinationError",
      message: "the store's list of s3://docs/v does not end: a page leads to itself",
    });
    expect(pages).toBe(2);
  });

  test("that always has another page", async () => {
    const read = (): Promise<string> => Promise.resolve(`t${pages++}`);
    await expect(readPagedList("s3://docs", read)).rejects.toMatchObject({
      message: "the store's list of s3://docs does not end: it has more than 10000 pages",
    });
    expect(pages).toBe(10_000);
  });

  test("but not one of a site of 500,000 pages, each with its second address", async () => {
    const objects = 2 * 500_000 + 3; // with the mark and the records of two copies
    const last = Math.ceil(objects / 1_000);
    const read = (): Promise<string | undefined> =>
      Promise.resolve(++pages === last ? undefined : `t${pages}`);
    await readPagedList("s3://docs", read);
    expect(pages).toBe(1_001);
  });

  test("that has no end and names no next page", async (context) => {
    store.rule = ({ query }) =>
      listing(query) ? xml("ListBucketResult", `<IsTruncated>true</IsTruncated>`) : undefined;
    await expect(publish(context, FIRST)).rejects.toMatchObject({
      message: "the store's list of s3://docs/v does not end: a page leads to itself",
    });
  });

  test("of uploads, which are only to be aborted", async (context) => {
    store.rule = ({ method, query }) =>
      method === "GET" && query.has("uploads") && ++pages > 0
        ? xml(
            "ListMultipartUploadsResult",
            `<IsTruncated>true</IsTruncated><NextKeyMarker>k</NextKeyMarker><NextUploadIdMarker>u</NextUploadIdMarker>`,
          )
        : undefined;
    await publish(context, SECOND);
    expect(pages).toBe(2);
  });

  test("a list of several pages is read to its end", async (context) => {
    const copy = await publish(context, FIRST);
    const all = [...store.objects].sort();
    store.rule = ({ query }) => {
      if (!listing(query)) return undefined;
      const at = Number(query.get("continuation-token") ?? 0);
      const [key, { body, etag }] = all[at] ?? ["", { body: "", etag: "" }];
      const next = `<NextContinuationToken>${at + 1}</NextContinuationToken>`;
      const content = `<IsTruncated>${at + 1 < all.length}</IsTruncated>${next}${contentsXml(key, body.length, etag)}`;
      return xml("ListBucketResult", content);
    };
    expect(await sites().compare(copy, await stubOperation(context))).toBe("same");
  });
});

test("a copy with a missing or changed file is reported as such, and a copy without a record is missing with its files", async (context) => {
  const copy = await publish(context, FIRST);
  store.objects.delete("v/empty.txt");
  expect(await sites().compare(copy, await stubOperation(context))).toBe("changed");
  store.put("v/empty.txt", "x");
  expect(await sites().compare(copy, await stubOperation(context))).toBe("changed");
  for (const key of store.objects.keys()) if (key.includes(".docs-hosting")) store.objects.delete(key);
  expect(await sites().compare(copy, await stubOperation(context))).toBe("changed");
  store.objects.clear();
  expect(await sites().compare(copy, await stubOperation(context))).toBe("gone");
});

test("an unusable bucket is reported before anything is downloaded", async (context) => {
  store.rule = () => stubError(404, "NoSuchBucket");
  await expect(sites().begin(bundleOf(FIRST), await stubOperation(context))).rejects.toThrow(
    "there is no bucket docs",
  );
});

describe("a page beside a folder of its name, in a store with an endpoint", () => {
  const RELATIVE = '<link rel="stylesheet" href="css/a.css"><a href="guide/install.html">install</a>';
  const BESIDE: Site = { "index.html": "", "guide.html": RELATIVE, "guide/install.html": "" };
  const indexOf = (): string => String(store.objects.get("v/guide/index.html")?.body);

  test("leads on to the page from the folder, if the page has relative addresses", async (context) => {
    const copy = await publish(context, BESIDE);
    const index = indexOf();
    expect(index).toContain('<meta http-equiv="refresh" content="0; url=../guide.html">');
    expect(index).toContain('location.replace("../guide.html" + location.search + location.hash)');
    expect(store.objects.get("v/guide/index.html")?.headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(await sites().compare(copy, await stubOperation(context))).toBe("same");
    const read = await sites().read(copy, await stubOperation(context));
    expect(read && "derived" in read ? [...(read.derived ?? [])] : []).toContain("guide/index.html");
    await sites().release([copy], await stubOperation(context));
    expect(keys()).toEqual([]);
  });

  test("is there again if all addresses of the page begin at the root", async (context) => {
    const rooted = '<a href="/guide/install">install</a>';
    await publish(context, { ...BESIDE, "guide.html": rooted });
    expect(indexOf()).toBe(rooted);
  });

  test("is the same object for a copy that an earlier version made, until the content changes", async (context) => {
    const old = await publish(context, { ...BESIDE, "guide.html": "x" });
    expect(indexOf()).toBe("x");
    store.requests.length = 0;
    expect(await sites().compare(old, await stubOperation(context))).toBe("same");
    expect(store.requests.filter(({ method }) => method !== "GET" && method !== "HEAD")).toEqual([]);
  });

  test("leads on to a name in other scripts", async (context) => {
    await publish(context, { "index.html": "", "b/ä b.html": RELATIVE, "b/ä b/c.html": "" });
    expect(String(store.objects.get("v/b/ä b/index.html")?.body)).toContain('href="../%C3%A4%20b.html"');
  });
});
