// The memory that hostile replies take. The server that sends them is in this process, too, and needs next to none.
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { ask, CALLS } from "../calls.ts";
import { endless, hugeBody } from "../endlessReply.ts";
import { type Answer, scriptedServer } from "../scriptedServer.ts";

/** More than uncollected garbage, less than any of these replies. */
const LIMIT_BYTES = 100 * 1024 ** 2;

/** Members of a gzip stream can follow one another: 64 MiB each. */
const MEMBER = gzipSync(Buffer.alloc(64 * 1024 ** 2, " "));

test.each<[string, string, Answer]>([
  // first: its garbage is that of millions of small objects, which the heap after large replies would have to grow for again
  [
    "H23",
    "interim replies without end",
    endless("", Buffer.from("HTTP/1.1 103 Early Hints\r\n\r\n".repeat(100))).answer,
  ],
  ["N20", "a body of 100 GB", hugeBody().answer],
  [
    "N21",
    "a gzip bomb of 1 GB",
    (socket) => {
      socket.write(
        `HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${16 * MEMBER.length}\r\n\r\n`,
      );
      for (let member = 0; member < 16; member++) socket.write(MEMBER);
    },
  ],
  [
    "N17",
    "headers without end",
    endless("HTTP/1.1 200 OK\r\n", Buffer.from("x-more: 1\r\n".repeat(1_000))).answer,
  ],
])("%s %s takes hardly any memory", async (_row, _name, answer) => {
  const { baseUrl } = await scriptedServer(answer);
  await ask("status", baseUrl, { limitMs: 5_000 }); // code that is loaded and compiled the first time
  const before = process.memoryUsage.rss();
  let most = before;
  const watch = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 5);
  for (let round = 0; round < 5; round++) {
    for (const call of CALLS) {
      expect((await ask(call, baseUrl, { limitMs: 5_000 })).error).toBeInstanceOf(Error);
    }
  }
  clearInterval(watch);
  expect(most - before).toBeLessThan(LIMIT_BYTES);
});
