// What stands in a reply, over real sockets.
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { MalformedResponseError } from "../../provider/words/errors.ts";
import { ask, CALLS, GOOD_VALUE, operation, UNKNOWN_JOB, type CallName, type Outcome } from "./calls.ts";
import { LINK_QUERY } from "./canary.ts";
import { atFirst, goodBody, refuse, reply } from "./replies.ts";
import { scriptedServer, type RawRequest } from "./scriptedServer.ts";

type Body = (request: RawRequest) => unknown;

/** Asks a service that always answers with such a body. */
async function answered(
  call: CallName,
  body: Body,
  headers: Record<string, string> = {},
): Promise<Outcome & { tries: number }> {
  const { baseUrl, requests } = await scriptedServer((socket, request) =>
    socket.end(reply(200, body(request), headers)),
  );
  return { ...(await ask(call, baseUrl)), tries: requests.length };
}

/** What cannot be read is asked for again by a GET only; a start says what may have happened. */
async function refused(
  call: CallName,
  body: Body,
  words: string,
  headers?: Record<string, string>,
): Promise<void> {
  const { error, tries, lines } = await answered(call, body, headers);
  expect(error).toBeInstanceOf(MalformedResponseError);
  expect(error?.message).toContain(words);
  expect(error?.remedy).toContain("base URL");
  expect(tries).toBe(call === "status" ? 6 : 1);
  expect(lines.warn).toEqual(call === "start" ? [UNKNOWN_JOB] : []);
}

const json = (request: RawRequest): string => JSON.stringify(goodBody(request));
const whole: readonly [string, string, Body, Record<string, string>?][] = [
  ["B01", "malformed", () => "{'jobId': 'job-1', 'status': 'queued'}"],
  ["B02", "cut off", (request) => json(request).slice(0, -1)],
  [
    "B02",
    "packed and damaged",
    (request) => gzipSync(json(request)).fill(0, 12, 20),
    { "content-encoding": "gzip" },
  ],
];

for (const call of CALLS) {
  test.each(whole)(`%s JSON that is %s is refused: ${call}`, async (_row, what, body, headers) => {
    await refused(call, body, what.startsWith("packed") ? "cannot be unpacked" : "not JSON: {", headers);
  });
}

test.each(whole)("%s JSON that is %s once is asked for again", async (_row, _what, body, headers) => {
  const { baseUrl } = await scriptedServer(
    atFirst((socket, request) => socket.end(reply(200, body(request), headers)), 5),
  );
  expect((await ask("status", baseUrl)).value).toEqual(GOOD_VALUE.status);
});

test("B01 replies that cannot be read are counted apart from a service that was down before", async () => {
  const { baseUrl } = await scriptedServer((...call) =>
    call[2] === 8 ? call[0].end(reply(200, "{")) : atFirst(refuse(503), 7)(...call),
  );
  expect((await ask("status", baseUrl, { speed: 200 })).value).toEqual(GOOD_VALUE.status);
});

test.each(CALLS)("B03 a page instead of JSON is quoted, as much as tells whose it is: %s", async (call) => {
  const page = `<html><title>Log in to the network</title><a href="https://sso.test/in?${LINK_QUERY}">`;
  const { error } = await answered(call, () => page + "x".repeat(10_000), { "content-type": "text/html" });
  expect(error).toBeInstanceOf(MalformedResponseError);
  const [, quoted = ""] = error?.message.split("answered something that is not JSON: ") ?? [];
  expect(quoted).toContain('<title>Log in to the network</title><a href="https://sso.test/in?[removed]');
  expect(quoted).toHaveLength(201);
});

test("B04 JSON that is called something else is accepted, with one warning", async () => {
  const { baseUrl } = await scriptedServer((socket, request) =>
    socket.end(reply(200, json(request), { "content-type": `text/html; x="https://x.test/?${LINK_QUERY}"` })),
  );
  const { calls, lines } = operation(baseUrl);
  for (const call of CALLS) expect(await calls[call]()).toEqual(GOOD_VALUE[call]);
  expect(lines.warn).toEqual([
    expect.stringContaining('answered JSON that it calls text/html; x="https://x.test/?'),
  ]);
});

