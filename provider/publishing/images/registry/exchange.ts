import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import tls from "node:tls";
import { attempt, type HttpReply, type HttpRequest, type NetworkContext } from "../../../base/http/attempt";
import { proxyFor } from "../../../base/http/proxy";
import type { FailedAttempt } from "../../../base/http/retryPolicy";
import { DestinationError } from "../../../base/runtime/messages/errors";

/** What requests to a registry need from the outside. */
export interface RegistryContext extends NetworkContext {
  /** Environment variables, for credentials and proxies: read again for every use. */
  readonly environment: (name: string) => string | undefined;
}

/** A request to a registry or to its token service. */
export interface RegistryRequest extends Pick<HttpRequest, "method" | "headers"> {
  readonly url: URL;
  /** Created again for each attempt. */
  readonly body?: (() => AsyncIterable<Uint8Array> | Buffer) | undefined;
}

/** How long a connection may be silent, in milliseconds: a registry may process an upload for a long time before it responds. */
const SILENCE_LIMIT_MS = 2 * 60_000;
/**
 * Maximum size of a text that is read, in bytes: manifests may have 4 MiB, see «Pushing Manifests» in the distribution
 * specification.
 */
const MAX_TEXT_BYTES = 4 * 1024 * 1024;

/**
 * Sends a request once, and reads its reply.
 *
 * @throws what `read` throws; ConfigurationError for an invalid proxy address; the signal's reason
 */
export async function exchange<T>(
  { method, url, headers, body }: RegistryRequest,
  context: RegistryContext,
  read: (reply: HttpReply) => Promise<T>,
): Promise<{ value: T } | FailedAttempt> {
  const { environment } = context;
  const { href, host, origin, pathname } = url;
  const outcome = await attempt(
    { url: href, host, name: `${method} ${origin}${pathname}` }, // without its query, which may be a credential
    { method, headers: { "accept-encoding": "identity", ...headers }, body: body?.() },
    context,
    {
      silenceMs: SILENCE_LIMIT_MS,
      proxy: proxyFor(href, environment),
      authorities: await authoritiesFor(host, environment),
    },
    read,
  );
  return "fault" in outcome ? unconnected(outcome, url) : outcome;
}

/** The failure of a connection, with a remedy for registries. */
export function unconnected({ fault, error }: FailedAttempt, { host }: URL): FailedAttempt {
  let remedy = "Check the network, the repository's host, and that the registry is up.";
  if (fault.kind === "untrusted") {
    remedy =
      `Make the authority of ${host} known: put it as a .crt file into /etc/docker/certs.d/${host}, or name it with ` +
      "NODE_EXTRA_CA_CERTS. The check cannot be switched off.";
  } else if (fault.kind === "refusedByProxy") {
    remedy = `Check HTTPS_PROXY, or name ${host} in NO_PROXY if it is reached without the proxy.`;
  } else if (error.remedy.includes("HTTPS_PROXY")) {
    remedy = error.remedy;
  } else if ("code" in fault && /^(EPROTO|ERR_SSL_)/.test(fault.code)) {
    remedy = `If ${host} has no TLS, set \`plainHttp\`.`;
  }
  return { fault, error: new DestinationError(error.message, remedy) };
}

/** Reads the whole body of a reply. @throws DestinationError for a body that is too large */
export async function wholeBody(reply: HttpReply, limit: number = MAX_TEXT_BYTES): Promise<Buffer> {
  const bytes = await reply.beginning(limit);
  if (bytes.length <= limit) return bytes;
  throw new DestinationError(
    `the registry answered with more than ${limit / 1024 / 1024} MiB instead of a manifest`,
    "Check the name of the image.",
  );
}

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
