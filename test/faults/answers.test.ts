// What the service answers, over real sockets: statuses and headers.
import { expect, test } from "vitest";
import {
  DeadlineExceededError,
  KeyRejectedError,
  MalformedResponseError,
  NotAllowedError,
  ResponseError,
} from "../../provider/words/errors.ts";
import { ask, CALLS, DUPLICATE, GOOD_VALUE, operation, UNKNOWN_JOB } from "./calls.ts";
import { LINK_QUERY } from "./canary.ts";
import { atFirst, good, goodBody, refuse, reply } from "./replies.ts";
import { scriptedServer } from "./scriptedServer.ts";

test.each(CALLS)("H01 Retry-After is waited for before the next try: %s", async (call) => {
  const { baseUrl } = await scriptedServer(atFirst(refuse(429, { "retry-after": "2" })));
  const { value, waits, tookMs, lines } = await ask(call, baseUrl);
  expect(value).toEqual(GOOD_VALUE[call]);
  expect(waits).toEqual([2_000]);
  expect(tookMs).toBeGreaterThanOrEqual(2_000);
  expect(lines.progress).toEqual([
    expect.stringMatching(/limits the rate of requests.*; trying again in 2s$/),
  ]);
  expect(lines.warn).toEqual([]);
});

test("H02 a date in Retry-After is taken by the service's own clock", async () => {
  const headers = { date: "Wed, 21 Oct 2020 07:28:00 GMT", "retry-after": "Wed, 21 Oct 2020 07:28:07 GMT" };
  const { baseUrl } = await scriptedServer(atFirst(refuse(429, headers)));
  const { value, waits } = await ask("status", baseUrl);
  expect(value).toEqual(GOOD_VALUE.status);
  expect(waits).toEqual([7_000]);
});

test("H03 without Retry-After the pause doubles, with full jitter", async () => {
  const { baseUrl } = await scriptedServer(atFirst(refuse(429), 4));
  const { value, waits } = await ask("start", baseUrl);
  expect(value).toBe("job-1");
  expect(waits).toEqual([250, 500, 1_000, 2_000]); // half of 500 ms, 1 s, …: the clock's chance is 0.5
});

test.each([
  ["86400", 300_000],
  ["9999999999999999999999", 300_000],
  ["-5", 250],
  ["abc", 250],
  ["1e9", 250],
  ["1.5", 250],
  ["", 250],
])("H04 a Retry-After of «%s» leads to a pause of %i ms", async (header, pauseMs) => {
  const { baseUrl } = await scriptedServer(atFirst(refuse(429, { "retry-after": header })));
  const { value, waits } = await ask("start", baseUrl, { speed: pauseMs > 1_000 ? 500 : 20 });
  expect(value).toBe("job-1");
  expect(waits).toContain(pauseMs); // on so fast a clock a busy machine may not connect within 10 s, and try again
});

test("H05 Retry-After counts with 503 as well", async () => {
  const { baseUrl } = await scriptedServer(atFirst(refuse(503, { "retry-after": "3" })));
  expect((await ask("start", baseUrl)).waits).toEqual([3_000]);
});

test.each([200, 202])("H05 Retry-After with %i tells when to look again", async (status) => {
  const { baseUrl } = await scriptedServer((socket, request) =>
    socket.end(reply(status, goodBody(request), { "retry-after": "3" })),
  );
  expect((await ask("status", baseUrl)).value).toMatchObject({ status: "running", retryAfterMs: 3_000 });
  expect((await ask("start", baseUrl)).value).toBe("job-1");
});

test("H06 a limit of requests that never ends is an error at the deadline, which names it", async () => {
  const { baseUrl } = await scriptedServer(refuse(429));
  const { error, tookMs } = await ask("status", baseUrl, { limitMs: 60_000, speed: 100 });
  expect(error).toBeInstanceOf(DeadlineExceededError);
  expect(error?.message).toMatch(/limits the rate of requests.*time limit of 1m/);
  expect(tookMs).toBeLessThan(70_000);
});

for (const call of CALLS) {
  test.each([500, 502, 503, 504])(`H07 %i is passed over when it is gone soon: ${call}`, async (status) => {
    const safe = call !== "start" || status === 503;
    const { baseUrl, requests } = await scriptedServer(atFirst(refuse(status), safe ? 4 : 1));
    const { value, lines } = await ask(call, baseUrl);
    expect(value).toEqual(GOOD_VALUE[call]);
    expect(requests).toHaveLength(safe ? 5 : 2);
    expect(lines.warn).toEqual(safe ? [] : [DUPLICATE]);
  });
}

