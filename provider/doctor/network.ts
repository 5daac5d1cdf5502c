import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import type { Duplex } from "node:stream";
import { type ConnectionOptions, TLSSocket } from "node:tls";
import { AttemptConnection } from "../http/attemptConnection";
import { connectionFailure } from "../http/connectionFailure";
import { proxyFor } from "../http/proxy";
import type { Clock } from "../time/clock";
import { failure, failureOf, ok, warning, type Finding } from "./finding";
import type { DoctorHost } from "./host";

const DAY_MS = 86_400_000;
/** A certificate that ends sooner is a warning, in days. */
const SHORT_LIFE_DAYS = 14;

/** The connection to the service. */
export interface NetworkResult {
  readonly findings: readonly Finding[];
  /** Whether a connection was made. */
  readonly isReachable: boolean;
}

/** Checks each step of a request's connection: proxy, DNS, connection, TLS. It sends no request. */
export async function checkNetwork(baseUrl: string, host: DoctorHost): Promise<NetworkResult> {
  const url = new URL(baseUrl);
  const findings: Finding[] = [];
  const ended = (...last: Finding[]): NetworkResult => ({
    findings: [...findings, ...last],
    isReachable: false,
  });

  let proxy: URL | undefined;
  try {
    proxy = proxyFor(baseUrl, host.environment);
  } catch (error) {
    return ended(failureOf("proxy", error));
  }
  findings.push(
    ok(
      "proxy",
      proxy ? `requests to the service go through ${proxy.host}` : "the service is reached without a proxy",
    ),
  );
  if (proxy === undefined) {
    const dns = await dnsFinding(url, host);
    findings.push(dns);
    if (dns.status === "failure") return { findings, isReachable: false };
  }
  findings.push(...authorityFindings(host));

  const name = url.protocol === "https:" ? "tls" : "connection";
  try {
    const socket = await connect(url, proxy, host.clock);
    const finding =
      socket instanceof TLSSocket
        ? certificateFinding(url, socket, host.clock)
        : ok(name, `connected to ${url.host}`);
    socket.destroy();
    findings.push(finding);
    return { findings, isReachable: true };
  } catch (error) {
    const last = error instanceof Unconnected ? error.finding(name) : failureOf(name, error);
    // each check has one result
    return { findings: [...findings.filter(({ check }) => check !== last.check), last], isReachable: false };
  }
}

async function dnsFinding({ hostname }: URL, { lookup, clock }: DoctorHost): Promise<Finding> {
  const plain = hostname.replace(/^\[|\]$/g, "");
  if (isIP(plain) !== 0) return ok("dns", `${plain} is an address`);
  const found = await new Promise<{ addresses: string[]; code?: string }>((resolve) => {
    const stop = clock.after(LOOKUP_LIMIT_MS, () => resolve({ addresses: [], code: "no answer in time" }));
    lookup(plain, { all: true }, (error, addresses) => {
      stop();
      if (error) resolve({ addresses: [], code: error.code ?? "failed" });
      else resolve({ addresses: addresses.map(({ address }) => address) });
    });
  });
  if (found.addresses.length > 0) return ok("dns", `${plain} is ${found.addresses.join(", ")}`);
  return failure(
    "dns",
    `${plain} has no address (${found.code ?? "empty answer"})`,
    "Check the host in the base URL, and the DNS server of this machine (/etc/resolv.conf). Where only a proxy reaches the internet, set HTTPS_PROXY.",
  );
}

/** Time limit of a DNS answer, in milliseconds. */
const LOOKUP_LIMIT_MS = 10_000;

/** Node.js ignores a file that it cannot read, with a warning that Pulumi does not show. */
function authorityFindings({ environment }: DoctorHost): Finding[] {
  const file = environment("NODE_EXTRA_CA_CERTS") ?? "";
  if (file === "") return [];
  try {
    if (!readFileSync(file, "utf8").includes("-----BEGIN CERTIFICATE-----")) {
      return [
        warning("authorities", `${file} of NODE_EXTRA_CA_CERTS holds no certificate in PEM`, PEM_REMEDY),
      ];
    }
    return [ok("authorities", `the certificates in ${file} are trusted, too (NODE_EXTRA_CA_CERTS)`)];
  } catch (error) {
    const { code = "unreadable" } = error as NodeJS.ErrnoException;
    return [warning("authorities", `${file} of NODE_EXTRA_CA_CERTS cannot be read (${code})`, PEM_REMEDY)];
  }
}

