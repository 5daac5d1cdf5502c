import type { FailedAttempt } from "../../../base/http/retryPolicy";
import { DestinationError } from "../../../base/runtime/messages/errors";

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
