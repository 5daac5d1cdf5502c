import { connect, createServer, type Http2Server } from "node:http2";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

const CANCEL = "/pulumirpc.ResourceProvider/Cancel";
const process_ = process as unknown as { _getActiveHandles: unknown };
const getActiveHandles = process_._getActiveHandles;

let server: Http2Server;
let watchForCancel: (onCancel: () => void) => void;
let cancelled: number;
const onCancel = (): void => {
  cancelled++;
};

beforeEach(async () => {
  cancelled = 0;
  server = createServer((_request, response) => response.end());
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  vi.resetModules(); // the watcher is kept for the life of a process
  ({ watchForCancel } = await import("../../../../provider/adapters/dynamic/dynamicHost.ts"));
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
  watchForCancel(onCancel);
  await call(CANCEL);
  expect(cancelled).toBe(1);
  await call(CANCEL, CANCEL);
  expect(cancelled).toBe(3);
});

test("other calls are not mistaken for it", async () => {
  watchForCancel(onCancel);
  await call("/pulumirpc.ResourceProvider/Create", `${CANCEL}Later`, "/pulumirpc.Engine/Cancel", "/");
  expect(cancelled).toBe(0);
});

test("watching twice notices each call once, for the first watcher", async () => {
  watchForCancel(onCancel);
  watchForCancel(() => expect.fail("the second one is not called"));
  await call(CANCEL);
  expect(cancelled).toBe(1);
});

test("a server that listens later is found by a later watch; other servers are ignored", async () => {
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  const other = createTcpServer();
  await new Promise<void>((done) => other.listen(0, "127.0.0.1", done));
  watchForCancel(onCancel);
  server = createServer((_request, response) => response.end());
  await new Promise<void>((done) => server.listen(port, "127.0.0.1", done));
  await call(CANCEL);
  expect(cancelled).toBe(0);
  watchForCancel(onCancel);
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
  watchForCancel(onCancel);
  expect(cancelled).toBe(0);
});
