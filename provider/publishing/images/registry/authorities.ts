import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import tls from "node:tls";

/** Folders with one folder per registry, whose `*.crt` files are trusted authorities for it, see containers-certs.d(5). */
const FOLDERS = ["/etc/containers/certs.d", "/etc/docker/certs.d"];

/**
 * The trusted authorities for a registry: those of this machine and of NODE_EXTRA_CA_CERTS, and those configured for this
 * registry.
 *
 * @returns undefined when none are configured for it: then Node.js uses its defaults
 */
export async function authoritiesFor(
  host: string,
  environment: (name: string) => string | undefined,
): Promise<string[] | undefined> {
  const home = environment("HOME");
  const folders = home ? [join(home, ".config/containers/certs.d"), ...FOLDERS] : FOLDERS;
  const own = (await Promise.all(folders.map((folder) => certificatesIn(join(folder, host))))).flat();
  if (own.length === 0) return undefined;
  // before Node.js 22.15 there is no API for the defaults
  const known = (tls as Partial<typeof tls>).getCACertificates?.("default") ?? tls.rootCertificates;
  return [...known, ...own];
}

async function certificatesIn(folder: string): Promise<string[]> {
  try {
    const names = (await readdir(folder)).filter((name) => name.endsWith(".crt")).sort();
    return await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
  } catch {
    return []; // no readable folder: no additional authorities
  }
}