test.each([500, 502, 504])("H07 a start that meets %i twice is not sent a third time", async (status) => {
  const { baseUrl, requests } = await scriptedServer(refuse(status));
  const { error, lines } = await ask("start", baseUrl);
  expect(error).toBeInstanceOf(ResponseError);
  expect(requests).toHaveLength(2);
  expect(lines.warn).toEqual([DUPLICATE, UNKNOWN_JOB]);
});

/** The error of a call that is not repeated. */
async function finalError(call: (typeof CALLS)[number], status: number): ReturnType<typeof ask> {
  const { baseUrl, requests } = await scriptedServer(refuse(status));
  const outcome = await ask(call, baseUrl);
  expect(requests).toHaveLength(1);
  expect(outcome.error?.message).toContain(`answered ${status}: the vendor's words`);
  expect(outcome.lines).toEqual({ progress: [], info: [], warn: [] });
  return outcome;
}

for (const call of CALLS) {
  test.each([
    ["H08", 501],
    ["H08", 505],
    ["H16", 410],
    ["H16", 418],
    ["H16", 451],
  ])(`%s %i is final, and shown: ${call}`, async (_row, status) => {
    expect((await finalError(call, status)).error).toBeInstanceOf(ResponseError);
  });

  test.each([408, 425])(
    `H09 %i means that nothing was done, so the call is repeated: ${call}`,
    async (status) => {
      const { baseUrl, requests } = await scriptedServer(atFirst(refuse(status), 4));
      const { value, lines } = await ask(call, baseUrl);
      expect(value).toEqual(GOOD_VALUE[call]);
      expect(requests).toHaveLength(5);
      expect(lines.warn).toEqual([]);
    },
  );

  test(`H11 401 is a rejected key, which the error does not repeat: ${call}`, async () => {
    const { error } = await finalError(call, 401);
    expect(error).toBeInstanceOf(KeyRejectedError);
    expect(error?.message).toContain("the service rejected the API key");
    expect(error?.remedy).toContain("DOCS_HOSTING_ADMIN_API_KEY");
  });
}

test("H10 400 is final, with the beginning of the service's own words", async () => {
  const { baseUrl } = await scriptedServer((socket) =>
    socket.end(reply(400, { error: `the domain is \u001b[31mnot ours${".".repeat(5_000)}` })),
  );
  const { error } = await ask("start", baseUrl);
  expect(error).toBeInstanceOf(ResponseError);
  expect(error?.message).toContain("answered 400: the domain is not ours...");
  expect(error?.message).toHaveLength(`POST ${baseUrl}/v1/static-export/jobs answered 400: `.length + 1_001);
});

test("H12 403 on a start speaks of the plan", async () => {
  const { error } = await finalError("start", 403);
  expect(error).toBeInstanceOf(NotAllowedError);
  expect(error?.remedy).toContain("enterprise plan");
});

test.each([
  ["204", "HTTP/1.1 204 No Content\r\n\r\n"],
  ["an empty 200", "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"],
])("H17 %s is an empty reply: asked for again by what only reads, final for a start", async (_, empty) => {
  const { baseUrl, requests } = await scriptedServer((socket) => socket.end(empty));
  const { error, lines } = await ask("start", baseUrl);
  expect(error).toBeInstanceOf(MalformedResponseError);
  expect(error?.message).toContain("an empty reply");
  expect(requests).toHaveLength(1);
  expect(lines.warn).toEqual([UNKNOWN_JOB]);
  const later = await scriptedServer(atFirst((socket) => socket.end(empty), 5));
  expect((await ask("status", later.baseUrl)).value).toEqual(GOOD_VALUE.status);
});

test.each([200, 201, 202, 203, 206, 299])("H18 %i with a valid body is success", async (status) => {
  const { baseUrl } = await scriptedServer((socket, request) => socket.end(reply(status, goodBody(request))));
  for (const call of CALLS) expect((await ask(call, baseUrl)).value).toEqual(GOOD_VALUE[call]);
});

const REDIRECTS = [301, 302, 303, 307, 308];

