// One attempt at a request: what is sent, which silence ends it, and what a cancelled run still waits for.
import { once } from "node:events";
import type { Agent } from "node:https";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { PassThrough, Readable } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import { Headers, type RequestInit, type Response } from "node-fetch";
import { beforeEach, describe, expect, test } from "vitest";
import {
  attempt,
  type AttemptOptions,
  type HttpReply,
  type HttpRequest,
} from "../../../../provider/base/http/attempt.ts";
import { KeptConnections } from "../../../../provider/base/http/attemptConnection.ts";
import type { FailedAttempt } from "../../../../provider/base/http/retryPolicy.ts";
import { Secrets } from "../../../../provider/base/runtime/messages/secrets.ts";
import { startDeadline } from "../../../../provider/base/runtime/time/clock.ts";
import { recordingReporter } from "../../../simulation/recordingReporter.ts";
import { VirtualClock } from "../../../simulation/virtualClock.ts";

const ENDPOINT = { url: "https://api.example.com/v1", host: "api.example.com", name: "GET the thing" };
const SILENCE_MS = 1_000;

let clock: VirtualClock;
let stop: AbortController;
let sent: RequestInit | undefined;
/** The answer's body: what is written to it arrives. */
let body: PassThrough;
/** When the answer's head arrives; never, unless a test says when. */
let answer: (head: Response) => void;

beforeEach(() => {
  clock = new VirtualClock();
  stop = new AbortController();
  sent = undefined;
  body = new PassThrough();
});

/** Sends a request; without `read`, its whole content is read. */
function send<T = string>(
  request: Partial<HttpRequest> = {},
  options: Partial<AttemptOptions> = {},
  read: (reply: HttpReply) => Promise<T> = textOf as never,
  limitMs = 60_000,
): Promise<{ value: T } | FailedAttempt> {
  const fetch = (_url: string, init: RequestInit): Promise<Response> => {
    sent = init;
    return new Promise((resolve, reject) => {
      answer = resolve;
      const aborted = Object.assign(new Error("The operation was aborted."), { name: "AbortError" });
      const onAbort = (): void => {
        reject(aborted);
        if (body.listenerCount("error") > 0) body.destroy(aborted); // its head has arrived
      };
      init.signal?.addEventListener("abort", onAbort);
    });
  };
  const context = {
    fetch,
    clock,
    reporter: recordingReporter(),
    secrets: new Secrets(),
    signal: stop.signal,
    deadline: startDeadline(clock, limitMs),
  };
  return attempt(
    ENDPOINT,
    { method: "GET", headers: {}, ...request },
    context,
    { silenceMs: SILENCE_MS, ...options },
    read,
  );
}

const head = (status = 200): Response =>
  ({ status, headers: new Headers({ "x-a": "1" }), body }) as unknown as Response;

async function textOf(reply: HttpReply): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of reply.content()) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

/** Lets time pass, with a turn of the event loop before and after. */
async function pass(ms: number): Promise<void> {
  await turn();
  clock.advance(ms);
  await turn();
  await turn();
}

/** Whether a failure was the end of the time for it. */
const TIMED_OUT = { fault: { kind: "interrupted", code: "no answer in time" } };

describe("what is sent", () => {
  test("is the request, without redirects and with the package's name", async () => {
    const attempted = send({ method: "POST", headers: { accept: "text/plain" }, body: "{}" });
    await turn();
    expect(sent).toMatchObject({
      method: "POST",
      headers: { "user-agent": "pulumi-docs-hosting", accept: "text/plain" },
      body: "{}",
      compress: true,
      redirect: "manual",
    });
    answer(head(202));
    body.end("done");
    expect(await attempted).toEqual({ value: "done" });
  });

  test("has no body where there is none, and asks for the bytes as they are", async () => {
    const attempted = send({ isRaw: true });
    await turn();
    expect(sent).toMatchObject({ compress: false });
    expect(sent).not.toHaveProperty("body");
    answer(head());
    body.end();
    await attempted;
  });

  test("is bytes as they are, and a stream of bytes piece by piece", async () => {
    const bytes = Buffer.from("abc");
    const whole = send({ method: "PUT", body: bytes });
    await turn();
    expect(sent?.body).toBe(bytes);
    answer(head());
    body.end();
    await whole;

    body = new PassThrough();
    const streamed = send({ method: "PUT", body: Readable.from([Buffer.from("a"), Buffer.from("bc")]) });
    await turn();
    const stream = sent?.body as Readable;
    expect(stream.readableObjectMode).toBe(false); // its high-water mark counts bytes
    expect(Buffer.concat(await stream.toArray()).toString()).toBe("abc");
    answer(head());
    body.end();
    await streamed;
  });
});

