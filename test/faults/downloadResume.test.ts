// A part of a bundle, and a store's next reply, over real sockets: the download resumes where the content is proved, else starts
// again.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { DeadlineExceededError } from "../../provider/base/runtime/messages/errors.ts";
import { PATIENTLY } from "../simulation/patience.ts";
import { processorMs } from "../simulation/processorTime.ts";
import {
  atFirst,
  bundleOf,
  type BundleStore,
  bundleStore,
  cutAfter,
  type Misbehaviour,
  saying,
  serve,
} from "./bundleStore.ts";
import { expectBundle, fetched, ownFolder, partsIn } from "./downloads.ts";

/** Less than is held back where the disk is slow: all that a store sent before it broke has arrived. */
const CONTENT = bundleOf(1_000_000);
const OTHER = bundleOf(1_000_000, "other");
const HALF = CONTENT.length / 2;

test.each([0, 0.01, 0.5, 0.999])(
  "D03 a download that is cut at %d of its bytes resumes there",
  async (part) => {
    const store = await bundleStore(CONTENT);
    const at = Math.floor(part * CONTENT.length);
    store.misbehave = atFirst(1, cutAfter(at)(store));
    const outcome = await fetched(store);
    expectBundle(outcome, CONTENT);
    expect(store.requests.map(({ headers }) => headers.range)).toEqual([
      undefined,
      at > 0 ? `bytes=${at}-` : undefined,
    ]);
    expect(outcome.lines.progress.join("\n")).toMatch(/trying again in \d+s/);
  },
);

test("D03 ten cuts need no byte twice, and no pause is longer than the first", async () => {
  const store = await bundleStore(CONTENT);
  store.misbehave = atFirst(10, cutAfter(80_000)(store));
  const outcome = await fetched(store);
  expectBundle(outcome, CONTENT);
  expect(outcome.clock.waits).toContain(250);
  expect(outcome.clock.waits).not.toContain(500);
  await expect.poll(store.sent, PATIENTLY).toBeGreaterThan(0);
  expect(store.sent()).toBeLessThan(CONTENT.length * 1.02);
});

test("D03 a new run resumes after the bytes that a stopped run got", async () => {
  const store = await bundleStore(CONTENT);
  store.misbehave = atFirst(1, cutAfter(HALF, { stays: true })(store));
  const folder = ownFolder();
  const stop = new AbortController();
  const reason = new Error("Ctrl-C");
  const run = fetched(store, { folder }, { signal: stop.signal, speed: 1 });
  await expect.poll(() => sizesIn(folder)[0], PATIENTLY).toBeGreaterThan(0);
  const stoppedAt = processorMs();
  stop.abort(reason);
  expect((await run).error).toBe(reason);
  expect(processorMs() - stoppedAt).toBeLessThan(2_000);
  const [arrived = 0] = sizesIn(folder);
  expect(arrived).toBeGreaterThan(0);

  expectBundle(await fetched(store, { folder }), CONTENT);
  expect(store.requests[1]?.headers.range).toBe(`bytes=${arrived}-`);
  expect(partsIn(folder)).toEqual(["job-1"]);
});

test("D03 a silent store is given up, and the rest is requested", async () => {
  const store = await bundleStore(CONTENT);
  store.misbehave = atFirst(1, cutAfter(HALF, { stays: true })(store));
  const outcome = await fetched(store);
  expectBundle(outcome, CONTENT);
  expect(outcome.clock.waits).toContain(30_000);
  expect(store.requests[1]?.headers.range).toBe(`bytes=${HALF}-`);
});

test("D03 the time limit ends a download that is too slow, and the arrived bytes stay", async () => {
  const store = await bundleStore(CONTENT);
  store.misbehave = cutAfter(1_000)(store);
  const folder = ownFolder();
  // it passes with the tenth request
  const remainingMs = (): number => (store.requests.length < 10 ? 20_000 : 0);
  const elapsedMs = (): number => 20_000 - remainingMs();
  const deadline = { limitMs: 20_000, elapsedMs, remainingMs, pause: () => () => undefined };
  const { error } = await fetched(store, { folder }, { deadline });
  expect(error).toBeInstanceOf(DeadlineExceededError);
  expect(error?.message).toMatch(
    /the time limit of 20s leaves no time for another attempt; \d.* kB had arrived$/,
  );
  expect(sizesIn(folder)[0]).toBeGreaterThan(1_000);
});