const PEM_REMEDY = "Name a file with the certificates of your authorities in PEM, or unset the variable.";

/** A connection that could not be made. */
class Unconnected extends Error {
  readonly #code: string;
  readonly #failed: ReturnType<typeof connectionFailure>;

  constructor(code: string, failed: ReturnType<typeof connectionFailure>) {
    super("unconnected");
    this.#code = code;
    this.#failed = failed;
  }

  finding(check: string): Finding {
    const { fault, error } = this.#failed;
    const isProxy = fault.kind === "refusedByProxy" || error.message.includes(" through the proxy ");
    return failure(isProxy ? "proxy" : check, error.message, remedyFor(this.#code) ?? error.remedy);
  }
}

/** A remedy that is more precise than that of a failed request. */
function remedyFor(code: string): string | undefined {
  switch (code) {
    case "CERT_HAS_EXPIRED":
      return "Renew the certificate of the service. If it is valid elsewhere, the clock of this machine is wrong.";
    case "CERT_NOT_YET_VALID":
      return "Set the clock of this machine: by this clock, the certificate is not valid yet.";
    case "ERR_TLS_CERT_ALTNAME_INVALID":
      return "Write the base URL with a host name that the certificate contains.";
    case "DEPTH_ZERO_SELF_SIGNED_CERT":
    case "SELF_SIGNED_CERT_IN_CHAIN":
    case "UNABLE_TO_GET_ISSUER_CERT":
    case "UNABLE_TO_GET_ISSUER_CERT_LOCALLY":
    case "UNABLE_TO_VERIFY_LEAF_SIGNATURE":
      return (
        "Set NODE_EXTRA_CA_CERTS to a file with the certificate of the authority in PEM, for `pulumi up`, too. " +
        "If the service has a public certificate, a proxy replaces it: use the certificate of the proxy's authority."
      );
    default:
      return /^(EPROTO|ERR_SSL_)/.test(code)
        ? "This port does not speak TLS. Check the port in the base URL; for a service without TLS on this machine, write http:."
        : undefined;
  }
}

/** Connects as an attempt of a request does. @throws Unconnected */
async function connect(url: URL, proxy: URL | undefined, clock: Clock): Promise<Duplex> {
  const connection = new AttemptConnection(url.href, clock, { proxy });
  const isSecure = url.protocol === "https:";
  const hostname = url.hostname.replace(/^\[|\]$/g, "");
  const options: ConnectionOptions = {
    host: hostname,
    port: Number(url.port) || (isSecure ? 443 : 80),
    // as the agent of a request adds them
    ...(isSecure && { rejectUnauthorized: true, servername: isIP(hostname) === 0 ? hostname : "" }),
  };
  try {
    return await new Promise<Duplex>((resolve, reject) => {
      const follow = (socket: Duplex): void => {
        socket.once(isSecure ? "secureConnect" : "connect", () => resolve(socket));
        socket.once("error", reject);
        socket.once("close", () => reject(new Error("closed")));
      };
      const made = connection.agent.createConnection(options, (error, socket) => {
        if (error) reject(error);
        else follow(socket);
      });
      if (made) follow(made);
    });
  } catch (error) {
    const { code = "connection failed" } = error as NodeJS.ErrnoException;
    const endpoint = { url: url.href, host: url.host, name: `a connection to ${url.host}` };
    throw new Unconnected(code, connectionFailure(endpoint, error, connection));
  }
}

function certificateFinding({ host }: URL, socket: TLSSocket, clock: Clock): Finding {
  const { valid_to: validTo, issuer } = socket.getPeerCertificate();
  const endsAtMs = Date.parse(validTo);
  const by = issuer.O ?? issuer.CN ?? "an unknown authority";
  const end = Number.isNaN(endsAtMs) ? "" : `, valid until ${new Date(endsAtMs).toISOString().slice(0, 10)}`;
  const message = `${socket.getProtocol() ?? "TLS"} with ${host}, certificate by ${Array.isArray(by) ? by.join(" ") : by}${end}`;
  return endsAtMs - clock.now() < SHORT_LIFE_DAYS * DAY_MS
    ? warning("tls", message, "Renew the certificate of the service.")
    : ok("tls", message);
}
