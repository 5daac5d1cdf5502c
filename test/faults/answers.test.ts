// The service's replies, over real sockets: statuses and headers.
import { expect, test } from "vitest";
import {
  DeadlineExceededError,
  type DocsHostingError,
  KeyRejectedError,
  MalformedResponseError,
  NotAllowedError,
  ResponseError,
} from "../../provider/base/runtime/messages/errors.ts";
import { ask, type CallName, CALLS, DUPLICATE, NO_LINES, operation, UNKNOWN_JOB } from "./calls.ts";
import { LINK_QUERY } from "./canary.ts";
import { answered, expectPassedOver, expectUnderstood } from "./faultyService.ts";
import { atFirst, good, goodBody, refuse, reply } from "./replies.ts";
import { type Answer, scriptedServer } from "./scriptedServer.ts";

test.each(CALLS)("H01 Retry-After is waited for before the next try: %s", async (call) => {
  const fault = refuse(429, { "retry-after": "2" });
  const { waits, tookMs, lines } = await expectPassedOver(call, fault);
  expect(waits).toEqual([2_000]);
  expect(tookMs).toBeGreaterThanOrEqual(2_000);
  expect(lines.progress).toEqual([
    expect.stringMatching(/limits the rate of requests.*; trying again in 2s$/),
  ]);
});

test("H03 without Retry-After the pause doubles, with full jitter", async () => {
  const { waits } = await expectPassedOver("start", refuse(503), 4);
  expect(waits).toEqual([250, 500, 1_000, 2_000]); // half of 500 ms, 1 s, …: the clock's random number is 0.5
});

test.each([
  ["H02", 429, "Wed, 21 Oct 2020 07:28:07 GMT", 7_000],
  ["H04", 429, "86400", 300_000],
  ["H04", 429, "9999999999999999999999", 300_000],
  ["H04", 429, "-5", 1_000],
  ["H04", 429, "abc", 1_000],
  ["H04", 429, "1e9", 1_000],
  ["H04", 429, "1.5", 1_500],
  ["H04", 429, "2, 2", 2_000],
  ["H04", 429, "Wednesday, 21-Oct-20 07:28:03 GMT", 3_000],
  ["H04", 429, "", 1_000],
  ["H05", 503, "3", 3_000],
])(
  "%s %i with a Retry-After of «%s» leads to a pause of %i ms",
  async (_row, status, retryAfter, pauseMs) => {
    const headers = { date: "Wed, 21 Oct 2020 07:28:00 GMT", "retry-after": retryAfter };
    const isLong = pauseMs > 10_000;
    const { value, waits } = await answered("start", atFirst(refuse(status, headers)), {
      speed: isLong ? 100 : 20,
    });
    expect(value).toBe("job-1");
    // on so fast a clock a busy machine may not connect within 10 s, and try again
    if (isLong) expect(waits).toContain(pauseMs);
    else expect(waits).toEqual([pauseMs]);
  },
);

test.each([200, 202])("H05 Retry-After with %i sets the time of the next poll", async (status) => {
  const answer: Answer = (socket, request) =>
    socket.end(reply(status, goodBody(request), { "retry-after": "3" }));
  expect((await answered("status", answer)).value).toMatchObject({ status: "running", retryAfterMs: 3_000 });
  expect((await answered("start", answer)).value).toBe("job-1");
});

test("H06 a rate limit that never ends is an error at the deadline, which names it", async () => {
  const { error, tookMs } = await answered("status", refuse(429), { limitMs: 60_000, speed: 100 });
  expect(error).toBeInstanceOf(DeadlineExceededError);
  expect(error?.message).toMatch(/limits the rate of requests.*time limit of 1m/);
  expect(tookMs).toBeLessThan(70_000);
});

/** After these replies it is unknown whether a job was started. */
const AMBIGUOUS = [500, 502, 504, 520, 524, 530];

for (const call of CALLS) {
  test.each([
    ["H07", 500],
    ["H07", 502],
    ["H07", 503],
    ["H07", 504],
    ["H07", 520],
    ["H07", 524],
    ["H07", 530],
    ["H09", 408],
    ["H09", 425],
  ])(`%s %i is retried, and has no effect when it is gone soon: ${call}`, async (_row, status) => {
    if (call === "start" && AMBIGUOUS.includes(status)) {
      await expectPassedOver(call, refuse(status), 1, [DUPLICATE]);
    } else await expectPassedOver(call, refuse(status), 4);
  });
}

test.each(AMBIGUOUS)("H07 a start that gets %i twice is not sent a third time", async (status) => {
  const { error, lines, requests } = await answered("start", refuse(status));
  expect(error).toBeInstanceOf(ResponseError);
  expect(requests).toHaveLength(2);
  expect(lines.warn).toEqual([DUPLICATE, UNKNOWN_JOB]);
});

/** The error of a call that is not repeated. */
async function finalError(
  call: CallName,
  answer: Answer,
  warn: readonly string[] = [],
): Promise<DocsHostingError | undefined> {
  const { error, requests, lines } = await answered(call, answer);
  expect(requests).toHaveLength(1);
  expect(lines).toEqual({ ...NO_LINES, warn });
  return error;
}

const redirect =
  (status: number, location: string): Answer =>
  (socket) =>
    socket.end(reply(status, {}, { location }));
const REDIRECTS = [301, 302, 303, 307, 308];

/** What a redirect is reported with: 303 leads from a processed start to its result. */
const warningsOf = (call: CallName, status: number): readonly string[] =>
  call === "start" && status === 303 ? [UNKNOWN_JOB] : [];

