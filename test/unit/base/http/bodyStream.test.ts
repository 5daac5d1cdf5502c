// The bytes of a body as they arrive: none is lost when the connection breaks, and few are held in memory.
import { PassThrough } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import { beforeEach, expect, test } from "vitest";
import { bodyReader } from "../../../../provider/base/http/bodyStream.ts";

const MIB = 1024 * 1024;
let body: PassThrough;
let take: ReturnType<typeof bodyReader>;

beforeEach(() => {
  body = new PassThrough({ highWaterMark: 4 * MIB });
  take = bodyReader(body);
});

const taken = async (): Promise<string | undefined> => {
  const pieces = await take();
  return pieces && Buffer.concat(pieces).toString();
};

test("bytes are taken together with all that arrived before, and then the end is reported", async () => {
  body.write("a");
  body.write("b");
  await turn();
  expect(await taken()).toBe("ab");
  const next = taken();
  body.end("c");
  expect(await next).toBe("c");
  expect(await taken()).toBeUndefined();
  expect(await taken()).toBeUndefined();
});

test("what arrived before a break is taken, and then the break is reported", async () => {
  body.write("a");
  await turn();
  body.destroy(new Error("reset"));
  await turn();
  expect(await taken()).toBe("a");
  await expect(taken()).rejects.toThrow("reset");
});

test("a connection that closes before the end of a body has lost the rest", async () => {
  const waiting = taken();
  body.destroy();
  await expect(waiting).rejects.toMatchObject({ message: "closed", code: "ECONNRESET" });
});

test("a body is paused while more than a MiB waits to be taken, and then continues", async () => {
  body.write(Buffer.alloc(MIB));
  await turn();
  expect(body.isPaused()).toBe(false);
  body.write("x");
  await turn();
  expect(body.isPaused()).toBe(true);
  await taken();
  expect(body.isPaused()).toBe(false);
  body.write("y");
  await turn();
  expect(body.isPaused()).toBe(false); // what was taken does not count any more
  body.end();
  await turn();
  body.pause();
  await taken();
  expect(body.isPaused()).toBe(true); // a body at its end is not touched
});
