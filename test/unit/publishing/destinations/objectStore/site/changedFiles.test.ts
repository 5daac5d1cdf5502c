import { hash } from "node:crypto";
import { Readable } from "node:stream";
import { beforeEach, describe, expect, test, type TestContext } from "vitest";
import { type Clock, systemClock } from "../../../../../../provider/base/runtime/time/clock.ts";
import type {
  Copy,
  DraftingDestination,
} from "../../../../../../provider/publishing/destinations/destination.ts";
import {
  openS3,
  s3Destination,
} from "../../../../../../provider/publishing/destinations/objectStore/s3/s3Store.ts";
import {
  type BucketStub,
  startBucketStub,
  STUB_BUCKET,
  stubError,
  stubOperation,
  xml,
} from "../../../../../simulation/bucketStub.ts";

type Site = Readonly<Record<string, string>>;

const FIRST: Site = { "index.html": "<h1>Start</h1>", "guide.html": "<h1>Guide</h1>", "a.svgz": "zipped" };
const FOR_EVER = "public, max-age=31536000, immutable";

let store: BucketStub;

beforeEach(async (context) => {
  store = await startBucketStub(context);
});

const sites = (): DraftingDestination =>
  s3Destination({ bucket: STUB_BUCKET, endpoint: store.endpoint, layout: "site", prefix: "v" });

/** Publishes a site. @returns also the warnings */
async function publish(
  context: TestContext,
  site: Site,
  more: { readonly clock?: Clock } = {},
): Promise<{ copy: Copy; warnings: string[] }> {
  const sha256 = hash("sha256", JSON.stringify(site));
  const operation = { ...(await stubOperation(context)), ...more };
  const bundle = { path: "/nowhere", format: "tar.gz", sha256, size: 1, version: "1" } as const;
  const draft = await sites().begin(bundle, operation);
  for (const [path, text] of Object.entries(site)) {
    const bytes = Buffer.from(text);
    await draft.sink?.file({ path, size: bytes.length }, Readable.from([bytes]));
  }
  return { copy: await draft.publish(), warnings: operation.reporter.lines.warn };
}

/** The objects of the site that requests wrote. */
const sentSince = (at: number): string[] =>
  store.requests
    .slice(at)
    .filter(({ method, key }) => method === "PUT" && !key.includes(".docs-hosting"))
    .map(({ key }) => key);

describe("headers that somebody changed, which leave the ETag as it is", () => {
  const change = (path: string, headers: Readonly<Record<string, string>>): void => {
    const found = store.objects.get(`v/${path}`);
    if (found === undefined) throw new Error(`there is no ${path}`);
    // as a copy of the object to itself: the store's console and `aws s3 cp --metadata-directive REPLACE` do that
    store.put(`v/${path}`, found.body, { ...found.headers, ...headers });
  };

  test.for([
    ["a type", "index.html", { "content-type": "application/octet-stream" }],
    ["the type of a second object", "guide", { "content-type": "text/plain" }],
    ["a cache rule", "guide.html", { "cache-control": "public, max-age=3600" }],
    ["an encoding", "a.svgz", { "content-encoding": "identity" }],
    ["a disposition", "index.html", { "content-disposition": "attachment" }],
  ] as const)(
    "%s: the copy has changed, and the next run sends the file again",
    async ([, path, headers], context) => {
      const { copy } = await publish(context, FIRST);
      expect(await sites().compare(copy, await stubOperation(context))).toBe("same");
      change(path, headers);
      expect(await sites().compare(copy, await stubOperation(context))).toBe("changed");
      const at = store.requests.length;
      const { warnings } = await publish(context, FIRST);
      expect(sentSince(at)).toEqual([`v/${path}`]);
      expect(warnings).toEqual([
        `below s3://docs/v there are objects that were changed since they were copied. They are written again: ${path}`,
      ]);
      expect(store.objects.get(`v/${path}`)?.headers).not.toMatchObject(headers);
      expect(await sites().compare(copy, await stubOperation(context))).toBe("same");
    },
  );

  test.for(["AccessDenied", "InvalidRequest"])(
    "are an error if the store refuses to write the file again (%s), also though its content is there",
    async (code, context) => {
      const { copy } = await publish(context, FIRST);
      change("index.html", { "content-disposition": "attachment" });
      store.rule = ({ method, key }) =>
        method === "PUT" && key === "v/index.html" ? stubError(403, code) : undefined;
      await expect(publish(context, FIRST)).rejects.toThrow("v/index.html");
      store.rule = () => undefined;
      expect(await sites().compare(copy, await stubOperation(context))).toBe("changed");
      await publish(context, FIRST);
      expect(await sites().compare(copy, await stubOperation(context))).toBe("same");
    },
  );

  test("count as written again if only the reply is lost", async (context) => {
    const { copy } = await publish(context, FIRST);
    change("index.html", { "content-disposition": "attachment" });
    store.rule = ({ method, key, headers }) => {
      if (method !== "PUT" || key !== "v/index.html") return undefined;
      store.put(key, FIRST["index.html"] ?? "", headers);
      return stubError(403, "AccessDenied");
    };
    await publish(context, FIRST);
    store.rule = () => undefined;
    expect(await sites().compare(copy, await stubOperation(context))).toBe("same");
  });

  test("a new version does not keep them either", async (context) => {
    await publish(context, FIRST);
    change("guide.html", { "content-type": "application/octet-stream" });
    await publish(context, { ...FIRST, "index.html": "<h1>New start</h1>" });
    expect(store.objects.get("v/guide.html")?.headers["content-type"]).toBe("text/html; charset=utf-8");
  });

  test("a store that returns the headers of no object is not suspected", async (context) => {
    const { copy } = await publish(context, FIRST);
    change("index.html", {});
    for (const [key, { body }] of store.objects) {
      const sha256 = store.objects.get(key)?.headers["x-amz-meta-sha256"];
      store.put(key, body, { "x-amz-meta-sha256": sha256 });
    }
    expect(await sites().compare(copy, await stubOperation(context))).toBe("same");
  });

  test("files that are older than their record cost no request each", async (context) => {
    const { copy } = await publish(context, FIRST);
    for (const [key, object] of store.objects) {
      if (!key.includes(".docs-hosting")) store.objects.set(key, { ...object, modifiedAt: new Date(0) });
    }
    const at = store.requests.length;
    expect(await sites().compare(copy, await stubOperation(context))).toBe("same");
    expect(store.requests.slice(at).filter(({ method }) => method === "HEAD")).toEqual([]);
  });

  test.for([
    [500, []],
    [501, [1_000]],
  ] as const)(
    "after %i files that a list shows with one time, the record waits %j ms for a later one",
    async ([count, waits], context) => {
      store.rule = ({ query }) => {
        if (!query.has("list-type")) return undefined;
        for (const [key, object] of store.objects) {
          store.objects.set(key, { ...object, modifiedAt: new Date(0) });
        }
        return undefined;
      };
      const paused: number[] = [];
      const after: Clock["after"] = (delayMs, callback) => {
        if (delayMs > 1_000) return () => undefined; // limits of requests
        paused.push(delayMs);
        setImmediate(callback);
        return () => undefined;
      };
      const files = Array.from({ length: count }, (_, at) => [`${at}.css`, `/* ${at} */`] as const);
      await publish(context, Object.fromEntries(files), {
        clock: { ...systemClock, monotonic: () => 0, after },
      });
      expect(paused).toEqual(waits);
      expect(sentSince(0)).toHaveLength(count);
    },
  );
});

