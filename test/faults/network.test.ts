// Faults of the network, over real sockets.
import dns from "node:dns";
import { once } from "node:events";
import { expect, onTestFinished, test, vi } from "vitest";
import { ConnectionError, MalformedResponseError } from "../../provider/base/runtime/messages/errors.ts";
import { ask, CALLS, DUPLICATE, GOOD_VALUE, NO_LINES, UNKNOWN_JOB } from "./calls.ts";
import { answered, expectPassedOver, expectUnderstood } from "./faultyService.ts";
import { good, goodBody, refuse, reply } from "./replies.ts";
import { type Answer, freeAddress, scriptedServer } from "./scriptedServer.ts";
import { unansweringServer } from "./unansweringServer.ts";

const reset: Answer = (socket) => socket.resetAndDestroy();

/** The DNS of this process, until the test ends. */
function answerLookups(answer: (host: string, number: number) => string[] | { code: string }): () => number {
  let number = 0;
  type Done = (error: Error | null, addresses?: dns.LookupAddress[]) => void;
  const lookup = vi.spyOn(dns, "lookup").mockImplementation(((host: string, _: unknown, done: Done) => {
    const found = answer(host, ++number);
    if ("code" in found) done(Object.assign(new Error(found.code), found));
    else {
      done(
        null,
        found.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
      );
    }
  }) as unknown as typeof dns.lookup);
  onTestFinished(() => lookup.mockRestore());
  return () => number;
}

test.each(CALLS)("N01 a refused connection is tried again until the service is up: %s", async (call) => {
  const address = await freeAddress();
  let server: ReturnType<typeof scriptedServer> | undefined;
  const { value, lines } = await ask(call, `http://${address.host}:${address.port}`, {
    onProgress: () => {
      server ??= scriptedServer(good, { address });
    },
  });
  expect(value).toEqual(GOOD_VALUE[call]);
  expect((await server)?.requests).toHaveLength(1);
  expect(lines.progress[0]).toContain("failed (ECONNREFUSED); trying again");
  expect(lines.warn).toEqual([]);
});

test("N02 a host that is in no DNS is tried three times more, and named", async () => {
  const host = `${"a".repeat(64)}.example`; // longer than a name can be: no DNS request is sent
  const { error, lines } = await ask("start", `https://${host}`);
  expect(error).toBeInstanceOf(ConnectionError);
  expect(error?.message).toBe(`host not found: ${host}`);
  expect(lines.progress).toHaveLength(3);
  expect(lines.warn).toEqual([]);
});

test.each(CALLS)("N03 a DNS that fails for a while is tried again: %s", async (call) => {
  const { port, requests } = await scriptedServer(good);
  const lookups = answerLookups((_, number) => (number < 6 ? { code: "EAI_AGAIN" } : ["127.0.0.1"]));
  const { value, lines } = await ask(call, `http://docs.localhost:${port}`);
  expect(value).toEqual(GOOD_VALUE[call]);
  expect(lookups()).toBe(6);
  expect(requests).toHaveLength(1);
  expect(lines.warn).toEqual([]);
});

test.each(CALLS)("N04 a connection that is never accepted is given up after 10 s: %s", async (call) => {
  const path = { start: "", status: "/job-1", bundle: "/job-1/bundle" }[call];
  const body = goodBody({ method: call === "status" ? "GET" : "POST", path });
  const { port, wake } = await unansweringServer(reply(200, body));
  const { value, waits, lines } = await ask(call, `http://127.0.0.1:${port}`, { onProgress: wake });
  expect(waits[0]).toBe(10_000);
  expect(lines.progress[0]).toContain("failed (not connected in time)");
  expect(lines.warn).toEqual([]);
  expect(value).toEqual(GOOD_VALUE[call]);
});

test.each(["status", "bundle"] as const)(
  "N07 a connection reset before the reply is opened again: %s",
  async (call) => {
    await expectPassedOver(call, reset, 3);
  },
);

test("N08 a start whose connection is reset is repeated once, with a warning", async () => {
  await expectPassedOver("start", reset, 1, [DUPLICATE]);
});

test.each<[string, Answer, number]>([
  ["is reset twice", reset, 2],
  [
    "was refused for a while before each of its two resets",
    (...call) => ([4, 7].includes(call[2]) ? reset : refuse(503))(...call),
    7,
  ],
])("N08 a start that %s fails, and says that a job may run", async (_name, fault, sent) => {
  const { error, lines, requests } = await answered("start", fault);
  expect(error).toBeInstanceOf(ConnectionError);
  expect(requests).toHaveLength(sent);
  expect(lines.warn).toEqual([DUPLICATE, UNKNOWN_JOB]);
});

