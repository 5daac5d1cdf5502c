// A registry on this machine with the packed package, so that `npm install` runs as for a user. For all other packages it
// redirects npm to the registry that npm is configured to use here.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import Fastify from "fastify";

const MANIFEST = join(import.meta.dirname, "../../package.json");

export interface Registry {
  url: string;
  /** The packed package. */
  tarball: string;
  close(): Promise<void>;
}

/** @param isPublished whether the registry has the package, which it will once a release is there */
export async function startRegistry(tarball: string, isPublished: boolean): Promise<Registry> {
  const { stdout } = await promisify(execFile)("npm", ["config", "get", "registry"]);
  const others = stdout.trim().replace(/\/$/, "");
  const manifest = JSON.parse(readFileSync(MANIFEST, "utf8")) as { name: string; version: string };
  const { name, version } = manifest;
  const content = readFileSync(tarball);
  const path = `/${name}/-/${basename(tarball)}`;

  const server = Fastify({ forceCloseConnections: true });
  server.get(`/${name}`, (_request, reply) => {
    if (!isPublished) return reply.code(404).send({ error: "Not found" });
    const integrity = `sha512-${createHash("sha512").update(content).digest("base64")}`;
    const published = { ...manifest, dist: { integrity, tarball: url + path } };
    return { name, "dist-tags": { latest: version }, versions: { [version]: published } };
  });
  server.get(path, (_request, reply) => reply.type("application/octet-stream").send(content));
  server.setNotFoundHandler(({ raw }, reply) => reply.redirect(others + (raw.url ?? ""), 307));
  const url = await server.listen({ host: "127.0.0.1", port: 0 });
  return { url, tarball, close: () => server.close() };
}
