// A store's replies, over real sockets: no bundle, too much of it, in another form, not now.
import { readdirSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { DownloadError } from "../../provider/base/runtime/messages/errors.ts";
import { atFirst, bundleOf, bundleStore, cutAfter, type Misbehaviour, saying } from "./bundleStore.ts";
import { expectBundle, fetched, ownFolder } from "./downloads.ts";
import { scriptedServer } from "./scriptedServer.ts";

/** Less than is held back where the disk is slow: all that a store sent before it broke has arrived. */
const CONTENT = bundleOf(1_000_000);
const HALF = CONTENT.length / 2;

test("D02 a missing bundle is requested once", async () => {
  const store = await bundleStore(CONTENT, saying(404, "<Error><Code>NoSuchKey</Code></Error>"));
  const { error } = await fetched(store);
  expect(error).toBeInstanceOf(DownloadError);
  expect(error?.message).toContain("has no such bundle (404)");
  expect(error?.remedy).toContain("Export the site again");
  expect(store.requests).toHaveLength(1);
});

const chunked: Misbehaviour = (response) => {
  response.writeHead(200, { etag: '"1"' });
  response.write(CONTENT);
  response.end();
  return true;
};

test.each([
  ["the service promised", {}, HALF, "sends more than the 500 kB that the service promised", "sizeBytes"],
  [
    "the limit allows",
    { limitBytes: HALF },
    undefined,
    "sends more than the limit of 500 kB",
    "limits.archiveBytes",
  ],
])(
  "D08 more bytes than %s are refused, and none is kept",
  async (_what, request, sizeBytes, expected, remedy) => {
    for (const misbehave of [chunked, (): boolean => false]) {
      const store = await bundleStore(CONTENT, misbehave);
      const folder = ownFolder();
      const mint = async (): Promise<{ url: string; sizeBytes?: number }> => ({
        ...(await store.mint()),
        ...(sizeBytes !== undefined && { sizeBytes }),
      });
      const { error } = await fetched({ mint }, { ...request, folder });
      expect(error).toBeInstanceOf(DownloadError);
      expect(error?.message).toContain(expected);
      expect(error?.remedy).toContain(remedy);
      expect(error?.remedy.includes("limits.archiveBytes")).toBe(remedy === "limits.archiveBytes");
      expect(readdirSync(folder)).toEqual([]);
    }
  },
);

test("D08 an answer with more bytes than its Content-Length is invalid HTTP, and all of it is dropped", async () => {
  const { baseUrl } = await scriptedServer((socket) => {
    socket.end("HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\nhello, world");
  });
  const { error, value } = await fetched(
    { mint: () => Promise.resolve({ url: baseUrl }) },
    {},
    { speed: 500 },
  );
  expect(value).toBeUndefined();
  expect(error?.message).toContain("the store did not answer for");
});

test("D08 a part with more bytes than its range is refused", async () => {
  const store = await bundleStore(CONTENT);
  store.misbehave = (response, request, number) => {
    if (number === 1) return cutAfter(HALF)(store)(response, request, number);
    response.writeHead(206, {
      etag: store.etag,
      "content-range": `bytes ${HALF}-${CONTENT.length - 1}/${CONTENT.length}`,
    });
    response.end(CONTENT);
    return true;
  };
  expect((await fetched(store)).error?.message).toContain("sends more than it promised");
});

test("a bundle without a length, in chunks, is whole when they end", async () => {
  const store = await bundleStore(CONTENT, chunked);
  expectBundle(await fetched(store), CONTENT);
});

test("an answer that ends with its connection may be a cut one: it is refused, unless the size is known", async () => {
  const { baseUrl } = await scriptedServer((socket) => socket.end("HTTP/1.1 200 OK\r\n\r\nhello"));
  const { error } = await fetched({ mint: () => Promise.resolve({ url: baseUrl }) });
  expect(error?.message).toContain("does not send the length of the bundle");
  const known = await fetched({ mint: () => Promise.resolve({ url: baseUrl, sizeBytes: 5 }) });
  expectBundle(known, Buffer.from("hello"));
});

test("D09 a bundle is requested without an encoding, and refused with one", async () => {
  const store = await bundleStore(CONTENT, saying(200, "", { "content-encoding": "gzip" }));
  const { error } = await fetched(store);
  expect(error).toBeInstanceOf(DownloadError);
  expect(error?.message).toContain('answers with the Content-Encoding "gzip"');
  expect(store.requests[0]?.headers["accept-encoding"]).toBe("identity");
});

test("D09 a bundle that is gzip itself arrives unchanged", async () => {
  const packed = gzipSync(CONTENT);
  const store = await bundleStore(packed, (response) => {
    response.writeHead(200, { "content-type": "application/gzip", "content-encoding": "identity" });
    response.end(packed);
    return true;
  });
  expectBundle(await fetched(store), packed);
});

test("D13 a store's Retry-After status is waited for", async () => {
  const slowDown = saying(
    503,
    "<Error><Code>SlowDown</Code><Message>Please reduce your rate</Message></Error>",
  );
  const store = await bundleStore(CONTENT, atFirst(4, slowDown));
  const { clock, lines, ...outcome } = await fetched(store);
  expectBundle({ clock, lines, ...outcome }, CONTENT);
  expect(clock.waits).toEqual([250, 500, 1_000, 2_000]);
  expect(lines.progress[0]).toContain("answered 503: SlowDown: Please reduce your rate; trying again in 1s");
});

test("D13 Retry-After sets the pause", async () => {
  const store = await bundleStore(CONTENT, atFirst(1, saying(429, "", { "retry-after": "7" })));
  const { clock } = await fetched(store);
  expect(clock.waits).toEqual([7_000]);
});
