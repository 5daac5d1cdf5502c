import { beforeEach, describe, expect, test, vi } from "vitest";
import type { Copy } from "../../provider/publishing/destinations/destination.ts";
import { operation } from "./bucketOperation.ts";
import { bundleOf, publish, type Site, sites } from "./publishedSites.ts";
import { EACH_STORE } from "./stores/kinds.ts";
import { openWebsite, s3, startS3 } from "./stores/s3.ts";
import type { BucketStore } from "./stores/store.ts";

const FIRST: Site = {
  "index.html": "<h1>Start</h1>",
  "guide/index.html": "<h1>Guide</h1>",
  "install.html": "<h1>Install</h1>",
  "404.html": "<h1>Not here</h1>",
  "_next/static/chunks/1f0aaaaaaaaaa.js": "one()",
  "assets/style.css": "h1 {}",
  "empty.txt": "",
  "größe/ä b+c.svg": "<svg/>",
};
const SECOND: Site = {
  ...FIRST,
  "index.html": "<h1>New start</h1>",
  "_next/static/chunks/2f0bbbbbbbbbb.js": "two()",
  "assets/style.css": "h1 { color: red }",
};
const WITHOUT: Site = Object.fromEntries(
  Object.entries(SECOND).filter(([path]) => path !== "_next/static/chunks/1f0aaaaaaaaaa.js"),
);

async function everything(store: BucketStore, prefix = "v/"): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const key of await store.keys(prefix)) {
    if (key.includes("/.docs-hosting/")) continue;
    found.set(key.slice(prefix.length), (await store.read(key)).content.toString());
  }
  return found;
}

const asMap = (site: Site): Map<string, string> =>
  new Map(Object.entries(site).map(([path, content]) => [path, content.toString()]));

const sentKeys = (store: BucketStore, from = 0): string[] =>
  store.requests
    .slice(from)
    .flatMap(({ sent }) => (sent === undefined || sent.includes("/.docs-hosting/") ? [] : [sent.slice(2)]));

function stubEnvironment(environment: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
}

