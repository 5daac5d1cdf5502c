import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { watchEngineAt } from "../../../../provider/adapters/session/session.ts";
import { PATIENTLY } from "../../../simulation/patience.ts";

test("an engine that no longer listens is reported once; one that only closes a connection is not", async () => {
  const connections: Socket[] = [];
  const engine = createServer((connection) => {
    connections.push(connection);
    connection.on("error", () => undefined);
    connection.end(); // as an idle server does
  });
  await new Promise<void>((done) => engine.listen(0, "127.0.0.1", done));
  const gone = vi.fn();
  const address = `127.0.0.1:${(engine.address() as AddressInfo).port}`;
  watchEngineAt(address, gone);
  await vi.waitFor(() => expect(connections.length).toBeGreaterThan(1), PATIENTLY);
  expect(gone).not.toHaveBeenCalled();
  engine.close();
  await vi.waitFor(() => expect(gone).toHaveBeenCalledTimes(1), PATIENTLY);
});

test("an address that never had a listener is not watched, and its refusal does not count as an end", async () => {
  const nobody = createServer();
  await new Promise<void>((done) => nobody.listen(0, "127.0.0.1", done));
  const { port } = nobody.address() as AddressInfo;
  await new Promise((done) => nobody.close(done));
  const gone = vi.fn();
  watchEngineAt(`127.0.0.1:${port}`, gone);
  // a connection that is refused later shows that this one was refused
  const other = connect({ host: "127.0.0.1", port });
  await new Promise<void>((done) => other.on("error", () => undefined).on("close", () => done()));
  await new Promise((done) => setImmediate(done));
  expect(gone).not.toHaveBeenCalled();
});

test("the engine that a process served before is not watched any more", async () => {
  let ended = 0;
  const engine = createServer((connection) => {
    connection.on("error", () => undefined).on("close", () => ended++);
    process.argv = ["node", "another", "127.0.0.1:2"];
    connection.end();
    engine.close();
  });
  await new Promise<void>((done) => engine.listen(0, "127.0.0.1", done));
  const { argv } = process;
  onTestFinished(() => void (process.argv = argv));
  const address = `127.0.0.1:${(engine.address() as AddressInfo).port}`;
  const timers = vi.spyOn(globalThis, "setTimeout");
  watchEngineAt(address, () => expect.fail("gone"));
  await vi.waitFor(() => expect(ended).toBe(1), PATIENTLY);
  expect(timers.mock.calls.filter(([, ms]) => ms === 500)).toEqual([]);
  timers.mockRestore();
});

test.each(["", "no address", "127.0.0.1:0", "127.0.0.1:65536", "host:1.5"])(
  "an invalid address is not watched: %j",
  (address) => {
    expect(() => watchEngineAt(address, () => expect.fail("gone"))).not.toThrow();
  },
);