test.each(["application/json", "Application/JSON;charset=utf-8", "application/problem+json", "text/json"])(
  "B04 the type %s is no surprise",
  async (type) => {
    const { value, lines } = await answered("status", goodBody, { "content-type": type });
    expect(value).toEqual(GOOD_VALUE.status);
    expect(lines.warn).toEqual([]);
  },
);

test.each(CALLS)("B05 a byte order mark is passed over: %s", async (call) => {
  expect((await answered(call, (request) => `\uFEFF${json(request)}`)).value).toEqual(GOOD_VALUE[call]);
});

for (const call of CALLS) {
  test.each<[string, Body, string]>([
    ["UTF-16", (request) => Buffer.from(`\uFEFF${json(request)}`, "utf16le"), "not UTF-8"],
    ["UTF-16 without a mark", (request) => Buffer.from(json(request), "utf16le"), "not JSON"],
    ["invalid UTF-8", () => Buffer.from('{"jobId":"\xff\xfe"}', "latin1"), "not UTF-8"],
  ])(`B05 %s is refused: ${call}`, async (_, body, words) => {
    await refused(call, body, words);
  });

  test.each(["null", '["job-1"]', '"job-1"', "1", "true"])(`B06 %s is refused: ${call}`, async (text) => {
    await refused(call, () => text, "JSON that is not an object");
  });

  test(`B07 names of prototypes are mere names: ${call}`, async () => {
    const { error } = await answered(call, (request) => {
      const fields = json(request);
      return `{"__proto__":${fields},"constructor":{"prototype":${fields}},"prototype":${fields}}`;
    });
    expect(error?.message).toContain(`"${{ start: "jobId", status: "status", bundle: "bundleUrl" }[call]}"`);
    expect(Object.keys(Object.prototype)).toEqual([]);
    for (const name of ["jobId", "status", "bundleUrl"]) expect({}).not.toHaveProperty(name);
  });

  const nested = (depth: number): string => `${'{"a":['.repeat(depth / 2)}${"]}".repeat(depth / 2)}`;
  test.each([66, 100_000])(`B08 nesting of %i levels is refused: ${call}`, async (depth) => {
    await refused(call, () => nested(depth), "nested deeper than 64 levels");
    await refused(call, () => "[".repeat(depth), "nested deeper than 64 levels");
    await refused(call, (request) => `{"new":${nested(depth)},${json(request).slice(1)}`, "nested deeper");
  });

  test(`B09 unknown fields are passed over, with brackets in texts and some nesting: ${call}`, async () => {
    const body = (request: RawRequest): string =>
      `{"text":${JSON.stringify(`\\"${"[{".repeat(1_000)}`)},"new":${nested(60)},${json(request).slice(1)}`;
    const { value, lines } = await answered(call, body);
    expect(value).toEqual(GOOD_VALUE[call]);
    expect(lines).toEqual({ progress: [], info: [], warn: [] });
  });

  test(`B10 a field whose case changed is missing, and named: ${call}`, async () => {
    const field = { start: "jobId", status: "status", bundle: "bundleUrl" }[call];
    const changed = field.charAt(0).toUpperCase() + field.slice(1);
    const { error, lines } = await answered(call, (request) =>
      json(request).replace(`"${field}"`, `"${changed}"`),
    );
    expect(error).toBeInstanceOf(MalformedResponseError);
    expect(error?.message).toContain(`"${field}"`);
    expect(lines.warn).toEqual(call === "start" ? [UNKNOWN_JOB] : []);
  });
}

test("B07 of a field that stands there twice the last one counts", async () => {
  const { value } = await answered("start", () => '{"jobId":"first","jobId":"last"}');
  expect(value).toBe("last");
});

test("B08 an error reply that is nested without end is an error without words", async () => {
  const { baseUrl } = await scriptedServer((socket) =>
    socket.end(reply(400, `{"error":${"[".repeat(100_000)}`)),
  );
  const { error } = await ask("start", baseUrl);
  expect(error?.message).toContain('answered 400: {"error":[[[');
  expect(error?.message.length).toBeLessThan(300);
});
