import { connect, createServer, type Http2Server } from "node:http2";
import { createRequire } from "node:module";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { fileURLToPath } from "node:url";
import type * as rpc from "@pulumi/pulumi/proto/provider_pb.js";
import { Struct } from "google-protobuf/google/protobuf/struct_pb.js";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Host } from "../../../../provider/adapters/session/session.ts";

const CANCEL = "/pulumirpc.ResourceProvider/Cancel";
const process_ = process as unknown as { _getActiveHandles: unknown };
const getActiveHandles = process_._getActiveHandles;

let server: Http2Server;
let dynamicHost: Host;
let limitOfCall: (properties: object) => object | undefined;
let cancelled: number;
const onCancel = (): void => {
  cancelled++;
};

beforeEach(async () => {
  cancelled = 0;
  server = createServer((_request, response) => response.end());
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  vi.resetModules(); // the watcher is kept for the life of a process
  ({ dynamicHost, limitOfCall } = await import("../../../../provider/adapters/dynamic/dynamicHost.ts"));
});

afterEach(async () => {
  process_._getActiveHandles = getActiveHandles;
  await new Promise((done) => server.close(done));
});

/** Calls methods of the server, as the engine does; the server's own handler answers each. */
async function call(...paths: string[]): Promise<void> {
  const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  for (const path of paths) {
    await new Promise((done, fail) => {
      client.request({ ":path": path, ":method": "POST" }).on("error", fail).on("end", done).resume().end();
    });
  }
  await new Promise<void>((done) => client.close(done));
}

test("each Cancel call on the process's own HTTP/2 server is noticed, and still answered", async () => {
  dynamicHost.watchForCancel(onCancel);
  await call(CANCEL);
  expect(cancelled).toBe(1);
  await call(CANCEL, CANCEL);
  expect(cancelled).toBe(3);
});

test("other calls are not mistaken for it", async () => {
  dynamicHost.watchForCancel(onCancel);
  await call("/pulumirpc.ResourceProvider/Create", `${CANCEL}Later`, "/pulumirpc.Engine/Cancel", "/");
  expect(cancelled).toBe(0);
});

test("watching twice notices each call once, for the first watcher", async () => {
  dynamicHost.watchForCancel(onCancel);
  dynamicHost.watchForCancel(() => expect.fail("the second one is not called"));
  await call(CANCEL);
  expect(cancelled).toBe(1);
});

test("a server that listens later is found by a later watch; other servers are ignored", async () => {
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  const other = createTcpServer();
  await new Promise<void>((done) => other.listen(0, "127.0.0.1", done));
  dynamicHost.watchForCancel(onCancel);
  server = createServer((_request, response) => response.end());
  await new Promise<void>((done) => server.listen(port, "127.0.0.1", done));
  await call(CANCEL);
  expect(cancelled).toBe(0);
  dynamicHost.watchForCancel(onCancel);
  await call(CANCEL);
  expect(cancelled).toBe(1);
  await new Promise((done) => other.close(done));
});

test.each([
  ["has no such list", undefined],
  ["has an empty list", () => []],
  ["lists what is no object", () => [undefined, null, 7, "Http2Server"]],
  ["lists objects without a constructor", () => [Object.create(null) as unknown]],
  ["lists something that only looks like a server", () => [{ constructor: { name: "Http2Server" } }]],
])("a Node.js that %s disables the notice, without further effect", (_what, list) => {
  process_._getActiveHandles = list;
  dynamicHost.watchForCancel(onCancel);
  expect(cancelled).toBe(0);
});

describe("the time limit of a call", () => {
  const { argv } = process;
  beforeEach(() => {
    process.argv = [
      "node",
      fileURLToPath(import.meta.resolve("@pulumi/pulumi/cmd/dynamic-provider/index.js")),
    ];
  });
  afterEach(() => {
    process.argv = argv;
  });

  /** What the host passes to create and to update. */
  function passedOn(seconds: number): object[] {
    const { CreateRequest, UpdateRequest } = createRequire(process.argv[1] ?? "")(
      "@pulumi/pulumi/proto/provider_pb",
    ) as typeof rpc;
    const [create, update] = [new CreateRequest(), new UpdateRequest()];
    create.setProperties(Struct.fromJavaScript({ domain: "docs.example.com" }));
    create.setTimeout(seconds);
    update.setNews(Struct.fromJavaScript({ domain: "docs.example.com" }));
    update.setTimeout(seconds);
    return [create.getProperties(), update.getNews()].map((given) => given?.toJavaScript() as object);
  }

  test("is the engine's, as transforms left it, and 0 is none; the properties stay as they are", () => {
    dynamicHost.watchForCancel(onCancel);
    dynamicHost.watchForCancel(onCancel);
    expect(passedOn(2)).toEqual([{ domain: "docs.example.com" }, { domain: "docs.example.com" }]);
    expect(passedOn(2).map((given) => limitOfCall(given))).toEqual([{ limitMs: 2_000 }, { limitMs: 2_000 }]);
    expect(passedOn(0).map((given) => limitOfCall(given))).toEqual([
      { limitMs: undefined },
      { limitMs: undefined },
    ]);
  });

  test("is not known of a host without these classes", () => {
    process.argv = ["node", "/nowhere/index.js"];
    dynamicHost.watchForCancel(onCancel);
    expect(limitOfCall({ domain: "docs.example.com" })).toBeUndefined();
  });
});
