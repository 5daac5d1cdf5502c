import { writeFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { generate } from "selfsigned";
import type { TestContext } from "vitest";
import { scratchFolder } from "./systems.ts";

/** The first byte of a connection with TLS. */
const HANDSHAKE = 0x16;

/** A proxy with TLS before a registry that does not know of it: the addresses that the registry names begin with http:. */
export interface TlsProxy {
  readonly host: string;
  /** A file with its certificate. */
  readonly certificate: string;
  /** How many connections had no TLS. */
  readonly inTheClear: () => number;
}

/** Until the test ends. */
export async function startTlsProxy(context: TestContext, registry: string): Promise<TlsProxy> {
  const { private: key, cert } = await generate([{ name: "commonName", value: "registry" }], {
    keyType: "ec",
    algorithm: "sha256",
    extensions: [{ name: "subjectAltName", altNames: [{ type: 7, ip: "127.0.0.1" }] }],
  });
  const certificate = join(scratchFolder(context), "cert.pem");
  writeFileSync(certificate, cert);
  const https = createHttpsServer({ key, cert }, (request, response) => {
    const onward = httpRequest(`http://${registry}${request.url ?? ""}`, {
      method: request.method,
      headers: request.headers, // the host, too
      agent: false,
    });
    onward.on("error", () => response.destroy());
    onward.on("response", (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    request.pipe(onward);
  });
  let clear = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
    socket.once("readable", () => {
      const first = socket.read() as Buffer | null;
      if (first === null) return;
      if (first[0] !== HANDSHAKE) {
        clear++;
        socket.end("HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n");
        return;
      }
      socket.unshift(first);
      https.emit("connection", socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  context.onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { host, certificate, inTheClear: () => clear };
}