test("D03 a store that closes its port is reported after two minutes", async () => {
  const { error, clock } = await fetched({ mint: () => Promise.resolve({ url: "http://127.0.0.1:9/b?x" }) });
  expect(error?.name).toBe("ConnectionError");
  expect(error?.message).toMatch(/the store did not answer for \d+m/);
  expect(error?.remedy).toContain("the store is up and can be reached from here");
  expect(clock.monotonic()).toBeLessThan(15 * 60_000);
});

/** Sends one byte of the requested range, with a truthful head; or announces all, and breaks off. */
const oneByte =
  (isCut: boolean): ((store: BundleStore) => Misbehaviour) =>
  (store) =>
  (response, request, number) => {
    if (isCut) return cutAfter(1)(store)(response, request, number);
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1] ?? 0);
    response.writeHead(206, { etag: store.etag, "content-range": range(from, from, CONTENT.length) });
    response.end(CONTENT.subarray(from, from + 1));
    return true;
  };

test("D03 a store that sends one byte at a time, as a valid part, is given up after a few requests", async () => {
  const store = await bundleStore(CONTENT);
  store.misbehave = (...call) => (call[2] === 1 ? cutAfter(1)(store) : oneByte(false)(store))(...call);
  const { error } = await fetched(store);
  expect(error?.message).toMatch(/failed \(too few bytes\); \d+ B had arrived$/);
  expect(store.requests.length).toBeLessThan(10);
});

test("D03 a store that breaks off after each byte gets no more requests than one that sends none", async () => {
  const store = await bundleStore(CONTENT, undefined);
  store.misbehave = oneByte(true)(store);
  const { error } = await fetched(store, {}, { limitMs: 60_000 });
  expect(error).toBeInstanceOf(DeadlineExceededError);
  expect(store.requests.length).toBeLessThan(20);
});

test("D04 a store that ignores the range sends the whole, and the part is replaced", async () => {
  const store = await bundleStore(CONTENT);
  store.misbehave = (response, request, number) => {
    if (number === 1) return cutAfter(HALF)(store)(response, request, number);
    serve(store, { ...request, headers: {} }, response);
    return true;
  };
  expectBundle(await fetched(store), CONTENT);
  expect(store.requests).toHaveLength(2);
});

const range = (from: number, last: number, total: number): string => `bytes ${from}-${last}/${total}`;
const LAST = CONTENT.length - 1;
const RANGES: [string, Record<string, string>][] = [
  ["a wrong start", { "content-range": range(HALF - 1, LAST, CONTENT.length) }],
  ["a wrong total", { "content-range": range(HALF, LAST, CONTENT.length + 1) }],
  ["a wrong end", { "content-range": range(HALF, LAST + 1, CONTENT.length) }],
  ["an end before its start", { "content-range": range(HALF, HALF - 1, CONTENT.length) }],
  ["an unknown total", { "content-range": `bytes ${HALF}-${LAST}/*` }],
  ["no Content-Range", {}],
  ["a Content-Range that is none", { "content-range": "all of it" }],
  ["another length", { "content-range": range(HALF, LAST, CONTENT.length), "content-length": "7" }],
];

test.each(RANGES)("D05 a part with %s is dropped, and the download starts again", async (_what, headers) => {
  const store = await bundleStore(CONTENT);
  store.misbehave = (response, request, number) => {
    if (number === 1) return cutAfter(HALF)(store)(response, request, number);
    if (number > 2) return false;
    const length = Number(headers["content-length"] ?? HALF);
    response.writeHead(206, { etag: store.etag, "content-length": HALF, ...headers });
    response.end(OTHER.subarray(0, length));
    return true;
  };
  expectBundle(await fetched(store), CONTENT);
  expect(store.requests.map(({ headers: sent }) => sent.range)).toEqual([
    undefined,
    `bytes=${HALF}-`,
    undefined,
  ]);
});

