import { isLoopback } from "../http/loopback";
import { exchange, type RegistryContext } from "./exchange";

/** Docker's registry has another host for its API than for its images' names. */
const API_HOSTS: Readonly<Record<string, string>> = { "docker.io": "registry-1.docker.io" };

/**
 * Finds the root of a registry's API: `https://registry.internal`.
 *
 * @param host in the images' names
 * @param isPlain the registry has no TLS; for a registry on this machine, a request detects whether it has
 * @throws the signal's reason
 */
export async function findApiRoot(host: string, isPlain: boolean, context: RegistryContext): Promise<string> {
  const secure = `https://${API_HOSTS[host] ?? host}`;
  const plain = `http://${host}`;
  if (isPlain) return plain;
  if (!isLoopback(new URL(secure).hostname)) return secure;
  // on this machine both are common, as docker assumes, too
  const answer = await exchange({ method: "GET", url: new URL("/v2/", secure), headers: {} }, context, () =>
    Promise.resolve(true),
  );
  return "fault" in answer && answer.fault.kind !== "untrusted" ? plain : secure;
}
