import { once } from "node:events";
import { connect } from "node:net";
import { Worker } from "node:worker_threads";
import { onTestFinished } from "vitest";

/**
 * A port whose connections the system does not accept: the thread that listens on it is blocked and its queue is full, so that
 * further SYNs are dropped.
 *
 * @returns the port, and a function that lets the thread answer every request with the same reply
 */
export async function unansweringServer(reply: Buffer): Promise<{ port: number; wake: () => void }> {
  const flag = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(
    `const net = require("node:net");
     const { parentPort, workerData: { flag, reply } } = require("node:worker_threads");
     const server = net.createServer((socket) => socket.on("error", () => {}).once("data", () => socket.end(reply)));
     server.listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => {
       parentPort.postMessage(server.address().port);
       setImmediate(() => Atomics.wait(flag, 0, 0));
     });`,
    { eval: true, workerData: { flag, reply } },
  );
  onTestFinished(async () => {
    await worker.terminate();
  });
  const port = await new Promise<number>((resolve) => worker.once("message", resolve));
  // as many as its queue takes, see listen(2): one more than its backlog
  for (let place = 0; place < 2; place++) {
    const socket = connect(port, "127.0.0.1").on("error", () => undefined);
    onTestFinished(() => {
      socket.destroy();
    });
    await once(socket, "connect");
  }
  const wake = (): void => {
    Atomics.store(flag, 0, 1);
    Atomics.notify(flag, 0);
  };
  return { port, wake };
}
