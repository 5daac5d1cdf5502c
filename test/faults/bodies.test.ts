// Bodies of replies, over real sockets.
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { MalformedResponseError } from "../../provider/base/runtime/messages/errors.ts";
import { CALLS, GOOD_VALUE, operation, UNKNOWN_JOB } from "./calls.ts";
import { LINK_QUERY } from "./canary.ts";
import { answered, expectPassedOver, expectUnderstood } from "./faultyService.ts";
import { atFirst, goodBody, refuse, reply } from "./replies.ts";
import { type Answer, type RawRequest, scriptedServer } from "./scriptedServer.ts";

type Body = (request: RawRequest) => unknown;

const saying =
  (body: Body, headers: Readonly<Record<string, string>> = {}): Answer =>
  (socket, request) =>
    socket.end(reply(200, body(request), headers));

const json = (request: RawRequest): string => JSON.stringify(goodBody(request));
const nested = (depth: number): string => `${'{"a":['.repeat(depth / 2)}${"]}".repeat(depth / 2)}`;
const GZIP = { "content-encoding": "gzip" };

const UNREADABLE: readonly [string, string, string, Body, Record<string, string>?][] = [
  ["B01", "malformed JSON", "not JSON: {", () => "{'jobId': 'job-1', 'status': 'queued'}"],
  ["B02", "JSON that is cut off", "not JSON: {", (request) => json(request).slice(0, -1)],
  [
    "B02",
    "damaged gzip",
    "cannot be decompressed",
    (request) => gzipSync(json(request)).fill(0, 12, 20),
    GZIP,
  ],
  ["B05", "UTF-16", "not UTF-8", (request) => Buffer.from(`\uFEFF${json(request)}`, "utf16le")],
  ["B05", "UTF-16 without a mark", "not JSON", (request) => Buffer.from(json(request), "utf16le")],
  ["B05", "invalid UTF-8", "not UTF-8", () => Buffer.from('{"jobId":"\xff\xfe"}', "latin1")],
  ...["null", '["job-1"]', '"job-1"', "1", "true"].map((text): [string, string, string, Body] => [
    "B06",
    text,
    "JSON that is not an object",
    () => text,
  ]),
  ...[66, 100_000].flatMap((depth): [string, string, string, Body][] => [
    ["B08", `nesting of ${depth} levels`, "nested deeper than 64 levels", () => nested(depth)],
    ["B08", `${depth} open brackets`, "nested deeper than 64 levels", () => "[".repeat(depth)],
    [
      "B08",
      `an unknown field with ${depth} levels`,
      "nested deeper",
      (request) => `{"new":${nested(depth)},${json(request).slice(1)}`,
    ],
  ]),
];

for (const call of CALLS) {
  test.each(UNREADABLE)(
    `%s %s is refused, and only a GET is retried: ${call}`,
    async (_row, _what, expected, body, headers) => {
      const { error, requests, lines } = await answered(call, saying(body, headers));
      expect(error).toBeInstanceOf(MalformedResponseError);
      expect(error?.message).toContain(expected);
      expect(error?.remedy).toContain("base URL");
      expect(requests).toHaveLength(call === "status" ? 6 : 1);
      expect(lines.warn).toEqual(call === "start" ? [UNKNOWN_JOB] : []);
    },
  );
}

test.each(UNREADABLE.slice(0, 3))("%s %s once is retried", async (...row) => {
  const [, , , body, headers] = row;
  await expectPassedOver("status", saying(body, headers), 5);
});

test("B01 unreadable replies are counted apart from a service that was down before", async () => {
  const { value } = await answered(
    "status",
    (...call) => (call[2] === 8 ? saying(() => "{") : atFirst(refuse(503), 7))(...call),
    { speed: 200 },
  );
  expect(value).toEqual(GOOD_VALUE.status);
});

test.each(CALLS)("B03 a page instead of JSON is named by its title, without its source: %s", async (call) => {
  const page = `<html><title>Log in to the network</title><a href="https://sso.test/in?${LINK_QUERY}">`;
  const { error } = await answered(
    call,
    saying(() => page + "x".repeat(10_000), { "content-type": "text/html" }),
  );
  expect(error).toBeInstanceOf(MalformedResponseError);
  expect(error?.message).toMatch(/ answered a web page with the title "Log in to the network"$/);
  expect(error?.remedy).toContain("Check that the base URL is that of the service");
});

test("B04 JSON with another content type is accepted, with one warning", async () => {
  const type = `text/html; x="https://x.test/?${LINK_QUERY}"`;
  const { baseUrl } = await scriptedServer(saying(json, { "content-type": type }));
  const { calls, lines } = operation(baseUrl);
  for (const call of CALLS) expect(await calls[call]()).toEqual(GOOD_VALUE[call]);
  expect(lines.warn).toEqual([
    expect.stringContaining('answered JSON that it calls text/html; x="https://x.test/?'),
  ]);
});

test.each(["application/json", "Application/JSON;charset=utf-8", "application/problem+json", "text/json"])(
  "B04 the type %s gives no warning",
  (type) => expectUnderstood(saying(json, { "content-type": type })),
);

test.each<[string, string, Body]>([
  ["B05", "a byte order mark is", (request) => `\uFEFF${json(request)}`],
  [
    "B09",
    "unknown fields are, with brackets in texts and some nesting,",
    (request) =>
      `{"text":${JSON.stringify(`\\"${"[{".repeat(1_000)}`)},"new":${nested(60)},${json(request).slice(1)}`,
  ],
])("%s %s ignored", (_row, _what, body) => expectUnderstood(saying(body)));

const FIELD = { start: "jobId", status: "status", bundle: "bundleUrl" };

for (const call of CALLS) {
  test(`B07 names of prototypes are ordinary names: ${call}`, async () => {
    const { error } = await answered(
      call,
      saying((request) => {
        const fields = json(request);
        return `{"__proto__":${fields},"constructor":{"prototype":${fields}},"prototype":${fields}}`;
      }),
    );
    expect(error?.message).toContain(`"${FIELD[call]}"`);
    expect(Object.keys(Object.prototype)).toEqual([]);
    for (const name of Object.values(FIELD)) expect({}).not.toHaveProperty(name);
  });

  test(`B10 a field in another letter case is missing, and named: ${call}`, async () => {
    const changed = FIELD[call].charAt(0).toUpperCase() + FIELD[call].slice(1);
    const { error, lines } = await answered(
      call,
      saying((request) => json(request).replace(`"${FIELD[call]}"`, `"${changed}"`)),
    );
    expect(error).toBeInstanceOf(MalformedResponseError);
    expect(error?.message).toContain(`"${FIELD[call]}"`);
    expect(lines.warn).toEqual(call === "start" ? [UNKNOWN_JOB] : []);
  });
}

test("B07 of a field that occurs twice the last one counts", async () => {
  const { value } = await answered(
    "start",
    saying(() => '{"jobId":"first","jobId":"last"}'),
  );
  expect(value).toBe("last");
});

test("B08 an error reply with endless nesting is an error without a quotation", async () => {
  const { error } = await answered("start", (socket) =>
    socket.end(reply(400, `{"error":${"[".repeat(100_000)}`)),
  );
  expect(error?.message).toContain('answered 400: {"error":[[[');
  expect(error?.message.length).toBeLessThan(300);
});