describe("an attempt ends", () => {
  test("not while a streamed body is taken", async () => {
    const source = new PassThrough();
    const attempted = send({ method: "PUT", body: source });
    await turn();
    const taken = (sent?.body as Readable).resume();
    for (let piece = 0; piece < 5; piece++) {
      source.write("x");
      await pass(SILENCE_MS - 1);
    }
    expect(taken.destroyed).toBe(false);
    answer(head());
    body.end("whole");
    expect(await attempted).toEqual({ value: "whole" });
  });

  test("not while the answer keeps arriving, and after a silence in it", async () => {
    const attempted = send();
    await turn();
    answer(head());
    for (let piece = 0; piece < 5; piece++) {
      await pass(SILENCE_MS - 1);
      body.write("x");
    }
    await pass(SILENCE_MS);
    expect(await attempted).toMatchObject(TIMED_OUT);
  });

  test("not while a piece is being used, however long that takes", async () => {
    const pieces: string[] = [];
    const attempted = send({}, {}, async (reply) => {
      for await (const piece of reply.content()) {
        await new Promise<void>((done) => clock.after(10 * SILENCE_MS, done));
        pieces.push(Buffer.from(piece).toString());
      }
    });
    await turn();
    answer(head());
    body.write("a");
    await pass(0);
    await pass(10 * SILENCE_MS);
    expect(pieces).toEqual(["a"]);
    body.end("b");
    await pass(0);
    await pass(10 * SILENCE_MS);
    expect(await attempted).toEqual({ value: undefined });
    expect(pieces).toEqual(["a", "b"]);
  });

  test("after a silence from the head on, where only the beginning of an answer is read", async () => {
    const attempted = send({}, {}, (reply) => reply.beginning(100));
    await turn();
    answer(head());
    for (let piece = 0; piece < 3; piece++) {
      await pass(SILENCE_MS / 2 - 1);
      body.write("x");
    }
    expect(await attempted).toMatchObject(TIMED_OUT);
  });

  test("at the deadline, even while bytes arrive", async () => {
    const attempted = send({}, {}, undefined, 2_500);
    await turn();
    answer(head());
    for (let piece = 0; piece < 3; piece++) {
      await pass(900);
      body.write("x");
    }
    expect(await attempted).toMatchObject(TIMED_OUT);
    expect(clock.monotonic()).toBe(2_700);
  });

  test("with the error of what reads it", async () => {
    const mistake = new Error("a mistake", { cause: { code: "ECONNRESET" } });
    const attempted = send({}, {}, () => Promise.reject(mistake));
    await turn();
    answer(head());
    await expect(attempted).rejects.toBe(mistake);
  });
});

describe("the beginning of an answer", () => {
  test("is the whole of one that is not longer", async () => {
    const attempted = send({}, {}, async (reply) => {
      const { status, headers } = reply;
      return { status, header: headers.get("x-a"), text: String(await reply.beginning(4)) };
    });
    await turn();
    answer(head(206));
    for (const piece of ["ab", "cd"]) {
      body.write(piece);
      await pass(0);
    }
    body.end();
    expect(await attempted).toEqual({ value: { status: 206, header: "1", text: "abcd" } });
  });

  test("is as much as shows that it is longer", async () => {
    const attempted = send({}, {}, async (reply) => String(await reply.beginning(3)));
    await turn();
    answer(head());
    for (const piece of ["abc", "d", "ef"]) {
      body.write(piece);
      await pass(0);
    }
    expect(await attempted).toEqual({ value: "abcd" });
  });
});

