import { getEventListeners } from "node:events";
import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { startDeadline } from "../../provider/deadline.ts";
import type { Call } from "../../provider/endpoint.ts";
import {
  ConnectionError,
  DeadlineExceededError,
  KeyRejectedError,
  MalformedResponseError,
  NotAllowedError,
  NotFoundError,
  NotReadyError,
  ResponseError,
} from "../../provider/errors.ts";
import { Transport } from "../../provider/transport.ts";
import { recordingReporter } from "../simulation/recordingReporter.ts";
import { scriptedFetch, type ScriptedReply, type SeenRequest } from "../simulation/scriptedFetch.ts";
import { VirtualClock } from "../simulation/virtualClock.ts";

const KEY = "svc_c4n4ry";
const READ: Call = { method: "GET", path: ["v1", "thing"], repetition: "read" };
const START: Call = {
  method: "POST",
  path: ["v1", "jobs"],
  body: { domain: "a.example" },
  repetition: "start",
};

interface Outcome {
  value?: unknown;
  error?: Error & { remedy?: string };
  requests: SeenRequest[];
  waits: number[];
  reporter: ReturnType<typeof recordingReporter>;
  clock: VirtualClock;
}

async function send(
  call: Call,
  answer: (request: SeenRequest, number: number) => ScriptedReply,
  { limitMs = 1_800_000, signal = new AbortController().signal, clock = new VirtualClock() } = {},
): Promise<Outcome> {
  const reporter = recordingReporter();
  const { fetch, requests } = scriptedFetch(answer);
  const service = {
    baseUrl: "https://api.example.com/admin",
    apiKey: () => KEY,
    apiKeyName: "DOCS_HOSTING_ADMIN_API_KEY",
    allowInsecure: false,
  };
  const transport = new Transport({
    service,
    fetch,
    clock,
    reporter,
    signal,
    deadline: startDeadline(clock, limitMs),
  });
  const outcome = { requests, waits: clock.waits, reporter, clock };
  try {
    return { ...outcome, value: await clock.run(transport.send(call, ({ body }) => body)) };
  } catch (error) {
    return { ...outcome, error: error as Error };
  }
}

test("a call goes to the path below the base URL with the bearer key and JSON", async () => {
  const { value, requests } = await send(START, () => ({ status: 202, body: { jobId: "7" } }));
  expect(value).toEqual({ jobId: "7" });
  expect(requests[0]).toMatchObject({
    method: "POST",
    url: "https://api.example.com/admin/v1/jobs",
    body: { domain: "a.example" },
    headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json" },
  });
});

test("an id with path characters stays one segment", async () => {
  const { requests } = await send({ ...READ, path: ["v1", "jobs", "../../v2/agent?x#y%2e"] }, () => ({}));
  expect(requests[0]?.url).toBe("https://api.example.com/admin/v1/jobs/..%2F..%2Fv2%2Fagent%3Fx%23y%252e");
});

test.each(["", ".", ".."])("the segment «%s» is refused before any request", async (segment) => {
  const { error, requests } = await send({ ...READ, path: ["v1", segment] }, () => ({}));
  expect(error).toBeInstanceOf(MalformedResponseError);
  expect(requests).toEqual([]);
});

test.each([200, 201, 202])("%i with a body is success", async (status) => {
  expect((await send(READ, () => ({ status, body: { a: 1 } }))).value).toEqual({ a: 1 });
});

test("a byte order mark is no obstacle", async () => {
  expect((await send(READ, () => ({ text: '\uFEFF{"a":1}' }))).value).toEqual({ a: 1 });
});

describe("each refusal has its own class and a remedy", () => {
  test.each([
    [401, KeyRejectedError, "DOCS_HOSTING_ADMIN_API_KEY"],
    [403, NotAllowedError, "enterprise plan"],
    [404, NotFoundError, "Check"],
    [409, NotReadyError, "completed"],
    [400, ResponseError, "Check"],
    [501, ResponseError, "try again later"],
  ])("%i", async (status, ErrorClass, remedy) => {
    const { error, requests } = await send(READ, () => ({
      status,
      body: { error: "because\u001b[31m of this" },
    }));
    expect(error).toBeInstanceOf(ErrorClass);
    expect(error?.message).toContain(`answered ${status}: because of this`);
    expect(error?.remedy).toContain(remedy);
    expect(requests).toHaveLength(1);
  });
});

test.each([301, 302, 303, 307, 308])("the redirect %i is not followed", async (status) => {
  const { error, requests } = await send(READ, () => ({
    status,
    headers: { location: "https://evil.example/" },
  }));
  expect(error?.message).toContain("redirect");
  expect(requests).toHaveLength(1);
});

test("a service that is down for a while is asked again, with a pause that grows", async () => {
  const { value, waits } = await send(READ, (_, number) =>
    number < 4 ? { status: 503 } : { body: { up: true } },
  );
  expect(value).toEqual({ up: true });
  expect(waits).toEqual([250, 500, 1_000]);
});