test("D05 a store that never sends the requested range is given up", async () => {
  const store = await bundleStore(CONTENT, saying(206, "x", { etag: '"1"' }));
  const { error, lines } = await fetched(store);
  expect(error?.message).toContain(
    "the store does not say which bytes it sends; the download was restarted 5 times",
  );
  expect(error?.remedy).toContain("Run `pulumi up` again when nothing changes the bundle.");
  expect(lines.progress).toEqual(
    Array.from({ length: 5 }, () => "the store does not say which bytes it sends: the download restarts"),
  );
  expect(store.requests).toHaveLength(6);
});

test("D06 another bundle at the same link is never appended to the first", async () => {
  const store = await bundleStore(CONTENT);
  store.misbehave = (...call) => {
    if (call[2] > 1) return false;
    const done = cutAfter(HALF)(store)(...call);
    Object.assign(store, { content: OTHER, etag: '"other"' });
    return done;
  };
  expectBundle(await fetched(store), OTHER);
  expect(store.requests.map(({ headers }) => headers["if-match"])).toEqual([
    undefined,
    expect.stringMatching(/^"[0-9a-f]{32}"$/),
    undefined,
  ]);
});

test("D06 no bytes of a longer bundle are left after a shorter one", async () => {
  const store = await bundleStore(CONTENT);
  const short = OTHER.subarray(0, 1_000);
  store.misbehave = (...call) => {
    if (call[2] > 1) return false;
    const done = cutAfter(HALF)(store)(...call);
    Object.assign(store, { content: short, etag: '"short"' });
    return done;
  };
  expectBundle(await fetched(store), short);
});

test.each([['"other"'], [undefined], ['W/"weak"']])(
  "D06 a store that ignores If-Match, and has another bundle with the ETag %s, is noticed",
  async (etag) => {
    const store = await bundleStore(CONTENT);
    store.misbehave = (response, request, number) => {
      if (number === 1) return cutAfter(HALF)(store)(response, request, number);
      Object.assign(store, { content: OTHER, etag });
      const headers = { ...request.headers, "if-match": undefined };
      serve(store, { ...request, headers }, response);
      return true;
    };
    expectBundle(await fetched(store), OTHER);
  },
);

test.each([[undefined], ['W/"weak"'], ["none"]])(
  "D06 with the ETag %s nothing proves the part's content: the download starts again",
  async (etag) => {
    const store = await bundleStore(CONTENT);
    store.etag = etag;
    store.misbehave = atFirst(1, cutAfter(HALF)(store));
    expectBundle(await fetched(store), CONTENT);
    expect(store.requests.map(({ headers }) => [headers.range, headers["if-match"]])).toEqual([
      [undefined, undefined],
      [undefined, undefined],
    ]);
  },
);

test("D06 a store without ETags whose answers are always cut is given up", async () => {
  const store = await bundleStore(CONTENT);
  store.etag = undefined;
  store.misbehave = cutAfter(HALF)(store);
  const { error } = await fetched(store);
  expect(error?.message).toContain("the store gives no strong ETag; the download was restarted 5 times");
});

test("D07 a bundle that has arrived whole is not downloaded again", async () => {
  const store = await bundleStore(CONTENT);
  const folder = ownFolder();
  const first = await fetched(store, { folder });
  first.value?.release();
  const second = await fetched(store, { folder });
  expectBundle(second, CONTENT);
  expect(store.requests[1]?.headers.range).toBe(`bytes=${CONTENT.length}-`);
  expect(store.requests).toHaveLength(2);
  second.value?.remove();
  expect(partsIn(folder)).toEqual([]);
});

test.each([
  ["another one by now", (): Misbehaviour => () => false, '"other"'],
  ["said to be shorter", (): Misbehaviour => saying(416, "", { "content-range": "bytes */7" }), undefined],
])("D07 a whole bundle that is %s is downloaded again", async (_what, misbehave, etag) => {
  const store = await bundleStore(CONTENT);
  const folder = ownFolder();
  (await fetched(store, { folder })).value?.release();
  if (etag !== undefined) Object.assign(store, { content: OTHER, etag });
  store.misbehave = (...call) => call[2] === 2 && misbehave()(...call);
  expectBundle(await fetched(store, { folder }), store.content);
  expect(store.requests).toHaveLength(3);
});

/** Sizes of the parts. */
function sizesIn(folder: string): number[] {
  return readdirSync(folder).flatMap((part) => {
    try {
      return [readFileSync(join(folder, part, "bundle")).length];
    } catch {
      return [];
    }
  });
}
