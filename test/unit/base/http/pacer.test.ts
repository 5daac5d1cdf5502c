// The times of requests, by a virtual clock; the result of a hundred exports is in siblings.test.ts.
import { getEventListeners } from "node:events";
import { beforeEach, describe, expect, test } from "vitest";
import { Pacer, Pacers } from "../../../../provider/base/http/pacer.ts";
import type { Fault } from "../../../../provider/base/http/retryPolicy.ts";
import { DeadlineExceededError, ResponseError } from "../../../../provider/base/runtime/messages/errors.ts";
import { startDeadline } from "../../../../provider/base/runtime/time/clock.ts";
import { VirtualClock } from "../../../simulation/virtualClock.ts";

let clock: VirtualClock;
let pacer: Pacer;
/** Names of the sent requests, and when. */
let went: [string, number][];
/** Those that were never sent, and why. */
let lost: [string, Error][];

beforeEach(() => {
  clock = new VirtualClock();
  pacer = new Pacer(clock);
  went = [];
  lost = [];
});

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
/** Advances time in small steps, so that the effects of a turn happen in time. */
async function pass(byMs: number): Promise<void> {
  for (const end = clock.monotonic() + byMs; clock.monotonic() < end; await settled()) {
    clock.advance(Math.min(5, end - clock.monotonic()));
  }
}

interface Given {
  isRepeat?: boolean;
  limitMs?: number;
  signal?: AbortSignal;
}
function ask(
  name: string,
  { isRepeat = false, limitMs = 60_000, signal = new AbortController().signal }: Given = {},
): void {
  pacer.turn({ name, isRepeat, deadline: startDeadline(clock, limitMs), signal }).then(
    () => went.push([name, clock.monotonic()]),
    (error: unknown) => lost.push([name, error as Error]),
  );
}
async function askMany(count: number, given: Given = {}): Promise<void> {
  for (let number = 1; number <= count; number++) ask(`r${number}`, given);
  await settled();
}

const REFUSED = "the service limits the rate of requests";
function refuse(status: number, retryAfterMs: number | undefined): void {
  const error = new ResponseError(REFUSED, "", { status });
  pacer.ended({ fault: { kind: "status", status, retryAfterMs }, error });
}
const answer = (): void => pacer.ended({ value: 1 });
const fail = (fault: Fault): void =>
  pacer.ended({ fault, error: new ResponseError("failed", "", { status: 0 }) });
const times = (): number[] => went.map(([, atMs]) => atMs);

describe("before any refusal", () => {
  test("four are sent at once, and each answer lets two more follow", async () => {
    await pass(5_000); // since the pacer was created: no time
    await askMany(20);
    expect(went).toHaveLength(4);
    answer();
    await settled();
    expect(went).toHaveLength(6);
    for (let count = 0; count < 4; count++) answer();
    await settled();
    expect(went).toHaveLength(14);
    expect(times()).toEqual(Array(14).fill(5_000));
  });

  test("no more than 250 wait for their answers; each answer, failure or stop lets another follow", async () => {
    await askMany(250);
    await pass(2_000);
    expect(went).toHaveLength(250);
    await askMany(6, { limitMs: 10_000 });
    await pass(5_000);
    expect(went).toHaveLength(250);
    answer();
    fail({ kind: "interrupted", code: "ECONNRESET" });
    pacer.ended(undefined);
    await pass(250);
    expect(went).toHaveLength(253);
    await pass(5_000);
    expect(lost.map(([name]) => name)).toEqual(["r4", "r5", "r6"]);
  });

  test("an unavailable service that names no time and any other error of the service are answers; a local error is not", async () => {
    await askMany(20);
    const noAnswers: Fault[] = [
      { kind: "unreachable", code: "ECONNREFUSED" },
      { kind: "interrupted", code: "ECONNRESET" },
      { kind: "refusedByProxy", status: 503 },
      { kind: "notHttp" },
    ];
    noAnswers.forEach(fail);
    await settled();
    expect(went).toHaveLength(4);
    refuse(503, undefined);
    refuse(500, 1_000);
    fail({ kind: "malformed" });
    await settled();
    expect(went).toHaveLength(10);
    expect(pacer.lastRefusal).toBeUndefined();
  });

  test("a request whose time ends first is given up, and its error names no refusal", async () => {
    await askMany(100);
    ask("late", { limitMs: 1_000 });
    await pass(1_000);
    expect(lost.map(([name]) => name)).toEqual(["late"]);
    expect(lost[0]?.[1].message).toBe("late waited for its turn; the time limit of 1s leaves no time for it");
  });

  test("the first request after a calm period is sent at once however many were sent before it", async () => {
    await askMany(4);
    await pass(10_000);
    await askMany(100);
    expect(times().filter((atMs) => atMs === 10_000)).toHaveLength(100);
  });

  test("they are sent in the order in which they came, retries first", async () => {
    await askMany(6);
    ask("again", { isRepeat: true });
    await pass(1_000);
    expect(went.map(([name]) => name)).toEqual(["r1", "r2", "r3", "r4", "again", "r5", "r6"]);
  });
});

