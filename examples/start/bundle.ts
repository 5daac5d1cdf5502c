import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { Readable } from "node:stream";
import Fastify from "fastify";
import fastifyStatic from "@fastify/static";
import * as tar from "tar";

/** Fetches the bundle, as an installation does on startup, and unpacks it into `folder`. */
export async function fetchBundle(bundleUrl: string, folder: string): Promise<void> {
  const response = await fetch(bundleUrl);
  if (!response.ok || !response.body) throw new Error(`the link to the bundle answered ${response.status}`);
  await mkdir(folder, { recursive: true });
  // paths outside of the folder and links are refused by the package itself
  const unpack = tar.extract({ cwd: folder, strict: true });
  Readable.fromWeb(response.body).pipe(unpack);
  await once(unpack, "close");
}

/** Serves the files of a folder on this machine. */
export async function serveFolder(folder: string): Promise<{ url: string; close: () => Promise<void> }> {
  const server = Fastify({ forceCloseConnections: true });
  await server.register(fastifyStatic, { root: folder });
  const url = await server.listen({ host: "127.0.0.1", port: 0 });
  return { url: `${url}/`, close: () => server.close() };
}