describe("a kept connection", () => {
  const BEGINNING = (reply: HttpReply): Promise<unknown> => reply.beginning(2);
  const BODY = { method: "PUT", body: Readable.from([Buffer.from("x")]) } as const;

  test.each([
    ["the whole answer was read", {}, 404, "whole", textOf],
    ["its beginning was the whole answer", {}, 200, "ab", BEGINNING],
    ["the answer has no content", {}, 304, "", textOf],
    ["the body was accepted", BODY, 399, "whole", textOf],
  ])("is used for the next request where %s", async (_, request, status, text, read) => {
    expect(await isUsedAgain(request, status, text, read)).toBe(true);
  });

  test.each([
    ["the answer was not read", {}, 200, "whole", () => Promise.resolve()],
    ["only the beginning of the answer was read", {}, 200, "abc", BEGINNING],
    ["the body was refused, perhaps before it was sent in full", BODY, 400, "whole", textOf],
  ])("is not used again where %s", async (_, request, status, text, read) => {
    expect(await isUsedAgain(request, status, text, read)).toBe(false);
  });

  test("is not used again after it failed", async () => {
    const kept = new KeptConnections(ENDPOINT.url, clock);
    const attempted = send({}, { kept });
    await pass(SILENCE_MS);
    expect(await attempted).toMatchObject(TIMED_OUT);
    const { agent } = sent ?? {};
    await answered(kept);
    expect(sent?.agent).not.toBe(agent);
  });

  async function isUsedAgain(
    request: Partial<HttpRequest>,
    status: number,
    text: string,
    read: (reply: HttpReply) => Promise<unknown>,
  ): Promise<boolean> {
    const kept = new KeptConnections(ENDPOINT.url, clock);
    await answered(kept, request, status, text, read);
    const { agent } = sent ?? {};
    await answered(kept);
    return sent?.agent === agent;
  }

  async function answered(
    kept: KeptConnections,
    request: Partial<HttpRequest> = {},
    status = 200,
    text = "",
    read: (reply: HttpReply) => Promise<unknown> = textOf,
  ): Promise<void> {
    body = new PassThrough();
    const attempted = send(request, { kept }, read);
    await turn();
    answer(head(status));
    body.end(text);
    expect(await attempted).toHaveProperty("value");
  }
});

describe("a cancelled run", () => {
  const REASON = new Error("the run was cancelled");

  test("sends no further request", async () => {
    stop.abort(REASON);
    await expect(send({}, { graceMs: 300 })).rejects.toBe(REASON);
    expect(sent).toBeUndefined();
  });

  test("waits for an answer for as long as a request is granted, which the answer says", async () => {
    const attempted = send({}, { graceMs: 300 });
    await turn();
    stop.abort(REASON);
    await pass(299);
    answer(head());
    body.end("late");
    expect(await attempted).toEqual({ value: "late" });
    expect(clock.pending).toBe(0);
  });

  test("and no longer than that", async () => {
    const attempted = send({}, { graceMs: 300 });
    await turn();
    stop.abort(REASON);
    const ended = expect(attempted).rejects.toBe(REASON);
    await pass(300);
    await ended;
  });
});

test("an attempt that ends while it connects closes the connection", async (context) => {
  const server = createServer().listen(0, "127.0.0.1"); // takes the connection, but speaks no TLS
  context.onTestFinished(() => void server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const attempted = send();
  await turn();
  const agent = sent?.agent as Agent;
  const socket = agent.createConnection({ host: "127.0.0.1", port }) as Socket;
  socket.on("error", () => undefined);
  expect(socket.destroyed).toBe(false);
  stop.abort(new Error("the run was cancelled"));
  await expect(attempted).rejects.toThrow("the run was cancelled");
  expect(socket.destroyed).toBe(true);
});
