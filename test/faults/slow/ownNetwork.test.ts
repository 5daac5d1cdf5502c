// DNS and dropped packets, in the tests' own network.
import { execFileSync } from "node:child_process";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { ask, CALLS, GOOD_VALUE } from "../calls.ts";
import { identity, SERVICE_HOST, trustAuthority } from "../certificates.ts";
import { good } from "../replies.ts";
import { type ScriptedServer, scriptedServer } from "../scriptedServer.ts";
import { nameServer } from "./nameServer.ts";

beforeEach((context) => {
  context.skip(
    process.env["OWN_NETWORK"] !== "true",
    "a network of its own needs Linux, root, ip and iptables",
  );
});

async function namedService(): Promise<ScriptedServer> {
  await trustAuthority();
  const server = await scriptedServer(good, { identity: await identity() });
  return { ...server, baseUrl: `https://${SERVICE_HOST}:${server.port}` };
}

/** Drops all packets to a port, until the test ends or the returned function is called. */
function dropPackets(command: "iptables" | "ip6tables", port: number): () => void {
  const rule = ["INPUT", "-p", "tcp", "--dport", String(port), "-j", "DROP"];
  execFileSync(command, ["-A", ...rule]);
  let dropped = true;
  const stop = (): void => {
    if (dropped) execFileSync(command, ["-D", ...rule]);
    dropped = false;
  };
  onTestFinished(stop);
  return stop;
}

test("N02 a host that DNS does not know is an error after three repeats", async () => {
  const questions = await nameServer(() => "no such name");
  const { error, lines } = await ask("start", `https://${SERVICE_HOST}`);
  expect(error?.message).toBe(`host not found: ${SERVICE_HOST}`);
  expect(lines.progress).toHaveLength(3);
  expect(questions()).toBeGreaterThanOrEqual(4);
});

test.each(["failure", "silence"] as const)(
  "N03 a DNS server that answers with %s is queried again",
  async (fault) => {
    const service = await namedService();
    let repeats = 0;
    await nameServer(() => (repeats < 2 ? fault : ["127.0.0.1"]));
    const { value, lines } = await ask("start", service.baseUrl, { speed: 1, onProgress: () => repeats++ });
    expect(value).toBe("job-1");
    expect(lines.progress).toHaveLength(2);
    for (const line of lines.progress) expect(line).toContain("failed (EAI_AGAIN)");
    expect(lines.warn).toEqual([]);
  },
);

test("N03 a missing DNS server is queried again until it exists", async () => {
  const service = await namedService();
  let started: Promise<unknown> | undefined;
  const { value, lines } = await ask("status", service.baseUrl, {
    speed: 1,
    onProgress: () => {
      started ??= nameServer(() => ["127.0.0.1"]);
    },
  });
  await started;
  expect(value).toEqual(GOOD_VALUE.status);
  expect(lines.progress[0]).toContain("failed (EAI_AGAIN)");
});

test.each(CALLS)("N04 a connection whose packets are dropped is given up after 10 s: %s", async (call) => {
  const server = await scriptedServer(good);
  const stop = dropPackets("iptables", server.port);
  const { value, waits, lines } = await ask(call, server.baseUrl, { onProgress: stop });
  expect(value).toEqual(GOOD_VALUE[call]);
  expect(waits[0]).toBe(10_000);
  expect(lines.progress).toEqual([expect.stringContaining("failed (not connected in time)")]);
  expect(lines.warn).toEqual([]);
  expect(server.requests).toHaveLength(1);
});

test("N19 an IPv6 address whose packets are dropped costs a quarter of a second", async () => {
  const service = await namedService();
  await nameServer(() => ["127.0.0.1", "::1"]);
  dropPackets("ip6tables", service.port);
  const { value, lines, tookMs } = await ask("start", service.baseUrl, { speed: 1 });
  expect(value).toBe("job-1");
  expect(lines).toEqual({ progress: [], info: [], warn: [] });
  expect(tookMs).toBeLessThan(3_000);
});