for (const call of CALLS) {
  test.each([
    ["H08", 501],
    ["H08", 505],
    ["H16", 410],
    ["H16", 418],
    ["H16", 451],
  ])(`%s %i is final, and shown: ${call}`, async (_row, status) => {
    const error = await finalError(call, refuse(status));
    expect(error).toBeInstanceOf(ResponseError);
    expect(error?.message).toContain(`answered ${status}: the vendor's words`);
  });

  test(`H11 401 is a rejected key, which the error does not repeat: ${call}`, async () => {
    const error = await finalError(call, refuse(401));
    expect(error).toBeInstanceOf(KeyRejectedError);
    expect(error?.message).toContain("the service rejected the API key");
    expect(error?.remedy).toContain("DOCS_HOSTING_ADMIN_API_KEY");
  });

  test.each(REDIRECTS)(
    `H19 the redirect %i is not followed on the same host either: ${call}`,
    async (status) => {
      const location = "/v1/static-export/jobs/";
      const error = await finalError(call, redirect(status, location), warningsOf(call, status));
      expect(error).toBeInstanceOf(ResponseError);
      expect(error?.message).toContain(`answered ${status}, a redirect: it is not followed`);
      expect(error?.remedy).toContain("base URL");
    },
  );

  test.each([300, 304])(`H22 %i is an error, never data: ${call}`, async (status) => {
    const answer: Answer = (socket, request) => socket.end(reply(status, goodBody(request)));
    const error = await finalError(call, answer);
    expect(error).toBeInstanceOf(ResponseError);
    expect(error?.message).toMatch(new RegExp(`answered ${status}$`));
  });

  test.each([400, 401, 403, 404, 409, 410, 501])(
    `H25 %i with the key in it does not show it in any form: ${call}`,
    async (status) => {
      const error = await finalError(call, refuse(status));
      // canary.ts searches for all forms of the key after each test
      expect(error?.message).toMatch(/the vendor's words, Bearer \[removed\].*\?\[removed\] end/);
    },
  );
}

test("H10 400 is final, and quotes the beginning of the service's own text", async () => {
  const { baseUrl } = await scriptedServer((socket) =>
    socket.end(reply(400, { error: `the domain is \u001b[31mnot ours${".".repeat(5_000)}` })),
  );
  const { error } = await ask("start", baseUrl);
  expect(error).toBeInstanceOf(ResponseError);
  expect(error?.message).toContain("answered 400: the domain is not ours...");
  expect(error?.message).toHaveLength(`POST ${baseUrl}/v1/static-export/jobs answered 400: `.length + 1_001);
});

test("H12 403 on a start names the plan", async () => {
  const error = await finalError("start", refuse(403));
  expect(error).toBeInstanceOf(NotAllowedError);
  expect(error?.remedy).toContain("enterprise plan");
});

test.each([
  ["204", "HTTP/1.1 204 No Content\r\n\r\n"],
  ["an empty 200", "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"],
])("H17 %s is an empty reply: a read is retried, a start fails", async (_, text) => {
  const empty: Answer = (socket) => socket.end(text);
  const { error, lines, requests } = await answered("start", empty);
  expect(error).toBeInstanceOf(MalformedResponseError);
  expect(error?.message).toContain("an empty reply");
  expect(requests).toHaveLength(1);
  expect(lines.warn).toEqual([UNKNOWN_JOB]);
  await expectPassedOver("status", empty, 5);
});

test.each([200, 201, 202, 203, 206, 299])("H18 %i with a valid body is success", (status) =>
  expectUnderstood((socket, request) => socket.end(reply(status, goodBody(request)))),
);

test.each([
  ["port", (port: number) => `http://127.0.0.1:${port}/`],
  ["host", (port: number) => `http://localhost:${port}/`],
  ["subdomain", (port: number) => `http://docs.localhost:${port}/`],
  ["scheme", (port: number) => `https://127.0.0.1:${port}/`],
  ["host, without a scheme", (port: number) => `//localhost:${port}/?${LINK_QUERY}`],
])("H20 a redirect to another %s is not followed: nothing reaches the other server", async (_, location) => {
  const other = await scriptedServer(good);
  for (const status of REDIRECTS) {
    for (const call of CALLS) {
      const answer = redirect(status, location(other.port));
      const error = await finalError(call, answer, warningsOf(call, status));
      expect(error?.message).toContain("a redirect");
    }
  }
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
  const error = await finalError("start", redirect(302, location));
  expect(error).toBeInstanceOf(ResponseError);
  expect(error?.message).toContain("answered 302, a redirect");
});

test("H23 interim replies before the real one are ignored", async () => {
  const interim = ["100 Continue", "102 Processing", "103 Early Hints\r\nlink: </a.css>"];
  await expectUnderstood((socket, request) => {
    for (const line of interim) socket.write(`HTTP/1.1 ${line}\r\n\r\n`);
    socket.end(reply(200, goodBody(request)));
  });
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

test("H25 a page that echoes the key is quoted without it, also where the quotation is cut", async () => {
  for (const before of [150, 170, 180, 185, 190, 195, 199]) {
    const { error } = await answered("status", (socket, { headers }) => {
      const echo = Buffer.from(headers["authorization"] ?? "").toString("base64");
      socket.end(reply(400, `${"x".repeat(before)} ${echo} ${headers["authorization"] ?? ""}`));
    });
    expect(error?.message).toContain("xxx");
  }
});
