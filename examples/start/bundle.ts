import { rm, writeFile } from "node:fs/promises";
import fastifyStatic from "@fastify/static";
import Fastify from "fastify";

/**
 * Fetches the bundle, as an installation does on startup.
 *
 * @param archive the file to write
 * @throws with a sentence for the user, without the link, whose query gives access to anybody
 */
export async function downloadBundle(bundleUrl: string, archive: string): Promise<void> {
  try {
    const response = await fetch(bundleUrl);
    if (!response.ok || !response.body) throw new Error(`the link answered ${response.status}`);
    await writeFile(archive, response.body);
  } catch (error) {
    await rm(archive, { force: true });
    const { message, cause } = error as Error;
    const reason = cause instanceof Error ? `${message}: ${cause.message}` : message;
    throw new Error(`the download of the bundle broke off (${reason})`, { cause: error });
  }
}

/** Serves the files of a folder on this machine. */
export async function serveFolder(folder: string): Promise<{ url: string; close: () => Promise<void> }> {
  const server = Fastify({ forceCloseConnections: true });
  await server.register(fastifyStatic, { root: folder });
  const url = await server.listen({ host: "127.0.0.1", port: 0 });
  return { url: `${url}/`, close: () => server.close() };
}