for (const call of CALLS) {
  test.each(REDIRECTS)(
    `H19 the redirect %i is not followed on the same host either: ${call}`,
    async (status) => {
      const { baseUrl, requests } = await scriptedServer((socket, { path }) =>
        socket.end(reply(status, {}, { location: `${path}/` })),
      );
      const { error } = await ask(call, baseUrl);
      expect(error).toBeInstanceOf(ResponseError);
      expect(error?.message).toContain(`answered ${status}, a redirect, which is not followed`);
      expect(error?.remedy).toContain("base URL");
      expect(requests).toHaveLength(1);
    },
  );
}

test.each([
  ["port", (port: number) => `http://127.0.0.1:${port}/`],
  ["host", (port: number) => `http://localhost:${port}/`],
  ["subdomain", (port: number) => `http://docs.localhost:${port}/`],
  ["scheme", (port: number) => `https://127.0.0.1:${port}/`],
  ["host, without a scheme", (port: number) => `//localhost:${port}/?${LINK_QUERY}`],
])("H20 a redirect to another %s is not followed: nothing reaches the other server", async (_, location) => {
  const other = await scriptedServer(good);
  const { baseUrl, requests } = await scriptedServer((socket, _request, number) =>
    socket.end(reply(REDIRECTS[number % 5] ?? 0, {}, { location: location(other.port) })),
  );
  for (const call of [...CALLS, ...CALLS]) {
    expect((await ask(call, baseUrl)).error?.message).toContain("a redirect");
  }
  expect(requests).toHaveLength(6);
  expect(other.connections()).toBe(0);
});

test.each([
  ["to itself", "/v1/static-export/jobs"],
  ["to a file", "file:///etc/passwd"],
  ["to data", `data:application/json,{"jobId":"stolen"}`],
  ["to a script", "javascript:alert(1)"],
  ["to no address", "http://["],
  ["without an address", ""],
])("H21 a redirect %s is final", async (_, location) => {
  const { baseUrl, requests } = await scriptedServer((socket) => socket.end(reply(302, {}, { location })));
  const { error } = await ask("start", baseUrl);
  expect(error).toBeInstanceOf(ResponseError);
  expect(error?.message).toContain("answered 302, a redirect");
  expect(requests).toHaveLength(1);
});

test.each([300, 304])("H22 %i is an error, never data", async (status) => {
  const { baseUrl, requests } = await scriptedServer((socket, request) =>
    socket.end(reply(status, goodBody(request))),
  );
  for (const call of CALLS) {
    const { error } = await ask(call, baseUrl);
    expect(error).toBeInstanceOf(ResponseError);
    expect(error?.message).toMatch(new RegExp(`answered ${status}$`));
  }
  expect(requests).toHaveLength(3);
});

test("H23 interim replies before the real one are passed over", async () => {
  const interim = ["100 Continue", "102 Processing", "103 Early Hints\r\nlink: </a.css>"];
  const { baseUrl } = await scriptedServer((socket, request) => {
    for (const line of interim) socket.write(`HTTP/1.1 ${line}\r\n\r\n`);
    socket.end(reply(200, goodBody(request)));
  });
  for (const call of CALLS) expect((await ask(call, baseUrl)).value).toEqual(GOOD_VALUE[call]);
});

test("H24 cookies are never sent back", async () => {
  const { baseUrl, requests } = await scriptedServer((socket, request) =>
    socket.end(reply(200, goodBody(request), { "set-cookie": "session=1; Path=/" })),
  );
  const { calls } = operation(baseUrl);
  for (const call of [...CALLS, ...CALLS]) await calls[call]();
  expect(requests).toHaveLength(6);
  for (const { headers } of requests) expect(headers).not.toHaveProperty("cookie");
});

test.each([400, 401, 403, 404, 409, 410, 501])(
  "H25 %i that echoes the key shows it in no form",
  async (status) => {
    for (const call of CALLS) {
      const { error } = await finalError(call, status);
      // that no form of the key is left is looked up after each test, see canary.ts
      expect(error?.message).toMatch(/the vendor's words, Bearer \[removed\].*\?\[removed\] end/);
    }
  },
);

test("H25 a page that echoes the key is quoted without it, also where the quotation is cut", async () => {
  for (const before of [150, 170, 180, 185, 190, 195, 199]) {
    const { baseUrl } = await scriptedServer((socket, { headers }) => {
      const echo = Buffer.from(headers["authorization"] ?? "").toString("base64");
      socket.end(reply(400, `${"x".repeat(before)} ${echo} ${headers["authorization"] ?? ""}`));
    });
    expect((await ask("status", baseUrl)).error?.message).toContain("xxx");
  }
});
