import { mkdir, rm, writeFile } from "node:fs/promises";
import Fastify from "fastify";
import fastifyStatic from "@fastify/static";
import * as tar from "tar";

/**
 * Fetches the bundle, as an installation does on startup, and unpacks it into `folder`.
 *
 * @throws with a sentence for the user, without the link, whose query gives access to anybody
 */
export async function fetchBundle(bundleUrl: string, folder: string): Promise<void> {
  const archive = `${folder}.tar.gz`;
  try {
    await download(bundleUrl, archive);
    await mkdir(folder, { recursive: true });
    // the package itself refuses paths outside of the folder, and links
    await tar.extract({ file: archive, cwd: folder, strict: true }).catch((error: unknown) => {
      throw new Error(`the bundle cannot be unpacked: ${(error as Error).message}`, { cause: error });
    });
  } finally {
    await rm(archive, { force: true });
  }
}

async function download(url: string, file: string): Promise<void> {
  try {
    const response = await fetch(url);
    if (!response.ok || !response.body) throw new Error(`the link answered ${response.status}`);
    await writeFile(file, response.body);
  } catch (error) {
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
