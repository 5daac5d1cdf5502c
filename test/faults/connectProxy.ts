import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { onTestFinished } from "vitest";
import type { Identity } from "./certificates.ts";

export interface ConnectProxy {
  /** Host and port. */
  address: string;
  /** As HTTPS_PROXY has it. */
  url: string;
  /** What each client said before it was connected. */
  heads: string[];
  /** All bytes that clients sent, as they could be read on the way. */
  seen: () => string;
}

/**
 * A plain HTTP proxy that knows CONNECT only, and of all hosts only one: what is on this machine.
 *
 * @param answer says something else than that the connection is made; the connection is then closed
 * @param identity with which it speaks TLS itself
 */
export async function connectProxy(
  answer: (head: string, number: number) => string | undefined = () => undefined,
  identity?: Identity,
): Promise<ConnectProxy> {
  const heads: string[] = [];
  const sockets = new Set<Socket>();
  let seen = "";
  const server = createServer((raw) => {
    sockets.add(raw.on("error", () => undefined));
    const client = identity ? new TLSSocket(raw, { isServer: true, ...identity }) : raw;
    client.on("error", () => undefined);
    client.on("data", (chunk: Buffer) => (seen += chunk.toString("latin1")));
    client.once("data", (chunk: Buffer) => {
      const head = chunk.toString("latin1");
      const refusal = answer(head, heads.push(head));
      if (refusal === "") return; // not a word
      if (refusal !== undefined) {
        client.end(refusal);
        return;
      }
      const service = connect(Number(/:(\d+) HTTP/.exec(head)?.[1]), "127.0.0.1", () => {
        client.write("HTTP/1.1 200 Connection established\r\n\r\n");
        client.pipe(service).pipe(client);
      });
      sockets.add(service.on("error", () => client.destroy()));
    });
  });
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { address, url: `${identity ? "https" : "http"}://${address}`, heads, seen: () => seen };
}
