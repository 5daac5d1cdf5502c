import { connect } from "node:net";
import type { Identity } from "./certificates.ts";
import { type RawRequest, scriptedServer } from "./scriptedServer.ts";

export interface ConnectProxy {
  /** Host and port. */
  address: string;
  /** As HTTPS_PROXY has it. */
  url: string;
  /** The request of each client before it was connected. */
  requests: RawRequest[];
  /** All bytes that clients sent after that, as readable on the way. */
  seen: () => string;
}

/**
 * A plain HTTP proxy with CONNECT only, and only to one host, which is on this machine.
 *
 * @param answer another reply than that the connection is made; the connection is then closed
 * @param identity with which it speaks TLS itself
 */
export async function connectProxy(
  answer: (request: RawRequest, number: number) => string | undefined = () => undefined,
  identity?: Identity,
): Promise<ConnectProxy> {
  let seen = "";
  const { baseUrl, port, requests } = await scriptedServer((client, request, number) => {
    const refusal = answer(request, number);
    if (refusal === "") return; // no reply
    if (refusal !== undefined) {
      client.end(refusal);
      return;
    }
    client.on("data", (chunk: Buffer) => (seen += chunk.toString("latin1")));
    const service = connect(Number(request.path.split(":").at(-1)), "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      client.pipe(service).pipe(client);
    });
    service.on("error", () => client.destroy());
    client.once("close", () => service.destroy());
  }, identity && { identity });
  return { address: `127.0.0.1:${port}`, url: baseUrl, requests, seen: () => seen };
}
