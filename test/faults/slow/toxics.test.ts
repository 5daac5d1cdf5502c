// The eight toxics of toxiproxy between client and a working service.
import { expect, test } from "vitest";
import { ask, CALLS, DUPLICATE, GOOD_VALUE, NO_LINES, UNKNOWN_JOB } from "../calls.ts";
import { goodBody, good, reply } from "../replies.ts";
import { scriptedServer, type ScriptedServer } from "../scriptedServer.ts";
import { toxicProxy, withToxiproxy, type ToxicProxy } from "./toxiproxy.ts";

withToxiproxy();

async function poisoned(
  type: string,
  attributes: Readonly<Record<string, number>>,
): Promise<ToxicProxy & { service: ScriptedServer }> {
  const service = await scriptedServer((socket, request) => {
    socket.write(reply(200, { ...goodBody(request), text: " ".repeat(20_000) }));
    if (type !== "timeout") socket.end(); // it would pass on the end
  });
  const proxy = await toxicProxy(service.port);
  await proxy.poison(type, attributes);
  return { ...proxy, service };
}

/** For a fault that ends when it is noticed. */
const SAFE = ["status", "bundle"] as const;

test.each(CALLS)("N01 down: refused connections are tried again: %s", async (call) => {
  const proxy = await toxicProxy((await scriptedServer(good)).port);
  await proxy.enable(false);
  const { value, lines } = await ask(call, proxy.baseUrl, { onProgress: () => void proxy.enable(true) });
  expect(value).toEqual(GOOD_VALUE[call]);
  expect(lines.progress[0]).toContain("ECONNREFUSED");
  expect(lines.warn).toEqual([]);
});

for (const [row, type, attributes, expected] of [
  ["N07", "reset_peer", { timeout: 0 }, "failed (ECONNRESET)"],
  ["N09", "limit_data", { bytes: 5_000 }, "failed (ECONNRESET)"],
  ["N10", "limit_data", { bytes: 10 }, "failed ("],
  ["N11", "timeout", { timeout: 0 }, "failed (no answer in time)"],
  ["N13", "bandwidth", { rate: 1 }, "failed (no answer in time)"],
] as const) {
  test.each(SAFE)(`${row} ${type} of ${JSON.stringify(attributes)} is retried: %s`, async (call) => {
    const { baseUrl, cure } = await poisoned(type, attributes);
    const { value, lines } = await ask(call, baseUrl, { onProgress: () => void cure() });
    expect(value).toEqual(GOOD_VALUE[call]);
    expect(lines.progress[0]).toContain(expected);
    expect(lines.warn).toEqual([]);
  });

  test(`${row === "N07" ? "N08" : row} ${type} of ${JSON.stringify(attributes)} repeats a start once`, async () => {
    const { baseUrl, service } = await poisoned(type, attributes);
    const { error, lines } = await ask("start", baseUrl);
    expect(error?.message).toContain(expected);
    expect(service.requests).toHaveLength(2);
    expect(lines.warn).toEqual([DUPLICATE, UNKNOWN_JOB]);
  });
}

test.each(CALLS)("N12 latency of five seconds costs time only: %s", async (call) => {
  const { baseUrl } = await poisoned("latency", { latency: 250 });
  const { value, tookMs, lines } = await ask(call, baseUrl);
  expect(value).toEqual(GOOD_VALUE[call]);
  expect(tookMs).toBeGreaterThanOrEqual(5_000);
  expect(lines).toEqual(NO_LINES);
});

test.each(CALLS)(
  "N14 slow_close: a whole reply is returned before the connection closes: %s",
  async (call) => {
    const { baseUrl } = await poisoned("slow_close", { delay: 5_000 });
    const { value, tookMs } = await ask(call, baseUrl);
    expect(value).toEqual(GOOD_VALUE[call]);
    expect(tookMs).toBeLessThan(30_000);
  },
);

test.each(CALLS)("N15 slicer: a reply in slices is read: %s", async (call) => {
  const { baseUrl } = await poisoned("slicer", { average_size: 64, size_variation: 32, delay: 10 });
  const { value, lines } = await ask(call, baseUrl);
  expect(value).toEqual(GOOD_VALUE[call]);
  expect(lines).toEqual(NO_LINES);
});
