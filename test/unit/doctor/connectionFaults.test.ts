// Faults between the machine and the service.
import { join } from "node:path";
import { expect, test } from "vitest";
import { identity, trustAuthority } from "../../faults/certificates.ts";
import { connectProxy } from "../../faults/connectProxy.ts";
import { freeAddress, scriptedServer } from "../../faults/scriptedServer.ts";
import { FasterClock } from "../../simulation/fasterClock.ts";
import { examined, healthyMachine, type Machine, problemsOf, write } from "./examined.ts";
import { replies, testFaults } from "./faults.ts";

/** An address of the service with TLS. */
async function overTls(machine: Machine, options: Parameters<typeof identity>[0]): Promise<void> {
  const server = await scriptedServer(replies("404 Not Found"), { identity: await identity(options) });
  machine.environment["DOCS_HOSTING_BASE_URL"] = server.baseUrl;
}

testFaults([
  [
    "a wrong port",
    async ({ environment }) => {
      const { host, port } = await freeAddress();
      environment["DOCS_HOSTING_BASE_URL"] = `http://${host}:${port}`;
      return undefined;
    },
    { check: "connection", message: "ECONNREFUSED", remedy: "Nothing listens at 127." },
  ],
  [
    "a port without TLS",
    ({ environment, service }) =>
      void (environment["DOCS_HOSTING_BASE_URL"] = service.url.replace("http:", "https:")),
    { check: "tls", message: "failed", remedy: "does not speak TLS" },
  ],
  [
    "a host that DNS does not know",
    (machine) => {
      machine.environment["DOCS_HOSTING_BASE_URL"] = "https://api.docs-host.test";
      machine.host.lookup = (_host, _options, callback) =>
        callback(Object.assign(new Error("unknown"), { code: "ENOTFOUND" }), []);
      return undefined;
    },
    {
      check: "dns",
      message: "api.docs-host.test has no address (ENOTFOUND)",
      remedy: "Check the host in the base URL",
    },
  ],
  [
    "a proxy that refuses",
    async ({ environment }) => {
      environment["DOCS_HOSTING_BASE_URL"] = "https://api.docs-host.test";
      const proxy = await connectProxy(() => "HTTP/1.1 403 Forbidden\r\n\r\n");
      environment["HTTPS_PROXY"] = proxy.url.replace("//", "//me:c4n4ry@");
      return undefined;
    },
    {
      check: "proxy",
      message: /the proxy 127\.0\.0\.1:\d+ refused to connect to api\.docs-host\.test \(status 403\)/,
      remedy: "Check HTTPS_PROXY",
    },
  ],
  [
    "a proxy of another protocol",
    ({ environment }) => {
      environment["DOCS_HOSTING_BASE_URL"] = "https://api.docs-host.test";
      environment["HTTPS_PROXY"] = "socks5://127.0.0.1:1080";
      return undefined;
    },
    { check: "proxy", message: "HTTPS_PROXY is not the URL of an http(s) proxy", remedy: "NO_PROXY" },
  ],
  [
    "an expired certificate",
    async (machine) => {
      await trustAuthority();
      await overTls(machine, { days: -1 });
      return undefined;
    },
    { check: "tls", message: "is not trusted (CERT_HAS_EXPIRED)", remedy: "Renew the certificate" },
  ],
  [
    "a certificate that ends soon",
    async (machine) => {
      await trustAuthority();
      await overTls(machine, { days: 3 });
      return undefined;
    },
    {
      check: "tls",
      status: "warning",
      message: /certificate by Authority of the tests, valid until \d{4}-/,
      remedy: "Renew the certificate",
    },
  ],
  [
    "a certificate of an own authority",
    async (machine) => {
      await overTls(machine, { signed: false });
      return undefined;
    },
    { check: "tls", message: "is not trusted", remedy: "NODE_EXTRA_CA_CERTS to a file" },
  ],
  [
    "a certificate for another host",
    async (machine) => {
      await trustAuthority();
      await overTls(machine, { host: "other.docs-host.test" });
      return undefined;
    },
    {
      check: "tls",
      message: "ERR_TLS_CERT_ALTNAME_INVALID",
      remedy: "a host name that the certificate contains",
    },
  ],
  [
    "a file of authorities that is missing",
    ({ environment, folder }) => void (environment["NODE_EXTRA_CA_CERTS"] = join(folder, "ca.pem")),
    {
      check: "authorities",
      status: "warning",
      message: /ca\.pem of NODE_EXTRA_CA_CERTS cannot be read \(ENOENT\)/,
      remedy: "in PEM",
    },
  ],
  [
    "a file of authorities that is none",
    ({ environment, folder }) =>
      void (environment["NODE_EXTRA_CA_CERTS"] = write(join(folder, "ca.pem"), "DER")),
    { check: "authorities", status: "warning", message: "holds no certificate in PEM", remedy: "in PEM" },
  ],
  [
    "a service that is down",
    ({ service, host }) => {
      host.clock = new FasterClock(50);
      service.intercept(() => ({ status: 503, body: { error: "maintenance" } }));
      return undefined;
    },
    { check: "key-accepted", message: "answered 503: maintenance", remedy: "try again later" },
  ],
]);

test.each([10, -10])(
  "a clock that is %i min off is a failure that says in which direction",
  async (minutes) => {
    const machine = await healthyMachine({ now: () => Date.now() - minutes * 60_000 });
    const [problem, ...others] = problemsOf(await examined(machine));
    expect(others).toEqual([]);
    expect(problem).toMatchObject({
      check: "clock",
      status: "failure",
      message: expect.stringMatching(
        minutes > 0 ? /(10m|9m 59s).* ahead of/ : /(10m|9m 5\ds).* behind/,
      ) as unknown,
      remedy: expect.stringContaining("NTP") as unknown,
    });
  },
);

test("a clock that is a minute off is a warning", async () => {
  const machine = await healthyMachine({ now: () => Date.now() - 60_500 });
  expect(problemsOf(await examined(machine))).toMatchObject([{ check: "clock", status: "warning" }]);
});