describe("a 429 with Retry-After", () => {
  /** Five requests are answered, one is refused for a second, and twelve wait. */
  async function refusedOnce(): Promise<void> {
    await askMany(26);
    for (let count = 0; count < 5; count++) answer();
    refuse(429, 1_000);
    await settled();
    went.length = 0;
  }

  test("delays all waiting requests, and new ones, for as long as it says", async () => {
    ask("first");
    await settled();
    refuse(429, 3_000);
    ask("sibling");
    await pass(2_995);
    expect(went).toEqual([["first", 0]]);
    await pass(5);
    expect(went).toEqual([
      ["first", 0],
      ["sibling", 3_000],
    ]);
  });

  test("of less than a second delays for a second: it would have no effect", async () => {
    refuse(429, 0);
    ask("sibling");
    await pass(2_000);
    expect(went).toEqual([["sibling", 1_000]]);
  });

  test("is followed by four fifths of the rate that the service accepted", async () => {
    await refusedOnce(); // 5 answers in the second before
    await pass(1_600);
    expect(times()).toEqual([1_000, 1_250, 1_500]);
  });

  test("counts accepted requests in an equal time before it, until it is over", async () => {
    const late = async (atMs: number): Promise<void> => {
      await pass(atMs - clock.monotonic());
      answer();
    };
    await late(500); // before the counted time
    await late(1_500);
    await late(3_000);
    await late(5_000);
    refuse(429, 4_000); // from 5 s on: counts from 1 s
    await late(6_000);
    await askMany(3);
    await pass(10_000);
    // 4 in 4 s, of which four fifths
    expect(times().map(Math.round)).toEqual([9_000, 10_250, 11_500]);
  });

  test("is followed by one request in two seconds at least", async () => {
    ask("first");
    await settled();
    refuse(429, 60_000);
    await askMany(3, { limitMs: 600_000 });
    await pass(65_000);
    expect(times()).toEqual([0, 60_000, 62_000, 64_000]);
  });

  test("is followed by a rate that grows with the answers while others wait, and only then", async () => {
    const gapAfter = async (answers: number): Promise<number> => {
      for (let count = 0; count < answers; count++) answer();
      went.length = 0;
      await pass(1_300);
      const [one = 0, two = 0] = times();
      return two - one;
    };
    await refusedOnce();
    await pass(1_000);
    const grown = await gapAfter(77);
    expect(grown).toBeGreaterThan(250 / Math.exp((77 * 78) / 2 / 6_000) - 6);
    expect(grown).toBeLessThan(250 / Math.exp((77 * 78) / 2 / 6_000) + 6);
    await pass(10_000); // all were sent
    for (let count = 0; count < 500; count++) answer();
    await askMany(3);
    await pass(1_000);
    const [one = 0, two = 0] = times().slice(-2);
    expect(Math.abs(two - one - grown)).toBeLessThanOrEqual(10);
  });

  test("that exceeds the time limit of a waiting request ends that one at once, and no other", async () => {
    await askMany(4);
    ask("short", { limitMs: 3_000 });
    ask("long", { limitMs: 3_001 });
    refuse(429, 3_000);
    ask("late", { limitMs: 2_000 });
    await settled();
    expect(clock.monotonic()).toBe(0);
    expect(lost.map(([name]) => name)).toEqual(["short", "late"]);
    const [[, error] = []] = lost;
    expect(error).toBeInstanceOf(DeadlineExceededError);
    expect(error).toMatchObject({
      message: `short waited for its turn: ${REFUSED}; the time limit of 3s leaves no time for it`,
      remedy: "Run `pulumi up` again later, or raise the limit with the resource option customTimeouts.",
    });
    await pass(3_000);
    expect(went.at(-1)).toEqual(["long", 3_000]);
  });

  test("makes no request wait beyond its time limit for those before it", async () => {
    refuse(429, 1_000);
    for (const name of ["a", "b", "c", "d"]) ask(name, { limitMs: 4_500 });
    await pass(4_495);
    expect(went).toEqual([
      ["a", 1_000],
      ["b", 3_000],
    ]);
    expect(lost.map(([name]) => name)).toEqual(["c", "d"]); // as soon as it is known
    expect(clock.pending).toBe(0);
  });
});

