// The spans that the engine names in its calls: on a real HTTP/2 server, with the real messages of Pulumi's protocol.
import { createRequire } from "node:module";
import { connect, createServer, type Http2Server } from "node:http2";
import type { AddressInfo } from "node:net";
import type * as Messages from "@pulumi/pulumi/proto/provider_pb.js";
import { afterEach, beforeEach, expect, test } from "vitest";
import { CallerSpans } from "../../../provider/door/callerSpans.ts";
import { URN } from "../../simulation/testContext.ts";

const require = createRequire(import.meta.url);
const messages = require("@pulumi/pulumi/proto/provider_pb.js") as typeof Messages;
const { Struct } = require("google-protobuf/google/protobuf/struct_pb.js") as {
  Struct: { fromJavaScript(value: object): Parameters<Messages.CreateRequest["setProperties"]>[0] };
};
const { argv } = process;
const SPAN = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
const OTHER = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b8-01";

let server: Http2Server;
let callers: CallerSpans;
/** What the host has read of each call, for the host's own reading must not suffer. */
let hosted: Buffer[];
/** How many read each call: the host, and we. */
let readers: number[];

beforeEach(async () => {
  process.argv = [argv[0] ?? "", require.resolve("@pulumi/pulumi/cmd/dynamic-provider"), "127.0.0.1:1"];
  hosted = [];
  readers = [];
  server = createServer();
  server.on("stream", (stream) => {
    const chunks: Buffer[] = [];
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.on("end", () => {
      hosted.push(Buffer.concat(chunks));
      readers.push(stream.listenerCount("data"));
      stream.respond();
      stream.end();
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  callers = new CallerSpans();
});

afterEach(async () => {
  process.argv = argv;
  await new Promise((done) => server.close(done));
});

/** A message as gRPC sends it. */
function framed(message: { serializeBinary(): Uint8Array }): Buffer {
  const bytes = message.serializeBinary();
  const head = Buffer.alloc(5);
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}

function createRequest(urn: string, text = "small"): Buffer {
  const request = new messages.CreateRequest();
  request.setUrn(urn);
  request.setProperties(Struct.fromJavaScript({ text }));
  return framed(request);
}

/** Calls a method as the engine does. @param pieces what is sent, one after the other */
async function call(method: string, traceparent: string | undefined, ...pieces: Buffer[]): Promise<void> {
  const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const stream = client.request({
    ":path": method.startsWith("/") ? method : `/pulumirpc.ResourceProvider/${method}`,
    ":method": "POST",
    ...(traceparent !== undefined && { traceparent }),
  });
  const ended = new Promise((done, fail) => stream.on("error", fail).on("end", done).resume());
  for (const piece of pieces) await new Promise((done) => stream.write(piece, done));
  stream.end();
  await ended;
  await new Promise<void>((done) => client.close(done));
}

test("the span of an operation is given out once, for its own resource", async () => {
  callers.listen();
  await call("Create", SPAN, createRequest(URN));
  expect(callers.take(`${URN}-other`)).toBeUndefined();
  expect(callers.take(URN)).toBe(SPAN);
  expect(callers.take(URN)).toBeUndefined();
});

test.each(["Create", "Read", "Update", "Delete"] as const)("%s has it", async (method) => {
  callers.listen();
  const request = new messages[`${method}Request`]();
  request.setUrn(URN);
  await call(method, SPAN, framed(request));
  expect(callers.take(URN)).toBe(SPAN);
});

test("a message that arrives in pieces, its head too, is read as a whole, by the host as well", async () => {
  callers.listen();
  const message = createRequest(URN, "long".repeat(50_000));
  await call("Create", SPAN, message.subarray(0, 2), message.subarray(2, 9), message.subarray(9));
  expect(callers.take(URN)).toBe(SPAN);
  expect(hosted).toEqual([message]);
  expect(readers).toEqual([2]);
});

test("of two calls the last one counts", async () => {
  callers.listen();
  await call("Create", SPAN, createRequest(URN));
  await call("Update", OTHER, framed(new messages.UpdateRequest().setUrn(URN)));
  expect(callers.take(URN)).toBe(OTHER);
});

test("listening twice changes nothing; a server that comes later is found by listening again", async () => {
  callers.listen();
  callers.listen();
  expect(server.listenerCount("stream")).toBe(2); // the host's own, and one of ours
  await new Promise((done) => server.close(done));
  server = createServer((_request, response) => response.end());
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  callers.listen();
  await call("Create", SPAN, createRequest(URN));
  expect(callers.take(URN)).toBe(SPAN);
});

test.each([
  ["without a span", "Create", undefined, () => createRequest(URN)],
  ["that is no operation", "Check", SPAN, () => framed(new messages.CheckRequest().setUrn(URN))],
  ["with another path", "CreateLater", SPAN, () => createRequest(URN)],
  ["of another service", "/other/pulumirpc.ResourceProvider/Create", SPAN, () => createRequest(URN)],
] as const)("a call %s is not even read", async (_what, method, traceparent, message) => {
  callers.listen();
  await call(method, traceparent, message());
  expect(callers.take(URN)).toBeUndefined();
  expect(hosted).toEqual([message()]);
  expect(readers).toEqual([1]);
});

test.each([
  ["with a message that cannot be read", "Create", SPAN, () => Buffer.from([0, 0, 0, 0, 1, 255])],
  ["with half a message", "Create", SPAN, () => createRequest(URN).subarray(0, -1)],
] as const)("a call %s is passed over", async (_what, method, traceparent, message) => {
  callers.listen();
  await call(method, traceparent, message());
  expect(callers.take(URN)).toBeUndefined();
  expect(hosted).toEqual([message()]);
});

test("where the host's messages are not to be had, there is no span", async () => {
  process.argv = [argv[0] ?? "", "/nowhere/at/all.js"];
  callers.listen();
  await call("Create", SPAN, createRequest(URN));
  expect(callers.take(URN)).toBeUndefined();
});
