import { expect, test } from "vitest";
import type { RangeReader } from "../../../../../provider/publishing/images/registry/blobs.ts";
import { uploadBlob } from "../../../../../provider/publishing/images/registry/upload.ts";
import { FasterClock } from "../../../../simulation/fasterClock.ts";
import { type Asked, type Reply, type ScriptedRegistry, scriptedRegistry } from "./scriptedRegistry.ts";

const DIGEST = `sha256:${"a".repeat(64)}`;
const OTHER = `sha256:${"b".repeat(64)}`;
const QUERY = `?digest=sha256%3A${"a".repeat(64)}`;
const MIB = 1024 * 1024;
const BEGIN = "POST blobs/uploads/";
const HAS = `HEAD blobs/${DIGEST}`;

const SMALL = { digest: DIGEST, size: 10 };

/** Content in pieces of at most 4 MiB. */
const content: RangeReader = async function* (start, end) {
  for (let at = start; at < end; at += 4 * MIB) {
    yield await Promise.resolve(Buffer.alloc(Math.min(4 * MIB, end - at), String(at % 10)));
  }
};

const at = (location: string, more: Readonly<Record<string, string>> = {}): Reply => ({
  status: 202,
  headers: { location: `/v2/docs/site/${location}`, ...more },
});
/** The registry knows nothing of a blob or an upload. */
const UNKNOWN: Reply = { status: 404 };
const STORED: Reply = { status: 201 };
const CANCELLED: Reply = { status: 204 };

/** A registry that replies in this order: a reply's request, and the reply. */
async function sent(
  size: number,
  script: readonly (readonly [line: string, reply: Reply])[],
  signal?: AbortSignal,
): Promise<ScriptedRegistry & { moved: number[]; failure: Error | undefined }> {
  const registry = scriptedRegistry(
    (_request: Asked, number) => script[number - 1]?.[1] ?? { status: 418 },
    signal && { signal },
  );
  const moved: number[] = [];
  const blob = { digest: DIGEST, size };
  const failure = await uploadBlob(registry.client, blob, content, (bytes) => moved.push(bytes)).then(
    () => undefined,
    (error: unknown) => error as Error,
  );
  expect(registry.lines()).toEqual(script.map(([line]) => line));
  return { ...registry, moved, failure };
}

test("a small blob is sent in one request", async () => {
  const { requests, moved, failure } = await sent(10, [
    [BEGIN, at("u1")],
    [`PUT u1${QUERY}`, STORED],
  ]);
  expect(failure).toBeUndefined();
  expect(requests[1]).toMatchObject({
    headers: {
      "content-type": "application/octet-stream",
      "content-length": "10",
      "content-range": "0-9",
    },
    body: Buffer.from("0000000000"),
  });
  expect(moved).toEqual([10, 10]);
});

test("an empty blob is sent without content", async () => {
  const { requests, failure } = await sent(0, [
    [BEGIN, at("u1")],
    [`PUT u1${QUERY}`, { status: 204, headers: { "docker-content-digest": DIGEST } }],
  ]);
  expect(failure).toBeUndefined();
  expect(requests[1]?.headers).toMatchObject({ "content-length": "0" });
  expect(requests[1]?.headers["content-range"]).toBeUndefined();
});

test("the query of the registry's address stays as it is: it may be signed", async () => {
  const { failure } = await sent(10, [
    [BEGIN, at("u1?state=x%2fy&a=b+c")],
    [`PUT u1?state=x%2fy&a=b+c&${QUERY.slice(1)}`, STORED],
  ]);
  expect(failure).toBeUndefined();
});

test("up to 32 MiB are one request; more are sent in pieces, each to the address that the last reply named", async () => {
  const whole = await sent(32 * MIB, [
    [BEGIN, at("u1")],
    [`PUT u1${QUERY}`, STORED],
  ]);
  expect(whole.failure).toBeUndefined();
  const { requests, moved, failure } = await sent(32 * MIB + 7, [
    [BEGIN, at("u1")],
    ["PATCH u1", at("u2")],
    ["PATCH u2", at("u3")],
    [`PUT u3${QUERY}`, STORED],
  ]);
  expect(failure).toBeUndefined();
  expect(requests.map(({ headers }) => headers["content-range"])).toEqual([
    undefined,
    "0-33554431",
    "33554432-33554438",
    undefined,
  ]);
  expect(requests.map(({ headers }) => headers["content-length"])).toEqual([undefined, "33554432", "7", "0"]);
  expect(String(requests[2]?.body)).toBe("2222222");
  expect(moved.slice(-3)).toEqual([32 * MIB, 32 * MIB + 7, 32 * MIB + 7]);
});