test("a 503 with Retry-After delays all, after which they are sent as at first", async () => {
  await askMany(4);
  await pass(5_000);
  refuse(503, 2_000);
  expect(pacer.lastRefusal).toBeDefined();
  went.length = 0;
  await askMany(8);
  expect(went).toEqual([]);
  await pass(2_250);
  expect(times().slice(0, 4)).toEqual([7_000, 7_000, 7_000, 7_000]);
  expect(times().filter((atMs) => atMs > 7_050 && atMs <= 7_250)).toHaveLength(4);
});

test("a 429 among refusals with 503 is still a rate limit", async () => {
  refuse(503, 1_000);
  refuse(429, 1_000);
  refuse(503, 1_000);
  await askMany(2);
  await pass(3_000);
  expect(times()).toEqual([1_000, 3_000]);
});

test("a stopped request leaves the queue at once, with the reason, and leaves nothing behind", async () => {
  const controller = new AbortController();
  refuse(429, 10_000);
  ask("stopped", { signal: controller.signal });
  ask("other");
  await pass(100);
  controller.abort(new Error("stopped"));
  await settled();
  expect(lost).toEqual([["stopped", new Error("stopped")]]);
  expect(getEventListeners(controller.signal, "abort")).toEqual([]);
  await pass(10_000);
  expect(went).toEqual([["other", 10_000]]);
  expect(clock.pending).toBe(0);
});

test.each<[string, () => void, boolean]>([
  ["a reply", answer, true],
  ["a refusal for a time", () => refuse(429, 1_000), true],
  ["a refusal without a time", () => refuse(503, undefined), true],
  ["an unusable reply", () => fail({ kind: "malformed" }), true],
  ["a refused connection", () => fail({ kind: "unreachable", code: "ECONNREFUSED" }), false],
  ["a connection that breaks", () => fail({ kind: "interrupted", code: "ECONNRESET" }), false],
])("after %s it is known whether the service ever answered", (_what, happen, wasAnswered) => {
  expect(pacer.wasAnswered).toBe(false);
  happen();
  expect(pacer.wasAnswered).toBe(wasAnswered);
  fail({ kind: "unreachable", code: "ECONNREFUSED" });
  expect(pacer.wasAnswered).toBe(wasAnswered);
});

test("the pacer of a service measures time by the clock of its process", async () => {
  pacer = new Pacers(clock).of("https://a.example", "key");
  await askMany(5);
  expect(went).toHaveLength(4);
  await pass(250);
  expect(went).toHaveLength(5);
});

test("the same service with the same key has one pacer; another key or base URL has its own, and no key is stored", () => {
  const pacers = new Pacers(clock);
  const one = pacers.of("https://a.example", "svc_c4n4ry");
  expect(pacers.of("https://a.example", "svc_c4n4ry")).toBe(one);
  expect(pacers.of("https://a.example", "svc_other")).not.toBe(one);
  expect(pacers.of("https://b.example", "svc_c4n4ry")).not.toBe(one);
});