/** The part of a reply that arrives: a whole JSON object, though more was announced. */
const TOO_SHORT = reply(
  200,
  { jobId: "cut", status: "cut", bundleUrl: "https://cut.test" },
  { "content-length": 999 },
);

for (const call of CALLS) {
  test.each<[string, string, Answer]>([
    ["N09", "reset in the middle of it", (socket) => socket.write(TOO_SHORT, () => socket.resetAndDestroy())],
    ["N10", "shorter than was announced", (socket) => socket.end(TOO_SHORT)],
  ])(`%s a reply that is %s is not read, and requested again: ${call}`, async (_row, _name, cut) => {
    await expectPassedOver(call, cut, 1, call === "start" ? [DUPLICATE] : []);
  });
}

test("N14 a service that announces keep-alive and closes the connection causes no error", async () => {
  const server = await scriptedServer((socket, request) => {
    const headers = { connection: "keep-alive", "keep-alive": "timeout=60" };
    socket.write(reply(200, goodBody(request), headers), () => setImmediate(() => socket.resetAndDestroy()));
  });
  for (const call of [...CALLS, ...CALLS]) {
    const { value, lines, waits } = await ask(call, server.baseUrl);
    expect(value).toEqual(GOOD_VALUE[call]);
    expect({ lines, waits }).toEqual({ lines: NO_LINES, waits: [] });
  }
  expect(server.connections()).toBe(6);
  expect(server.requests[0]?.headers["connection"]).toBe("close");
});

const chunked = (text: string): string => `${text.replace(/./g, "1\r\n$&\r\n")}0\r\n\r\n`;
test.each<[string, (json: string) => string]>([
  ["of HTTP/1.0 without a length", (json) => `HTTP/1.0 200 OK\r\n\r\n${json}`],
  [
    "of HTTP/1.1 that ends with the connection",
    (json) => `HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n${json}`,
  ],
  ["in chunks of a byte", (json) => `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${chunked(json)}`],
])("N15 a reply %s is read", (_name, raw) =>
  expectUnderstood((socket, request) => socket.end(raw(JSON.stringify(goodBody(request))))),
);

test.each(CALLS)("N16 a server that is not HTTP is tried a few times, then named: %s", async (call) => {
  const { error, lines, requests } = await answered(call, (socket) => socket.end("SSH-2.0-OpenSSH_9.2\r\n"));
  expect(error).toBeInstanceOf(MalformedResponseError);
  expect(error?.message).toContain("answered with unusable HTTP (HPE_");
  expect(error?.remedy).toContain("base URL");
  expect(requests).toHaveLength(call === "start" ? 2 : 6);
  expect(lines.warn).toEqual(call === "start" ? [DUPLICATE, UNKNOWN_JOB] : []);
});

test("N16 a server that does not speak TLS is tried a few times: it certainly got no request", async () => {
  const server = await scriptedServer(good, {
    onConnection: (socket) => {
      socket.end("220 mail.example ESMTP\r\n");
      return true;
    },
  });
  const { error, lines } = await ask("start", server.baseUrl.replace("http:", "https:"));
  expect(error).toBeInstanceOf(ConnectionError);
  expect(server.connections()).toBe(6);
  expect(lines.warn).toEqual([]);
});

test("N19 an unreachable IPv6 address is skipped for the IPv4 address of the same name", async () => {
  const { port, requests } = await scriptedServer(good);
  answerLookups(() => ["::1", "127.0.0.1"]); // no listener on ::1
  const { value, lines } = await ask("start", `http://docs.localhost:${port}`);
  expect(value).toBe("job-1");
  expect(requests).toHaveLength(1);
  expect(lines).toEqual(NO_LINES);
});

test.each(["status", "bundle"] as const)("a stop cuts the connection at once: %s", async (call) => {
  const stop = new AbortController();
  let closed: Promise<unknown> | undefined;
  const hang: Answer = (socket) => {
    closed = once(socket, "close");
    stop.abort(new Error("stopped"));
  };
  expect((await answered(call, hang, { signal: stop.signal })).error).toEqual(new Error("stopped"));
  await closed;
});

test("a stop leaves a start a moment for its reply, without which its job is lost", async () => {
  const stop = new AbortController();
  const late: Answer = (...call) => {
    stop.abort(new Error("stopped"));
    setImmediate(() => good(...call));
  };
  expect((await answered("start", late, { signal: stop.signal })).value).toBe("job-1");
});