test.each([
  ["larger", "33554439", 1],
  ["smaller", "5", 2],
  ["no number", "many", 2],
])("a registry's least size of a piece is kept: one that is %s", async (_what, least, pieces) => {
  const begun = at("u1", { "oci-chunk-min-length": least });
  const script: [string, Reply][] =
    pieces === 1
      ? [[`PUT u1${QUERY}`, STORED]]
      : [
          ["PATCH u1", at("u1")],
          ["PATCH u1", at("u1")],
          [`PUT u1${QUERY}`, STORED],
        ];
  expect((await sent(32 * MIB + 7, [[BEGIN, begun], ...script])).failure).toBeUndefined();
});

test("after a broken connection, the registry says how much it has, and only the rest is sent", async () => {
  const { requests, moved, failure, reporter } = await sent(10, [
    [BEGIN, at("u1")],
    [`PUT u1${QUERY}`, { error: "ECONNRESET" }],
    [HAS, UNKNOWN],
    ["GET u1", { status: 204, headers: { range: "0-3", location: "/v2/docs/site/u2" } }],
    ["PATCH u2", at("u3")],
    [`PUT u3${QUERY}`, STORED],
  ]);
  expect(failure).toBeUndefined();
  expect(requests[4]?.headers["content-range"]).toBe("4-9");
  expect(String(requests[4]?.body)).toBe("444444");
  expect(moved).toEqual([10, 4, 10, 10]);
  expect(reporter.lines.progress[0]).toContain("ECONNRESET");
});

test.each([
  ["without another address", { range: "0-3" }, "PATCH u1", "4-9"],
  ["in bytes", { range: "bytes=0-3", location: "/v2/docs/site/u2" }, "PATCH u2", "4-9"],
  ["with 0-0 for none", { range: "0-0", location: "/v2/docs/site/u2" }, `PUT u2${QUERY}`, "0-9"],
  ["that it has all", { range: "0-9", location: "/v2/docs/site/u2" }, `PUT u2${QUERY}`, undefined],
])("the registry may say it %s", async (_what, headers, next, range) => {
  const { requests, failure } = await sent(10, [
    [BEGIN, at("u1")],
    [`PUT u1${QUERY}`, { error: "ECONNRESET" }],
    [HAS, UNKNOWN],
    ["GET u1", { status: 204, headers: { ...headers } }],
    [next, next.startsWith("PATCH") ? at("u3") : STORED],
    ...(next.startsWith("PATCH") ? ([[`PUT u3${QUERY}`, STORED]] as const) : []),
  ]);
  expect(failure).toBeUndefined();
  expect(requests[4]?.headers["content-range"]).toBe(range);
});

test.each<[string, Reply]>([
  ["does not know the upload", { status: 404, headers: { range: "0-3" } }],
  ["cannot answer", { status: 405 }],
  ["gives no range", { status: 204 }],
  ["gives a range without a beginning", { status: 204, headers: { range: "3-5" } }],
  ["has more than was sent", { status: 204, headers: { range: "0-10" } }],
])("a registry that %s after a broken connection gets the blob anew", async (_what, reply) => {
  const { requests, moved, failure } = await sent(10, [
    [BEGIN, at("u1")],
    [`PUT u1${QUERY}`, { error: "ECONNRESET" }],
    [HAS, UNKNOWN],
    ["GET u1", reply],
    [BEGIN, at("u2")],
    [`PUT u2${QUERY}`, STORED],
  ]);
  expect(failure).toBeUndefined();
  expect(requests[5]?.headers["content-range"]).toBe("0-9");
  expect(moved).toEqual([10, 0, 10, 10]);
});

test("a blob that the registry has although its reply was lost is not sent again", async () => {
  const { failure } = await sent(10, [
    [BEGIN, at("u1")],
    [`PUT u1${QUERY}`, { error: "ECONNRESET" }],
    [HAS, { status: 200 }],
  ]);
  expect(failure).toBeUndefined();
});

