import { isLoopback } from "../http/loopback";
import { exchange, type RegistryContext } from "./exchange";

/** Docker's own registry is at another host than its images are named by. */
const API_HOSTS: Readonly<Record<string, string>> = { "docker.io": "registry-1.docker.io" };

/**
 * Where a registry's API is: `https://registry.internal`.
 *
 * @param host by which images are named
 * @param isPlain the registry has no TLS; one on this machine is asked whether it has
 * @throws the signal's reason
 */
export async function findApiRoot(host: string, isPlain: boolean, context: RegistryContext): Promise<string> {
  const secure = `https://${API_HOSTS[host] ?? host}`;
  const plain = `http://${host}`;
  if (isPlain) return plain;
  if (!isLoopback(new URL(secure).hostname)) return secure;
  // on this machine either is normal, as it is to docker
  const answer = await exchange({ method: "GET", url: new URL("/v2/", secure), headers: {} }, context, () =>
    Promise.resolve(true),
  );
  return "fault" in answer && answer.fault.kind !== "untrusted" ? plain : secure;
}
