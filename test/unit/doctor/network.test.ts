// Each step of a connection; connectionFaults.test.ts has whole examinations.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../../provider/base/runtime/time/clock.ts";
import { failure, type Finding, ok } from "../../../provider/doctor/finding.ts";
import type { DoctorHost } from "../../../provider/doctor/host.ts";
import { checkNetwork } from "../../../provider/doctor/network.ts";
import { identity, trustAuthority } from "../../faults/certificates.ts";
import { connectProxy } from "../../faults/connectProxy.ts";
import { freeAddress, scriptedServer } from "../../faults/scriptedServer.ts";
import { VirtualClock } from "../../simulation/virtualClock.ts";
import { bareHost } from "./host.ts";

interface Given extends Partial<DoctorHost> {
  readonly variables?: Readonly<Record<string, string>>;
}
const check = (baseUrl: string, { variables = {}, ...host }: Given = {}): Promise<Finding[]> =>
  checkNetwork(baseUrl, bareHost({ clock: systemClock, environment: (name) => variables[name], ...host }));
/** A DNS server's answer. */
const answering =
  (error: Error | null, ...addresses: string[]): DoctorHost["lookup"] =>
  (_host, _options, callback) =>
    callback(
      error,
      addresses.map((address) => ({ address, family: 4 })),
    );
const WITHOUT_PROXY = ok("proxy", "the service is reached without a proxy");

test("each step of a connection is a finding: proxy, name, connection", async () => {
  const { port } = await scriptedServer(() => undefined);
  expect(await check(`http://127.0.0.1:${port}`)).toEqual([
    WITHOUT_PROXY,
    ok("dns", "127.0.0.1 is an address"),
    ok("connection", `connected to 127.0.0.1:${port}`),
  ]);
  const lookup = answering(null, "192.0.2.1", "192.0.2.2");
  expect(await check(`http://localhost:${port}`, { lookup })).toContainEqual(
    ok("dns", "localhost is 192.0.2.1, 192.0.2.2"),
  );
});

test("an address of version 6 needs no DNS", async () => {
  const { port } = await freeAddress();
  const [, dns] = await check(`http://[::1]:${port}`);
  expect(dns).toEqual(ok("dns", "::1 is an address"));
});

test("a DNS server that does not answer is waited for ten seconds", async () => {
  const clock = new VirtualClock();
  const checked = check("https://api.docs-host.test", { clock, lookup: () => undefined });
  clock.advance(9_999);
  expect(await Promise.race([checked, Promise.resolve("waiting")])).toBe("waiting");
  clock.advance(1);
  expect((await checked).at(-1)?.message).toBe("api.docs-host.test has no address (no answer in time)");
});

test("a file of authorities is trusted, too; an empty variable names none", async () => {
  const folder = mkdtempSync(join(tmpdir(), "network-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const { port } = await scriptedServer(() => undefined);
  const file = join(folder, "ca.pem");
  writeFileSync(file, (await identity()).cert);
  const found = await check(`http://127.0.0.1:${port}`, { variables: { NODE_EXTRA_CA_CERTS: file } });
  expect(found.map(({ check: name }) => name)).toEqual(["proxy", "dns", "authorities", "connection"]);
  expect(found[2]).toEqual(
    ok("authorities", `the certificates in ${file} are trusted, too (NODE_EXTRA_CA_CERTS)`),
  );
  expect(await check(`http://127.0.0.1:${port}`, { variables: { NODE_EXTRA_CA_CERTS: "" } })).toHaveLength(3);
});

test.each([
  [13, "warning"],
  [15, "ok"],
])("a certificate that ends in %i days: %s", async (days, status) => {
  await trustAuthority();
  const { baseUrl, port } = await scriptedServer(() => undefined, { identity: await identity({ days }) });
  const tls = (await check(baseUrl)).at(-1);
  const end = new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  expect(tls).toMatchObject({
    check: "tls",
    status,
    message: `TLSv1.3 with 127.0.0.1:${port}, certificate by Authority of the tests, valid until ${end}`,
  });
});

test("a proxy is asked for the port of https: if the base URL has none, and looks up the name", async () => {
  const proxy = await connectProxy(() => "HTTP/1.1 502 Bad Gateway\r\n\r\n");
  const found = await check("https://api.docs-host.test", { variables: { HTTPS_PROXY: proxy.url } });
  expect(proxy.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
    "CONNECT api.docs-host.test:443",
  ]);
  // one result for each check
  expect(found).toEqual([
    failure(
      "proxy",
      `the proxy ${proxy.address} refused to connect to api.docs-host.test (status 502)`,
      "Check HTTPS_PROXY, or name the service's host in NO_PROXY if it is reached without the proxy.",
    ),
  ]);
});