test("objects of the archive classes of S3 are listed with them, also where an entry is not plain", async (context) => {
  const entry = (key: string, storageClass: string, more = ""): string =>
    `<Contents><Key>${key}</Key><LastModified>2026-11-23T00:00:00Z</LastModified><ETag>"1"</ETag><Size>1</Size>${more}<StorageClass>${storageClass}</StorageClass></Contents>`;
  const entries = [
    entry("v/a", "GLACIER"),
    entry("v/b", "STANDARD"),
    entry("v/c", "DEEP_ARCHIVE").replace("<ETag>", '<ETag xmlns="">'),
    entry("v/d", "GLACIER_IR"),
  ];
  store.rule = () => xml("ListBucketResult", `<IsTruncated>false</IsTruncated>${entries.join("")}`);
  const listed: unknown[] = [];
  const place = { bucket: STUB_BUCKET, endpoint: store.endpoint };
  const objects = await openS3(place, await stubOperation(context));
  context.onTestFinished(() => objects.close());
  await objects.list("v/", ({ key, archiveTier }) => listed.push([key, archiveTier]));
  expect(listed.sort()).toEqual([
    ["v/a", "GLACIER"],
    ["v/b", undefined],
    ["v/c", "DEEP_ARCHIVE"],
    ["v/d", undefined],
  ]);
});

describe("a file that is named as if after its content", () => {
  const PATH = "assets/app-DxYz12Ab.js";
  const withFile = (content: string, title = "Start"): Site => ({ "index.html": title, [PATH]: content });
  const cacheRule = (): unknown => store.objects.get(`v/${PATH}`)?.headers["cache-control"];

  test("is never sent as immutable again once it had other content, and a warning says so once", async (context) => {
    const first = await publish(context, withFile("one"));
    expect([cacheRule(), first.warnings]).toEqual([FOR_EVER, []]);
    const second = await publish(context, withFile("two"));
    expect(cacheRule()).toBe("no-cache");
    expect(second.warnings).toEqual([
      expect.stringContaining(`although they are named as if after their content: ${PATH}`),
    ]);
    // neither with the earlier content, nor after the earlier copies are gone, nor when another version did not have it
    const gone = await stubOperation(context);
    await sites().prune([first.copy], [second.copy], gone);
    await publish(context, { "index.html": "without" });
    const again = await publish(context, withFile("one", "again"));
    expect([cacheRule(), again.warnings]).toEqual(["no-cache", []]);
    expect(await sites().compare(again.copy, await stubOperation(context))).toBe("same");
  });

  test("stays immutable with the same content, without being sent again", async (context) => {
    await publish(context, withFile("one"));
    const at = store.requests.length;
    const { warnings } = await publish(context, withFile("one", "New start"));
    expect([cacheRule(), warnings, sentSince(at)]).toEqual([FOR_EVER, [], ["v/index.html"]]);
  });

  test("is sent again where an earlier version of the package sent it as immutable", async (context) => {
    const { copy } = await publish(context, withFile("one"));
    await publish(context, withFile("two"));
    // the records of earlier versions do not remember, and the file has their headers
    for (const [key, { body, headers }] of store.objects) {
      if (key.endsWith(PATH)) store.put(key, body, { ...headers, "cache-control": FOR_EVER });
    }
    for (const [key, { body, headers }] of store.objects) {
      if (/\/[0-9a-f]{64}\.json$/.test(key)) {
        store.put(key, body.toString().replace(/"revalidated":\[[^\]]*\],/, ""), headers);
      }
    }
    expect(copy.sha256).toMatch(/^[0-9a-f]{64}$/);
    const { warnings } = await publish(context, withFile("two", "third"));
    expect([cacheRule(), warnings.length]).toEqual(["no-cache", 1]);
  });
});
