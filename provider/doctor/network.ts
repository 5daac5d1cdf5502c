import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import type { Duplex } from "node:stream";
import { type ConnectionOptions, TLSSocket } from "node:tls";
import { AttemptConnection, connectionFailure } from "../base/http/attemptConnection";
import { proxyFor } from "../base/http/proxy";
import { isFileContent } from "../base/runtime/files/fileVariables";
import type { Clock } from "../base/runtime/time/clock";
import { failure, failureOf, type Finding, ok, warning } from "./finding";
import type { DoctorHost } from "./host";

const DAY_MS = 86_400_000;
/** A certificate that ends sooner is a warning, in days. */
const SHORT_LIFE_DAYS = 14;

/** Checks each step of a request's connection: proxy, DNS, connection, TLS. A failure ends them. It sends no request. */
export async function checkNetwork(baseUrl: string, host: DoctorHost): Promise<Finding[]> {
  const url = new URL(baseUrl);
  let proxy: URL | undefined;
  try {
    proxy = proxyFor(baseUrl, host.environment);
  } catch (error) {
    return [failureOf("proxy", error)];
  }
  const findings = [
    ok(
      "proxy",
      proxy ? `requests to the service go through ${proxy.host}` : "the service is reached without a proxy",
    ),
  ];
  if (proxy === undefined) {
    const dns = await dnsFinding(url, host);
    findings.push(dns);
    if (dns.status === "failure") return findings;
  }
  findings.push(...authorityFindings(host));
  const connection = await connectionFinding(url, proxy, host.clock);
  // each check has one result
  return [...findings.filter(({ check }) => check !== connection.check), connection];
}

async function dnsFinding({ hostname }: URL, { lookup, clock }: DoctorHost): Promise<Finding> {
  const plain = hostname.replace(/^\[|\]$/g, "");
  if (isIP(plain) !== 0) return ok("dns", `${plain} is an address`);
  const remedy =
    "Check the host in the base URL, and the DNS server of this machine (/etc/resolv.conf). Where only a proxy reaches the internet, set HTTPS_PROXY.";
  return new Promise((resolve) => {
    const fail = (why: string): void => resolve(failure("dns", `${plain} has no address (${why})`, remedy));
    const stop = clock.after(LOOKUP_LIMIT_MS, () => fail("no answer in time"));
    lookup(plain, { all: true }, (error, addresses) => {
      stop();
      if (error) fail(error.code ?? "failed");
      else if (addresses.length === 0) fail("empty answer");
      else resolve(ok("dns", `${plain} is ${addresses.map(({ address }) => address).join(", ")}`));
    });
  });
}

/** Time limit of a DNS reply, in milliseconds. */
const LOOKUP_LIMIT_MS = 10_000;

/** Node.js ignores a file that it cannot read, with a warning that Pulumi does not show. */
function authorityFindings({ environment }: DoctorHost): Finding[] {
  const file = environment("NODE_EXTRA_CA_CERTS") ?? "";
  if (file === "") return [];
  const remedy = "Name a file with the certificates of your authorities in PEM, or unset the variable.";
  if (isFileContent(file)) {
    return [
      warning(
        "authorities",
        "NODE_EXTRA_CA_CERTS contains a certificate or a key, not a file's name",
        remedy,
      ),
    ];
  }
  let problem = "holds no certificate in PEM";
  try {
    if (readFileSync(file, "utf8").includes("-----BEGIN CERTIFICATE-----")) {
      return [ok("authorities", `the certificates in ${file} are trusted, too (NODE_EXTRA_CA_CERTS)`)];
    }
  } catch (error) {
    problem = `cannot be read (${(error as NodeJS.ErrnoException).code ?? "unreadable"})`;
  }
  return [warning("authorities", `${file} of NODE_EXTRA_CA_CERTS ${problem}`, remedy)];
}

/** Remedies that are more precise than those of a failed request, by the error code of a connection. */
const REMEDIES: readonly (readonly [code: RegExp, remedy: string])[] = [
  [
    /CERT_HAS_EXPIRED/,
    "Renew the certificate of the service. If it is valid elsewhere, the clock of this machine is wrong.",
  ],
  [/CERT_NOT_YET_VALID/, "Set the clock of this machine: by this clock, the certificate is not valid yet."],
  [/ERR_TLS_CERT_ALTNAME_INVALID/, "Write the base URL with a host name that the certificate contains."],
  [
    /SELF_SIGNED_CERT|UNABLE_TO_GET_ISSUER_CERT|UNABLE_TO_VERIFY_LEAF_SIGNATURE/,
    "Set NODE_EXTRA_CA_CERTS to a file with the certificate of the authority in PEM, for `pulumi up`, too. " +
      "If the service has a public certificate, a proxy replaces it: use the certificate of the proxy's authority.",
  ],
  [
    /EPROTO|ERR_SSL_/,
    "This port does not speak TLS. Check the port in the base URL; for a service without TLS on this machine, write http:.",
  ],
];

async function connectionFinding(url: URL, proxy: URL | undefined, clock: Clock): Promise<Finding> {
  const check = url.protocol === "https:" ? "tls" : "connection";
  const connection = new AttemptConnection(url.href, clock, { proxy });
  let socket: Duplex;
  try {
    socket = await connect(url, connection);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const endpoint = { url: url.href, host: url.host, name: `a connection to ${url.host}` };
    const { fault, error: failed } = connectionFailure(endpoint, error, connection);
    const isProxy = fault.kind === "refusedByProxy" || failed.message.includes(" through the proxy ");
    const remedy = REMEDIES.find(([pattern]) => pattern.test(String(code)))?.[1] ?? failed.remedy;
    return failure(isProxy ? "proxy" : check, failed.message, remedy);
  }
  const finding =
    socket instanceof TLSSocket
      ? certificateFinding(url, socket, clock)
      : ok(check, `connected to ${url.host}`);
  socket.destroy();
  return finding;
}

/** Connects as an attempt of a request does. */
function connect(url: URL, { agent }: AttemptConnection): Promise<Duplex> {
  const isSecure = url.protocol === "https:";
  const hostname = url.hostname.replace(/^\[|\]$/g, "");
  const options: ConnectionOptions = {
    host: hostname,
    port: Number(url.port) || (isSecure ? 443 : 80),
    // as the agent of a request adds them
    ...(isSecure && { rejectUnauthorized: true, servername: isIP(hostname) === 0 ? hostname : "" }),
  };
  return new Promise((resolve, reject) => {
    const follow = (socket: Duplex): void => {
      socket.once(isSecure ? "secureConnect" : "connect", () => resolve(socket));
      socket.once("error", reject);
      socket.once("close", () => reject(new Error("closed")));
    };
    const made = agent.createConnection(options, (error, socket) => {
      if (error) reject(error);
      else follow(socket);
    });
    if (made) follow(made);
  });
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