describe.each(EACH_STORE)("%s:", (_name, kind) => {
  beforeEach(() => stubEnvironment(kind.environment));

  test("a site has types and cache headers, and clean addresses", async (context) => {
    const store = await kind.start(context);
    const copy = await publish(context, sites(store), FIRST);
    expect(copy.uri).toBe(`${store.uri}/v/#sha256:${bundleOf(FIRST).sha256}`);
    expect(copy.address).toBe(`${store.address}/v/index.html`);
    expect(await everything(store)).toEqual(new Map([...asMap(FIRST), ["install", "<h1>Install</h1>"]]));
    const headersOf = async (path: string): Promise<unknown> => {
      const { contentType, cacheControl } = await store.read(`v/${path}`);
      return [contentType, cacheControl];
    };
    expect(await headersOf("install")).toEqual(["text/html; charset=utf-8", "no-cache"]);
    expect(await headersOf("größe/ä b+c.svg")).toEqual(["image/svg+xml; charset=utf-8", "no-cache"]);
    expect(await headersOf("_next/static/chunks/1f0aaaaaaaaaa.js")).toEqual([
      "text/javascript; charset=utf-8",
      "public, max-age=31536000, immutable",
    ]);
  });

  test("a file can become a folder, and a folder a file, also in a store that keeps objects as files", async (context) => {
    const store = await kind.start(context);
    const destination = sites(store);
    const made: Copy[] = [];
    for (const site of [
      { "index.html": "1", "guide.html": "g", data: "d" },
      { "index.html": "2", "guide.html": "g", "guide/a.html": "a", "data/b": "b" },
      { "index.html": "3", "guide.html": "g", data: "d" },
    ]) {
      const copy = await publish(context, destination, site);
      expect(await destination.compare(copy, await operation(context))).toBe("same");
      await destination.prune(made.slice(0, -1), [copy, ...made.slice(-1)], await operation(context));
      made.push(copy);
    }
    const newest = made.pop();
    if (newest) await destination.prune(made, [newest], await operation(context));
    // the folder existed when the page was sent
    const clean = kind.hasKeysBesideFolders ? "guide" : "guide/index.html";
    const expected = { "index.html": "3", "guide.html": "g", [clean]: "g", data: "d" };
    expect(await everything(store)).toEqual(asMap(expected));
  });

  test("the next site sends the changes, and keeps the files of pages that are still open", async (context) => {
    const store = await kind.start(context);
    const destination = sites(store);
    const first = await publish(context, destination, FIRST);
    const before = store.requests.length;
    const second = await publish(context, destination, WITHOUT);
    expect(sentKeys(store, before).sort()).toEqual(
      ["_next/static/chunks/2f0bbbbbbbbbb.js", "assets/style.css", "index.html"].sort(),
    );
    expect((await everything(store)).get("_next/static/chunks/1f0aaaaaaaaaa.js")).toBe("one()");
    expect(await destination.compare(second, await operation(context))).toBe("same");
    expect(await destination.compare(first, await operation(context))).toBe("changed");

    await store.put("v/theirs.txt", "theirs");
    await store.put("v2/theirs.txt", "theirs");
    await destination.prune([first], [second], await operation(context));
    const expected = new Map([...asMap(WITHOUT), ["install", "<h1>Install</h1>"], ["theirs.txt", "theirs"]]);
    expect(await everything(store)).toEqual(expected);
    expect(await destination.compare(second, await operation(context))).toBe("same");
    expect(await destination.compare(first, await operation(context))).toBe("gone");
    await destination.release([second], await operation(context));
    expect(await store.keys()).toEqual(["v/theirs.txt", "v2/theirs.txt"]);
  });

  test("large files are sent in parts, and no upload is left, also none of another run", async (context) => {
    const store = await kind.start(context);
    const video = Buffer.alloc(17 * 1024 * 1024, "film");
    await store.leaveUpload("v/film.mp4", []);
    await store.leaveUpload("v/theirs.mp4", []);
    await publish(context, sites(store), { "index.html": "x", "film.mp4": video });
    expect((await everything(store)).get("film.mp4")).toBe(video.toString());
    expect(await store.openUploads()).toEqual(kind.hidesUploads ? [] : ["v/theirs.mp4"]);
    expect((await store.read("v/film.mp4")).contentType).toBe("video/mp4");
  });

  test.for(["slowDown", "cut", "lost"] as const)(
    "a site arrives whole despite faulty requests (%s)",
    async (way, context) => {
      const store = await kind.start(context);
      let count = 0;
      store.spoil = ({ sent }) => (sent !== undefined && count++ % 2 === 0 ? way : undefined);
      const copy = await publish(context, sites(store), FIRST);
      expect(await everything(store)).toEqual(new Map([...asMap(FIRST), ["install", "<h1>Install</h1>"]]));
      expect(await sites(store).compare(copy, await operation(context))).toBe("same");
    },
  );

  test("a site at the bucket's root keeps the root's other folders", async (context) => {
    const store = await kind.start(context);
    await store.put("theirs/a.txt", "theirs");
    const destination = sites(store, "");
    const copy = await publish(context, destination, FIRST);
    expect(copy.uri).toBe(`${store.uri}/#sha256:${bundleOf(FIRST).sha256}`);
    expect(await destination.compare(copy, await operation(context))).toBe("same");
    const before = store.requests.length;
    await destination.release([copy], await operation(context));
    expect(await store.keys()).toEqual(["theirs/a.txt"]);
    // its record and the mark one by one
    const single = store.requests.slice(before).filter(({ method }) => method === "DELETE");
    if (kind.removesLists) expect(single).toHaveLength(2);
  });
});

describe("a website of s3", () => {
  beforeEach(() => stubEnvironment(s3.environment));

  test("finds pages at their clean addresses, and the page for missing ones", async (context) => {
    const store = await startS3(context);
    const website = await openWebsite(context, store, "v/404.html");
    await publish(context, sites(store), FIRST);
    const visit = async (path: string): Promise<unknown> => {
      const answer = await fetch(website + path);
      return [answer.status, answer.headers.get("content-type"), await answer.text()];
    };
    const html = "text/html; charset=utf-8";
    expect(await visit("/v/")).toEqual([200, html, "<h1>Start</h1>"]);
    expect(await visit("/v/guide/")).toEqual([200, html, "<h1>Guide</h1>"]);
    expect(await visit("/v/install")).toEqual([200, html, "<h1>Install</h1>"]);
    expect(await visit("/v/nothing")).toEqual([404, html, "<h1>Not here</h1>"]);
  });

  test("finds a page at its clean address also where a folder has its name, which the store cannot keep beside it", async (context) => {
    const store = await startS3(context);
    const website = await openWebsite(context, store, "404.html");
    await publish(context, sites(store, ""), {
      ...FIRST,
      "guide.html": "<h1>All</h1>",
      "install/a.txt": "a",
    });
    for (const [address, text] of [
      ["/install", FIRST["install.html"]],
      ["/guide", FIRST["guide/index.html"]],
      ["/guide.html", "<h1>All</h1>"],
    ] as const) {
      const answer = await fetch(website + address);
      expect([answer.status, await answer.text()]).toEqual([200, text]);
    }
  });
});