test("Retry-After is obeyed, by the service's own clock", async () => {
  const headers = { date: "Wed, 21 Oct 2026 07:28:00 GMT", "retry-after": "Wed, 21 Oct 2026 07:28:07 GMT" };
  const { waits } = await send(READ, (_, number) => (number === 1 ? { status: 429, headers } : {}));
  expect(waits).toEqual([7_000]);
});

test("a limit of requests that never ends is named when the deadline leaves no room", async () => {
  const { error, clock } = await send(READ, () => ({ status: 429 }), { limitMs: 120_000 });
  expect(error).toBeInstanceOf(DeadlineExceededError);
  expect(error?.message).toMatch(/limits the rate of requests.*time limit of 2m/);
  expect(clock.monotonic()).toBeLessThanOrEqual(120_000);
});

test("a service that accepts and never answers is given thirty seconds", async () => {
  const { value, clock } = await send(READ, (_, number) =>
    number === 1 ? "never" : { body: { late: true } },
  );
  expect(value).toEqual({ late: true });
  expect(clock.waits[0]).toBe(30_000);
});

test("the last attempt is cut off at the deadline", async () => {
  const { error, clock } = await send(READ, () => "never", { limitMs: 45_000 });
  expect(error).toBeInstanceOf(DeadlineExceededError);
  expect(clock.monotonic()).toBeLessThanOrEqual(45_000);
});

test("a start whose fate is unknown is sent once more, with a warning", async () => {
  const { error, requests, reporter } = await send(START, () => ({ error: "ECONNRESET" }));
  expect(error).toBeInstanceOf(ConnectionError);
  expect(requests).toHaveLength(2);
  expect(reporter.lines.warn).toEqual([expect.stringContaining("two jobs")]);
});

test("a start that was surely not seen is tried until it gets through", async () => {
  const { value, requests, reporter } = await send(START, (_, number) =>
    number < 6 ? { error: "ECONNREFUSED" } : { body: { jobId: "7" } },
  );
  expect(value).toEqual({ jobId: "7" });
  expect(requests).toHaveLength(6);
  expect(reporter.lines.warn).toEqual([]);
});

test("a host that is not there is named", async () => {
  const { error, requests } = await send(READ, () => ({ error: "ENOTFOUND" }));
  expect(error?.message).toBe("host not found: api.example.com");
  expect(requests).toHaveLength(4);
});

test.each(["DEPTH_ZERO_SELF_SIGNED_CERT", "CERT_HAS_EXPIRED", "ERR_TLS_CERT_ALTNAME_INVALID"])(
  "%s is final, and there is no way around it",
  async (code) => {
    const { error, requests } = await send(READ, () => ({ error: code }));
    expect(error?.message).toContain("not trusted");
    expect(requests).toHaveLength(1);
  },
);

describe("a reply that is not a JSON object", () => {
  test.each(["", "null", "[]", '"text"', "5", "<html>login</html>", '{"a":'])(
    "«%s» is refused",
    async (text) => {
      const { error } = await send(START, () => ({ text }));
      expect(error).toBeInstanceOf(MalformedResponseError);
    },
  );
  test("a page of a proxy is quoted without its links' queries", async () => {
    const { error } = await send(START, () => ({
      text: `<a href="https://sso.example/?t=${KEY}">log in</a>`,
    }));
    expect(error?.message).toContain("https://sso.example/?[removed]");
    expect(error?.message).not.toContain("c4n4ry");
  });
  test("is asked for again where nothing can happen twice, five times at most", async () => {
    expect((await send(READ, () => ({ text: "{" }))).requests).toHaveLength(6);
    expect((await send(START, () => ({ text: "{" }))).requests).toHaveLength(1);
  });
  test("invalid UTF-8 is refused", async () => {
    const { error } = await send(START, () => ({ text: Uint8Array.from([0x7b, 0xff, 0x7d]) }));
    expect(error?.message).toContain("not UTF-8");
  });
});

test("a key that the service echoes is in no part of the error", async () => {
  const { error } = await send(READ, () => ({
    status: 400,
    body: { error: `bad header Bearer ${KEY} ${Buffer.from(KEY).toString("base64")}` },
  }));
  const shown =
    inspect(error, { depth: Infinity, showHidden: true }) + JSON.stringify(error) + String(error?.stack);
  expect(shown).not.toContain("c4n4ry");
  expect(shown).not.toContain(Buffer.from(KEY).toString("base64"));
});

test("a call that went well leaves no timer and no listener, however often it was repeated", async () => {
  const { signal } = new AbortController();
  const { clock } = await send(READ, (_, number) => (number < 4 ? { status: 503 } : {}), { signal });
  expect(clock.pending).toBe(0);
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("a stopped call ends at once with the reason, in a request as in a pause", async () => {
  for (const reply of ["never", { status: 503 }] as const) {
    const controller = new AbortController();
    const clock = new VirtualClock();
    clock.chance = 0.99;
    clock.after(100, () => controller.abort(new Error("stopped")));
    const { error } = await send(READ, () => reply, { signal: controller.signal, clock });
    expect(error).toEqual(new Error("stopped"));
    expect(clock.monotonic()).toBe(100);
    expect(clock.pending).toBe(0);
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
  }
});
