import type { AttemptConnection } from "./attemptConnection";
import type { Endpoint } from "./endpoint";
import { ConnectionError } from "../runtime/messages/errors";
import type { FailedAttempt } from "./failedAttempt";
import { malformed } from "./malformed";
import type { Fault } from "./retryPolicy";

/** Error codes of Node.js that mean that no connection was made. */
const UNREACHABLE = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EADDRNOTAVAIL",
]);

/**
 * The failure of an attempt without a complete answer.
 *
 * @param error node-fetch's error; its text is not shown because it may contain anything
 */
export function connectionFailure(
  endpoint: Endpoint,
  error: unknown,
  { state, proxyHost, refusedByProxy }: AttemptConnection,
): FailedAttempt {
  const { name, code: rawCode } = error as { name?: string; code?: string };
  const code = name === "AbortError" ? "no answer in time" : (rawCode ?? "connection failed");
  // until the connection is ready, the proxy may be the cause
  const proxy = state === "connecting" ? proxyHost : undefined;
  const through = proxy === undefined ? "" : ` through the proxy ${proxy}`;
  const lost = (fault: Fault, message: string, remedy: string): FailedAttempt => ({
    fault,
    error: new ConnectionError(message, remedy),
  });
  const unusable = (kind: "oversized" | "notHttp" | "malformed", what: string): FailedAttempt => ({
    fault: { kind },
    error: malformed(endpoint.name, what, "Check that the base URL is that of the service."),
  });

  if (refusedByProxy !== undefined) {
    return lost(
      { kind: "refusedByProxy", status: refusedByProxy },
      `the proxy ${proxyHost ?? ""} refused to connect to ${endpoint.host} (status ${refusedByProxy})`,
      proxyRemedy(refusedByProxy, new URL(endpoint.url).hostname),
    );
  }
  if (/CERT|ISSUER|SIGNATURE/.test(code) && !code.startsWith("ERR_SSL_")) {
    return lost(
      { kind: "untrusted", code },
      `the certificate of ${endpoint.host}${through} is not trusted (${code})`,
      "Fix the certificate, or make its authority known with NODE_EXTRA_CA_CERTS. The check cannot be switched off.",
    );
  }
  const unseen = state === "unused" ? UNREACHABLE.has(code) : state === "connecting";
  if (!unseen) {
    if (code === "HPE_HEADER_OVERFLOW") return unusable("oversized", "headers that are too large");
    if (code.startsWith("HPE_")) return unusable("notHttp", `with unusable HTTP (${code})`);
    if (code.startsWith("Z_"))
      return unusable("malformed", `with a body that cannot be decompressed (${code})`);
  }
  return lost(
    { kind: unseen ? "unreachable" : "interrupted", code },
    code === "ENOTFOUND"
      ? `host not found: ${proxy ?? endpoint.host}`
      : `${endpoint.name} failed${through} (${code})`,
    unconnectedRemedy(code, endpoint, proxy),
  );
}

function unconnectedRemedy(code: string, { host, url }: Endpoint, proxy: string | undefined): string {
  if (proxy !== undefined) {
    return `Check HTTPS_PROXY (${proxy}), that this is a proxy and up, and the network. ${excepted(new URL(url).hostname)}`;
  }
  return code === "ECONNREFUSED"
    ? `Is the service started? Nothing listens at ${host}: check that address, too.`
    : "Check the network, the base URL, and that the service is up.";
}

const excepted = (host: string): string => `If ${host} is reached without the proxy, name it in NO_PROXY.`;

/** @param status with which the proxy answered the request for a tunnel (CONNECT) */
function proxyRemedy(status: number, host: string): string {
  switch (status) {
    case 407:
      return `The proxy wants a login: write HTTPS_PROXY as http://USER:PASSWORD@HOST:PORT. ${excepted(host)}`;
    case 405:
    case 501:
      return `Check HTTPS_PROXY: what answers there opens no tunnel (CONNECT), so it is no proxy for https. ${excepted(host)}`;
    default:
      return "Check HTTPS_PROXY, or name the service's host in NO_PROXY if it is reached without the proxy.";
  }
}
