import type { Retries } from "../../http/retries";
import type { FailedAttempt } from "../../http/retryPolicy";
import { isLoopback } from "../../http/address";
import { exchange, type RegistryContext } from "./exchange";
import { unconnected } from "./failedRequest";

/** Docker's registry has another host for its API than for its images' names. */
const API_HOSTS: Readonly<Record<string, string>> = { "docker.io": "registry-1.docker.io" };
/** What a server with TLS answers to a request without it, unless it closes the connection. */
const BAD_REQUEST = 400;

/**
 * Finds the root of a registry's API: `https://registry.internal`.
 *
 * @param host in the images' names
 * @param isPlain the registry has no TLS; for a registry on this machine, requests detect whether it has
 * @param retries of these requests
 * @throws DestinationError if a registry on this machine does not answer; DeadlineExceededError; the signal's reason
 */
export async function findApiRoot(
  host: string,
  isPlain: boolean,
  context: RegistryContext,
  retries: Retries,
): Promise<string> {
  const secure = `https://${API_HOSTS[host] ?? host}`;
  const plain = `http://${host}`;
  if (isPlain) return plain;
  if (!isLoopback(new URL(secure).hostname)) return secure;
  // on this machine both are common, as docker assumes, too
  for (;;) {
    const overTls = await statusOf(secure, context);
    if (typeof overTls === "number" || overTls.fault.kind === "untrusted") return secure;
    // a failed connection does not show that the registry has no TLS: it may be busy
    const withoutTls = await statusOf(plain, context);
    if (typeof withoutTls === "number" && withoutTls !== BAD_REQUEST) return plain;
    await retries.pause(unconnected(overTls, new URL(secure)));
  }
}

/** The status with which a registry answers at the root of its API. */
async function statusOf(root: string, context: RegistryContext): Promise<number | FailedAttempt> {
  const request = { method: "GET", url: new URL("/v2/", root), headers: {} } as const;
  const answer = await exchange(request, context, ({ status }) => Promise.resolve(status));
  return "fault" in answer ? answer : answer.value;
}
