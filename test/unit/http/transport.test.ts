import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { startDeadline } from "../../../provider/time/deadline.ts";
import type { Call } from "../../../provider/http/endpoint.ts";
import {
  AnswerCutOffError,
  DeadlineExceededError,
  KeyRejectedError,
  MalformedResponseError,
  NotAllowedError,
  NotFoundError,
  NotReadyError,
  ResponseError,
} from "../../../provider/words/errors.ts";
import { Transport } from "../../../provider/http/transport.ts";
import { recordingReporter } from "../../simulation/recordingReporter.ts";
import { scriptedFetch, type ScriptedReply, type SeenRequest } from "../../simulation/scriptedFetch.ts";
import { VirtualClock } from "../../simulation/virtualClock.ts";

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

test("a service that is down for a while is asked again, with a pause that grows", async () => {
  const { value, waits } = await send(READ, (_, number) =>
    number < 4 ? { status: 503 } : { body: { up: true } },
  );
  expect(value).toEqual({ up: true });
  expect(waits).toEqual([250, 500, 1_000]);
});

test("at the deadline the fault before tells more than an attempt that was cut off", async () => {
  const { error, clock } = await send(READ, (_, number) => (number < 3 ? { status: 429 } : "never"), {
    limitMs: 20_000,
  });
  expect(error).toBeInstanceOf(DeadlineExceededError);
  expect(error?.message).toMatch(/limits the rate of requests.*time limit of 20s/);
  expect(clock.monotonic()).toBe(20_000);
});

test("an answer that only the deadline cuts off is told as that, and not as a fault of the network", async () => {
  const { error, requests, clock } = await send(READ, () => "never", { limitMs: 20_000 });
  expect(error).toBeInstanceOf(AnswerCutOffError);
  expect(error?.message).toBe(
    "GET https://api.example.com/admin/v1/thing was not answered before the time limit of 20s passed",
  );
  expect(error?.remedy).toBe(
    "Run `pulumi up` again, or raise the limit with the resource option customTimeouts.",
  );
  expect(requests).toHaveLength(1);
  expect(clock.monotonic()).toBe(20_000);
});

test.each(["20", "60"])(
  "where the service asks for a pause of %s s and the time limit is 20 s, the fault is told at once",
  async (pause) => {
    const { error, clock, requests } = await send(
      READ,
      () => ({ status: 429, headers: { "retry-after": pause } }),
      { limitMs: 20_000 },
    );
    expect(error).not.toBeInstanceOf(AnswerCutOffError);
    expect(error?.message).toMatch(/limits the rate of requests.*the time limit of 20s leaves no room/);
    expect(requests).toHaveLength(1);
    expect(clock.monotonic()).toBe(0);
  },
);

test("a service of which nothing ever answers is tried for two minutes, and then no longer", async () => {
  const { error, clock } = await send(READ, () => ({ error: "ECONNREFUSED" }));
  expect(error?.message).toBe(
    "GET https://api.example.com/admin/v1/thing failed (ECONNREFUSED); " +
      "nothing of the service answered for 1m 56s, so it is not tried any longer",
  );
  // the pause that would lead beyond two minutes is not made
  expect(clock.monotonic()).toBeGreaterThan(115_000);
  expect(clock.monotonic()).toBeLessThan(120_000);
});

test("once anything of the service answered, it is tried until the time limit", async () => {
  const { error, clock } = await send(READ, (_, number) =>
    number === 1 ? { status: 503 } : { error: "ECONNREFUSED" },
  );
  expect(error).toBeInstanceOf(DeadlineExceededError);
  expect(error?.message).toContain("the time limit of 30m leaves no room for another try");
  expect(clock.monotonic()).toBeGreaterThan(25 * 60_000);
});

test("an idempotency key is sent with each attempt", async () => {
  const { requests } = await send({ ...START, idempotencyKey: "abc" }, (_, number) =>
    number === 1 ? { status: 503 } : {},
  );
  expect(requests.map(({ headers }) => headers["idempotency-key"])).toEqual(['"abc"', '"abc"']);
  expect((await send(START, () => ({}))).requests[0]?.headers).not.toHaveProperty("idempotency-key");
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

test("an error names the request by the header X-Request-Id, and none where there is none", async () => {
  const headers = { "x-request-id": "r-7" };
  const named = await send(START, () => ({ status: 400, body: { error: "no" }, headers }));
  expect(named.error).toMatchObject({ requestId: "r-7" });
  expect(named.error?.message).toContain("answered 400 (request r-7): no");
  const nameless = await send(START, () => ({ status: 400, body: { error: "no" } }));
  expect(nameless.error).toMatchObject({ requestId: "" });
});
