import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import type { Call } from "../../../../provider/base/http/endpoint.ts";
import { Pacers } from "../../../../provider/base/http/pacer.ts";
import { Transport } from "../../../../provider/base/http/transport.ts";
import {
  AnswerCutOffError,
  DeadlineExceededError,
  ResponseError,
} from "../../../../provider/base/runtime/messages/errors.ts";
import { Secrets } from "../../../../provider/base/runtime/messages/secrets.ts";
import { startDeadline } from "../../../../provider/base/runtime/time/clock.ts";
import { noTracer, type Tracer } from "../../../../provider/base/runtime/tracing/tracer.ts";
import { RecordedSpans } from "../../../simulation/recordedSpans.ts";
import { recordingReporter } from "../../../simulation/recordingReporter.ts";
import { scriptedFetch, type ScriptedReply, type SeenRequest } from "../../../simulation/scriptedFetch.ts";
import { URN } from "../../../simulation/testContext.ts";
import { VirtualClock } from "../../../simulation/virtualClock.ts";

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
  clock: VirtualClock;
}

interface Circumstances {
  limitMs?: number;
  signal?: AbortSignal;
  clock?: VirtualClock;
  pacers?: Pacers;
  reporter?: ReturnType<typeof recordingReporter>;
  tracer?: Tracer;
  baseUrl?: string;
  key?: string;
}

function connected(
  answer: (request: SeenRequest, number: number) => ScriptedReply,
  {
    limitMs = 1_800_000,
    signal = new AbortController().signal,
    clock = new VirtualClock(),
    pacers = new Pacers(clock),
    reporter = recordingReporter(),
    tracer = noTracer,
    baseUrl = "https://api.example.com/admin",
    key = KEY,
  }: Circumstances = {},
): { transport: Transport; requests: SeenRequest[]; clock: VirtualClock } {
  const { fetch, requests } = scriptedFetch(answer);
  const service = {
    baseUrl,
    apiKey: () => key,
    apiKeyName: "DOCS_HOSTING_ADMIN_API_KEY",
    allowInsecure: false,
  };
  const deadline = startDeadline(clock, limitMs);
  const transport = new Transport({
    service,
    fetch,
    clock,
    pacers,
    reporter,
    tracer,
    secrets: new Secrets(),
    signal,
    deadline,
  });
  return { transport, requests, clock };
}

async function send(
  call: Call,
  answer: (request: SeenRequest, number: number) => ScriptedReply,
  circumstances?: Circumstances,
): Promise<Outcome> {
  const { transport, requests, clock } = connected(answer, circumstances);
  const outcome = { requests, clock };
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
    headers: {
      authorization: `Bearer ${KEY}`,
      "content-type": "application/json",
      accept: "application/json",
      "user-agent": "pulumi-docs-hosting",
    },
  });
});

test("an error that the reader of a reply throws is not retried", async () => {
  const { transport, requests, clock } = connected(() => ({}));
  const sent = transport.send(READ, () => {
    throw new TypeError("a mistake of the provider's own");
  });
  await expect(clock.run(sent)).rejects.toThrow(TypeError);
  expect(requests).toHaveLength(1);
});

test("a reply without a date is dated by the service's clock, as far as it is known", async () => {
  const clock = new VirtualClock();
  const aheadMs = 90_000; // this machine is ahead
  const { transport } = connected(
    (_, number) => (number === 1 ? { headers: { date: new Date(clock.now() - aheadMs).toUTCString() } } : {}),
    { clock },
  );
  for (let call = 0; call < 2; call++) {
    const dateMs = await clock.run(transport.send(READ, (reply) => reply.dateMs));
    expect(Math.abs(clock.now() - aheadMs - dateMs)).toBeLessThan(1_000); // dates are of whole seconds
  }
});

test.each([
  ["https://api.example.com/admin", "api.example.com", 443],
  ["http://api.example.com", "api.example.com", 80],
  ["http://127.0.0.1:4010", "127.0.0.1", 4010],
])("each request is a span with its address and status: %s", async (baseUrl, address, port) => {
  const clock = new VirtualClock();
  const recorded = new RecordedSpans(clock);
  await recorded.operation((tracer) =>
    send(READ, () => ({ status: 400, body: {} }), { clock, tracer, baseUrl }),
  );
  await recorded.operation((tracer) =>
    send(READ, (_, number) => ({ status: number === 1 ? 503 : 200, body: {} }), { clock, tracer, baseUrl }),
  );
  const request = {
    "pulumi.urn": URN,
    "http.request.method": "GET",
    "url.full": `${baseUrl}/v1/thing`,
    "server.address": address,
    "server.port": port,
  };
  const requests = recorded.finished.filter(({ name }) => name === "GET");
  expect(requests.map(({ attributes }) => attributes)).toEqual([
    { ...request, "http.response.status_code": 400, "error.type": "400" },
    { ...request, "http.response.status_code": 503, "error.type": "503" },
    { ...request, "http.response.status_code": 200, "http.request.resend_count": 1 },
  ]);
});

test("a request without an answer is a span with the kind of its error", async () => {
  const clock = new VirtualClock();
  const recorded = new RecordedSpans(clock);
  await recorded.operation((tracer) =>
    send(READ, (_, number) => (number === 1 ? { error: "ECONNRESET" } : { body: {} }), { clock, tracer }),
  );
  const requests = recorded.finished.filter(({ name }) => name === "GET");
  expect(requests.map(({ attributes }) => attributes["error.type"])).toEqual(["ConnectionError", undefined]);
});