test("a registry that is at another place continues there; one that has forgotten the upload gets another", async () => {
  const moved = await sent(10, [
    [BEGIN, at("u1")],
    [`PUT u1${QUERY}`, { status: 416 }],
    [HAS, UNKNOWN],
    ["GET u1", { status: 204, headers: { range: "0-3" } }],
    ["PATCH u1", at("u1")],
    [`PUT u1${QUERY}`, STORED],
  ]);
  expect(moved.failure).toBeUndefined();
  const forgotten = await sent(10, [
    [BEGIN, at("u1")],
    [`PUT u1${QUERY}`, UNKNOWN],
    [HAS, UNKNOWN],
    ["GET u1", { status: 204, headers: { range: "0-0" } }],
    ["DELETE u1", CANCELLED],
    [BEGIN, at("u2")],
    [`PUT u2${QUERY}`, STORED],
  ]);
  expect(forgotten.failure).toBeUndefined();
  expect(forgotten.reporter.lines.progress).toEqual([]);
});

test("a registry that forgets each upload is given up at the sixth", async () => {
  const lost: [string, Reply][] = [
    [BEGIN, at("u1")],
    [`PUT u1${QUERY}`, UNKNOWN],
    [HAS, UNKNOWN],
    ["GET u1", UNKNOWN],
  ];
  const { failure } = await sent(10, [
    ...[1, 2, 3, 4, 5].flatMap(() => lost),
    ...lost.slice(0, 2),
    ["DELETE u1", CANCELLED],
  ]);
  expect(failure?.message).toContain("answered 404");
});

test.each([
  [OTHER, `its digest is ${OTHER}`],
  ["sha512:1", "its digest is unusable"],
])("a registry that stored %s is an error", async (digest, said) => {
  const { failure } = await sent(10, [
    [BEGIN, at("u1")],
    [`PUT u1${QUERY}`, { status: 201, headers: { "docker-content-digest": digest } }],
  ]);
  expect(failure?.message).toBe(
    `the registry stored something else for registry.internal/docs/site@${DIGEST}: ${said}`,
  );
});

test("a refused upload is cancelled, also where more bytes arrived than were known", async () => {
  const simple = await sent(10, [
    [BEGIN, at("u1")],
    [`PUT u1${QUERY}`, { status: 403 }],
    ["DELETE u1", CANCELLED],
  ]);
  expect(simple.failure?.message).toContain("answered 403");
  const { failure } = await sent(10, [
    [BEGIN, at("u1")],
    [`PUT u1${QUERY}`, { status: 403 }],
    ["DELETE u1", { status: 416 }],
    ["GET u1", { status: 204, headers: { location: "/v2/docs/site/u2" } }],
    ["DELETE u2", UNKNOWN],
  ]);
  expect(failure?.message).toContain("answered 403");
});

test("a stopped upload is cancelled, although the operation's signal is aborted", async () => {
  const stop = new AbortController();
  const registry = scriptedRegistry(
    ({ method }) => {
      if (method === "PUT") stop.abort(new Error("stopped"));
      return method === "POST" ? at("u1") : method === "PUT" ? { error: "ECONNRESET" } : CANCELLED;
    },
    { signal: stop.signal },
  );
  await expect(uploadBlob(registry.client, SMALL, content, () => undefined)).rejects.toThrow("stopped");
  expect(registry.lines()).toEqual([BEGIN, `PUT u1${QUERY}`, "DELETE u1"]);
});

test("a cancellation takes no longer than a second and a half", async () => {
  const clock = new FasterClock(20);
  const replies: Readonly<Record<string, Reply>> = {
    POST: at("u1"),
    PUT: { status: 403 },
    DELETE: { status: 416 },
    GET: { status: 204, headers: { location: "/v2/docs/site/u1" } },
  };
  const registry = scriptedRegistry(({ method }) => replies[method] ?? {}, { clock });
  await expect(uploadBlob(registry.client, SMALL, content, () => undefined)).rejects.toThrow("answered 403");
  expect(clock.waits).toContain(1_500);
});

test.each([
  [10, `PUT u1${QUERY}`, "10 B"],
  [40 * MIB, "PATCH u1", "33.6 MB"],
])(
  "a proxy that limits requests refuses %d bytes: the error has the size of the request",
  async (size, line, text) => {
    const { failure } = await sent(size, [
      [BEGIN, at("u1")],
      [line, { status: 413, body: "<html><h1>413 Request Entity Too Large</h1></html>" }],
      ["DELETE u1", CANCELLED],
    ]);
    expect(failure?.message).toContain(`answered 413. The request had ${text}`);
    expect(failure).toMatchObject({ remedy: expect.stringContaining("client_max_body_size 0;") as string });
  },
);
