// Limits of time and size of all replies, over real sockets.
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import {
  DeadlineExceededError,
  MalformedResponseError,
} from "../../provider/base/runtime/messages/errors.ts";
import { CALLS, DUPLICATE, UNKNOWN_JOB } from "./calls.ts";
import { BUFFERED_BYTES, hugeBody } from "./endlessReply.ts";
import { answered, expectPassedOver } from "./faultyService.ts";
import { reply } from "./replies.ts";
import type { Answer } from "./scriptedServer.ts";

/** Sends one byte after another, so that the connection is never idle for long. */
const drip =
  (bytes: string, pauseMs: number): Answer =>
  (socket) => {
    let at = 0;
    const timer = setInterval(() => socket.write(bytes[at++ % bytes.length] ?? ""), pauseMs);
    socket.once("close", () => clearInterval(timer));
  };
const ENDLESS_INFORMATION = "HTTP/1.1 103 Early Hints\r\nlink: </a.css>\r\n\r\n";

test.each<[string, string, Answer]>([
  ["N11", "is never answered", () => undefined],
  [
    "N12",
    "is answered by a header byte every 5 s",
    drip("HTTP/1.1 200 OK\r\nx-endless: aaaaaaaaaaaaaaaaaaaaaaaaaaaa", 250),
  ],
  [
    "N13",
    "is answered by a body byte every second",
    (socket, ...rest) => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n");
      drip("{  ", 50)(socket, ...rest);
    },
  ],
  ["H23", "is answered by interim replies only", drip(ENDLESS_INFORMATION, 1)],
])("%s a request that %s is given up after 30 s, and sent again", async (_row, _name, fault) => {
  await Promise.all(
    CALLS.map(async (call) => {
      const { waits } = await expectPassedOver(call, fault, 1, call === "start" ? [DUPLICATE] : []);
      expect(waits[0]).toBe(30_000);
    }),
  );
});

test("N11 the last attempt is cut off at the deadline", async () => {
  const { error, tookMs } = await answered("status", () => undefined, { limitMs: 12_000 });
  expect(error).toBeInstanceOf(DeadlineExceededError);
  expect(tookMs).toBeGreaterThanOrEqual(12_000);
  expect(tookMs).toBeLessThan(20_000);
});

test.each<[string, string]>([
  ["one of 64 KiB", `x-large: ${"x".repeat(64 * 1024)}\r\n`],
  ["many", "x-small: 1\r\n".repeat(6_000)],
])("N17 headers that are too large, %s, are an error at once", async (_name, headers) => {
  for (const call of CALLS) {
    const { error, requests } = await answered(call, (socket) =>
      socket.end(`HTTP/1.1 200 OK\r\n${headers}\r\n{}`),
    );
    expect(error).toBeInstanceOf(MalformedResponseError);
    expect(error?.message).toContain("headers that are too large");
    expect(requests).toHaveLength(1);
  }
});

test.each(CALLS)("N20 a body without end is cut off after 1 MiB: %s", async (call) => {
  const { answer, sentBytes } = hugeBody();
  const { error, lines, requests } = await answered(call, answer);
  expect(error).toBeInstanceOf(MalformedResponseError);
  expect(error?.message).toContain("answered more than 1024 KiB");
  expect(requests).toHaveLength(1);
  expect(sentBytes()).toBeLessThan(BUFFERED_BYTES);
  expect(lines.warn).toEqual(call === "start" ? [UNKNOWN_JOB] : []);
});

test.each(CALLS)("N21 a small body that unpacks to a large one is cut off too: %s", async (call) => {
  const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, " "));
  const { error, requests } = await answered(call, (socket) =>
    socket.end(reply(200, bomb, { "content-encoding": "gzip" })),
  );
  expect(error?.message).toContain("answered more than 1024 KiB");
  expect(requests).toHaveLength(1);
});