test("an answer that only the deadline cuts off is reported as that, and not as a fault of the network", async () => {
  const { error, requests, clock } = await send(READ, () => "never", { limitMs: 20_000 });
  expect(error).toBeInstanceOf(AnswerCutOffError);
  expect(error?.message).toBe(
    "the time limit of 20s passed before GET https://api.example.com/admin/v1/thing was answered in full",
  );
  expect(error?.remedy).toBe(
    "Run `pulumi up` again, or raise the limit with the resource option customTimeouts.",
  );
  expect(requests).toHaveLength(1);
  expect(clock.monotonic()).toBe(20_000);
});

test.each(["20", "60"])(
  "where the service asks for a pause of %s s and the time limit is 20 s, the fault is reported at once",
  async (pause) => {
    const { error, clock, requests } = await send(
      READ,
      () => ({ status: 429, headers: { "retry-after": pause } }),
      { limitMs: 20_000 },
    );
    expect(error).not.toBeInstanceOf(AnswerCutOffError);
    expect(error?.message).toMatch(/limits the rate of requests.*the time limit of 20s leaves no time/);
    expect(requests).toHaveLength(1);
    expect(clock.monotonic()).toBe(0);
  },
);

test("a service that answered another operation of the run, and refuses connections then, is retried for two minutes", async () => {
  const clock = new VirtualClock();
  const pacers = new Pacers(clock);
  await send(READ, () => ({ status: 404 }), { clock, pacers });
  const { error } = await send(READ, () => ({ error: "ECONNREFUSED" }), { clock, pacers });
  expect(error?.message).toContain("the service did not answer for 1m 56s");
});

test.each<[string, boolean, Call, ScriptedReply]>([
  ["a start that was lost on the way back", true, START, { error: "ECONNRESET" }],
  ["a start that a gateway lost", true, START, { status: 502 }],
  ["a start whose answer cannot be read", true, START, { text: "{" }],
  ["a start that was answered", false, START, {}],
  ["a start that was refused", false, START, { status: 400 }],
  ["a start that reached nobody", false, START, { error: "ECONNREFUSED" }],
  ["a read that was lost on the way back", false, READ, { error: "ECONNRESET" }],
])("after %s, a job whose id is unknown may run: %s", async (_, expected, call, reply) => {
  const { transport, clock } = connected(() => reply);
  expect(transport.mayHaveStarted).toBe(false);
  await clock.run(transport.send(call, () => undefined)).catch(() => undefined);
  expect(transport.mayHaveStarted).toBe(expected);
});

test("an idempotency key is sent with each attempt", async () => {
  const { requests } = await send({ ...START, idempotencyKey: "abc" }, (_, number) =>
    number === 1 ? { status: 503 } : {},
  );
  expect(requests.map(({ headers }) => headers["idempotency-key"])).toEqual(['"abc"', '"abc"']);
  expect((await send(START, () => ({}))).requests[0]?.headers).not.toHaveProperty("idempotency-key");
});

test("a successful call leaves no timer and no listener, however often it was repeated", async () => {
  const { signal } = new AbortController();
  const { clock } = await send(READ, (_, number) => (number < 4 ? { status: 503 } : {}), { signal });
  expect(clock.pending).toBe(0);
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("a stopped call ends at once with the reason, in a request and in a pause", async () => {
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

test("an error has the request id of the header X-Request-Id, and none without it", async () => {
  const headers = { "x-request-id": "r-7" };
  const named = await send(START, () => ({ status: 400, body: { error: "no" }, headers }));
  expect(named.error).toMatchObject({ requestId: "r-7" });
  expect(named.error?.message).toContain("answered 400 (request r-7): no");
});

describe("a service that refused a sibling for 40 s", () => {
  const HELD_MS = 40_000;
  const BASE = "https://api.example.com/admin";
  function refused(baseUrl = BASE, key = KEY): { clock: VirtualClock; pacers: Pacers } {
    const clock = new VirtualClock();
    const pacers = new Pacers(clock);
    const error = new ResponseError("the service limits the rate of requests", "", { status: 429 });
    pacers.of(baseUrl, key).ended({ fault: { kind: "status", status: 429, retryAfterMs: HELD_MS }, error });
    return { clock, pacers };
  }

  test("gets no request before, and the row says so after a while", async () => {
    const reporter = recordingReporter();
    const { clock, requests, value } = await send(READ, () => ({ body: { a: 1 } }), {
      ...refused(),
      reporter,
    });
    expect(value).toEqual({ a: 1 });
    expect(requests).toHaveLength(1);
    expect(clock.monotonic()).toBe(HELD_MS);
    expect(reporter.lines.progress).toEqual(["waiting, because the service limits the rate of requests"]);
    expect(clock.waits).toEqual([5_000, HELD_MS]);
    expect(clock.pending).toBe(0);
  });

  test("gets a request at once with another key, or at another base URL", async () => {
    for (const state of [refused(BASE, "svc_other"), refused("https://other.example.com")]) {
      const reporter = recordingReporter();
      const { clock } = await send(READ, () => ({}), { ...state, reporter });
      expect(clock.monotonic()).toBe(0);
      expect(reporter.lines.progress).toEqual([]);
    }
  });

  test("is available, so that a connection that fails then is retried until the time limit", async () => {
    const { error } = await send(READ, () => ({ error: "ECONNREFUSED" }), { ...refused(), limitMs: 600_000 });
    expect(error).toBeInstanceOf(DeadlineExceededError);
  });
});
