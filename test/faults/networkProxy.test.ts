// The proxy of HTTPS_PROXY: a tunnel for https:, and nothing else.
import { expect, test } from "vitest";
import { proxyFor } from "../../provider/base/http/proxy.ts";
import { ConfigurationError, ConnectionError } from "../../provider/base/runtime/messages/errors.ts";
import {
  ask,
  type CallName,
  CALLS,
  type Circumstances,
  GOOD_VALUE,
  NO_LINES,
  type Outcome,
} from "./calls.ts";
import {
  identity,
  ignoringCertificates,
  SERVICE_HOST,
  SERVICE_IPV6,
  trustAuthority,
} from "./certificates.ts";
import { connectProxy } from "./connectProxy.ts";
import { BUFFERED_BYTES, endless } from "./endlessReply.ts";
import { good, refuse } from "./replies.ts";
import { freeAddress, type ScriptedServer, scriptedServer } from "./scriptedServer.ts";

/** A service whose host is in no DNS: only the proxy finds it. */
async function hiddenService(): Promise<ScriptedServer> {
  await trustAuthority();
  const server = await scriptedServer(good, { identity: await identity() });
  return { ...server, baseUrl: `https://${SERVICE_HOST}:${server.port}` };
}

function askThrough(
  proxyUrl: string,
  baseUrl: string,
  { call = "start", ...circumstances }: Circumstances & { call?: CallName } = {},
): Promise<Outcome> {
  return ask(call, baseUrl, { environment: { HTTPS_PROXY: proxyUrl }, ...circumstances });
}

test.each(CALLS)("N18 https: uses the proxy, which gets the service's host and no key: %s", async (call) => {
  const service = await hiddenService();
  const proxy = await connectProxy();
  const { value, lines } = await askThrough(proxy.url, service.baseUrl, { call });
  expect(value).toEqual(GOOD_VALUE[call]);
  expect(lines).toEqual(NO_LINES);
  const target = `${SERVICE_HOST}:${service.port}`;
  expect(proxy.requests).toEqual([
    { method: "CONNECT", path: target, headers: { host: target, connection: "close" }, body: "" },
  ]);
  expect(proxy.seen()).toContain(SERVICE_HOST); // as TLS begins
  expect(proxy.seen()).not.toMatch(/authorization|c4n4ry|static-export/i);
  expect(service.requests[0]?.headers["authorization"]).toContain("c4n4ry");
});

test("N18 name and password of the proxy are sent to the proxy, and shown in no error", async () => {
  const service = await hiddenService();
  const proxy = await connectProxy(({ headers }) =>
    headers["proxy-authorization"] === `Basic ${Buffer.from("me:p@c4n4ry").toString("base64")}`
      ? undefined
      : "HTTP/1.1 407 Proxy Authentication Required\r\n\r\n",
  );
  const through = (login: string): Promise<Outcome> =>
    askThrough(`http://${login}@${proxy.address}`, service.baseUrl);
  expect((await through("me:p%40c4n4ry")).value).toBe("job-1");
  const { error, lines } = await through("me:wrong-c4n4ry");
  expect(error).toBeInstanceOf(ConnectionError);
  expect(error?.message).toBe(
    `the proxy ${proxy.address} refused to connect to ${SERVICE_HOST}:${service.port} (status 407)`,
  );
  expect(error?.remedy).toContain("NO_PROXY");
  expect(lines).toEqual(NO_LINES);
});

test("N18 a password with a bare % is sent unchanged", async () => {
  const service = await hiddenService();
  const proxy = await connectProxy();
  const { value } = await askThrough(`http://me:100%@${proxy.address}`, service.baseUrl);
  expect(value).toBe("job-1");
  expect(proxy.requests[0]?.headers["proxy-authorization"]).toBe(
    `Basic ${Buffer.from("me:100%").toString("base64")}`,
  );
});

test("N18 a proxy that speaks TLS must have a valid certificate, too", async () => {
  const service = await hiddenService();
  const trusted = await connectProxy(undefined, await identity());
  expect((await askThrough(trusted.url, service.baseUrl)).value).toBe("job-1");
  const other = await connectProxy(undefined, await identity({ signed: false }));
  const { error } = await askThrough(other.url, service.baseUrl);
  expect(error?.message).toContain(`through the proxy ${other.address} is not trusted`);
  expect(service.requests).toHaveLength(1);
});

test.each<[string, string, string]>([
  ["does not reach the service", "HTTP/1.1 502 Bad Gateway\r\n\r\n", "(status 502)"],
  ["is silent", "", "failed through the proxy 127.0.0.1:"],
  ["speaks no HTTP", "220 mail.example ESMTP\r\n", "through the proxy 127.0.0.1:"],
  ["has no end of headers", `HTTP/1.1 200 OK\r\nx: ${"x".repeat(65_536)}`, "through the proxy 127.0.0.1:"],
])("N18 a proxy that %s is named, and a start is sent when it works again", async (_, refusal, expected) => {
  const service = await hiddenService();
  const proxy = await connectProxy((_request, number) => (number === 1 ? refusal : undefined));
  const { value, lines } = await askThrough(proxy.address, service.baseUrl);
  expect(lines.progress).toEqual([expect.stringContaining(expected)]);
  expect(value).toBe("job-1");
  expect(lines.warn).toEqual([]);
});

test("N18 a proxy that does not exist is named", async () => {
  const { host, port } = await freeAddress();
  const service = `https://${SERVICE_HOST}`;
  const { error } = await askThrough(`http://${host}:${port}`, service, { limitMs: 2_000 });
  expect(error?.message).toContain(`failed through the proxy ${host}:${port} (ECONNREFUSED)`);
  const name = `${"a".repeat(64)}.example:3128`; // longer than a name can be: no DNS request is sent
  const { error: unknown } = await askThrough(`http://${name}`, service);
  expect(unknown?.message).toBe(`host not found: ${name}`);
});

test("N18 a service and a proxy with an IPv6 address are reached", async () => {
  const service = await hiddenService();
  const proxy = await connectProxy();
  const target = `[${SERVICE_IPV6}]:${service.port}`;
  expect((await askThrough(proxy.url, `https://${target}`)).value).toBe("job-1");
  expect(proxy.requests).toMatchObject([{ method: "CONNECT", path: target }]);
  const { port } = await freeAddress();
  const { error } = await askThrough(`http://[::1]:${port}`, service.baseUrl, { limitMs: 2_000 });
  // the address is requested, whether this machine has IPv6 or not; it is not resolved as a name
  expect(error?.message).toContain(`failed through the proxy [::1]:${port} (E`);
  expect(error?.message).not.toContain("ENOTFOUND");
});

test("N05 the certificates of a proxy and of a service behind one are checked, regardless of the environment", () =>
  ignoringCertificates(async () => {
    await trustAuthority();
    const [trusted, untrusted] = [await identity(), await identity({ signed: false })];
    for (const [ofService, ofProxy] of [
      [untrusted, undefined],
      [untrusted, trusted],
      [trusted, untrusted],
    ] as const) {
      const service = await scriptedServer(refuse(400), { identity: ofService });
      const proxy = await connectProxy(undefined, ofProxy);
      const { error } = await askThrough(proxy.url, `https://${SERVICE_HOST}:${service.port}`);
      expect(error?.message).toContain(
        `the certificate of ${SERVICE_HOST}:${service.port} through the proxy ${proxy.address} is not trusted`,
      );
      expect(proxy.requests).toHaveLength(ofProxy === untrusted ? 0 : 1);
      expect(service.requests).toEqual([]);
    }
  }));

test("N05 a proxy with its own valid certificate cannot impersonate a service that is known by its address", async () => {
  await trustAuthority();
  const service = await scriptedServer(good, { identity: await identity({ host: "localhost" }) });
  const proxy = await connectProxy();
  const { error } = await askThrough(
    proxy.url.replace("127.0.0.1", "localhost"),
    `https://203.0.113.7:${service.port}`,
  );
  expect(error?.message).toContain("is not trusted (ERR_TLS_CERT_ALTNAME_INVALID)");
  expect(proxy.requests).toHaveLength(1);
  expect(service.requests).toEqual([]);
});

test("N17 endless headers of a proxy are cut off, and certainly no request was received", async () => {
  const { answer, sentBytes } = endless("HTTP/1.1 200 OK\r\n", Buffer.from("x: 1\r\n".repeat(10_000)));
  const proxy = await scriptedServer(good, {
    onConnection: (socket) => {
      answer(socket);
      return true;
    },
  });
  const { error, waits, lines } = await askThrough(proxy.baseUrl, `https://${SERVICE_HOST}`);
  expect(error?.message).toContain(`through the proxy 127.0.0.1:${proxy.port} (HPE_HEADER_OVERFLOW)`);
  expect(waits).not.toContain(10_000);
  expect(proxy.connections()).toBe(6);
  expect(sentBytes()).toBeLessThan(BUFFERED_BYTES);
  expect(lines.warn).toEqual([]);
});

test("N18 a silent proxy is given up after 10 s, or at once when the user stops", async () => {
  const stop = new AbortController();
  const closed: Promise<unknown>[] = [];
  const proxy = await scriptedServer(good, {
    onConnection: (socket, number) => {
      closed.push(new Promise((resolve) => socket.resume().once("close", resolve)));
      if (number === 2) stop.abort(new Error("stopped"));
      return true;
    },
  });
  const { error, waits, lines } = await askThrough(proxy.baseUrl, `https://${SERVICE_HOST}`, {
    call: "status",
    signal: stop.signal,
  });
  expect(waits[0]).toBe(10_000);
  expect(lines.progress).toEqual([
    expect.stringContaining(`through the proxy 127.0.0.1:${proxy.port} (not connected in time)`),
  ]);
  expect(error).toEqual(new Error("stopped"));
  await Promise.all(closed);
  expect(closed).toHaveLength(2);
});

test("N18 requests to an http: service on this machine use no proxy", async () => {
  const { url, requests } = await connectProxy();
  const server = await scriptedServer(refuse(400));
  await ask("status", server.baseUrl, { environment: { HTTPS_PROXY: url, HTTP_PROXY: url, ALL_PROXY: url } });
  expect(server.requests).toHaveLength(1);
  expect(requests).toEqual([]);
});

const BASE = "https://api.example.com";
const PROXY = "http://p.test";
test.each<[string, string, Record<string, string>]>([
  [BASE, "http://p.test:3128/", { HTTPS_PROXY: "http://p.test:3128" }],
  [BASE, "http://p.test:3128/", { HTTPS_PROXY: " p.test:3128 " }],
  [BASE, "https://p.test/", { HTTPS_PROXY: "https://p.test" }],
  [BASE, "http://lower.test/", { HTTPS_PROXY: "http://upper.test", https_proxy: "http://lower.test" }],
  [BASE, "none", {}],
  [BASE, "none", { HTTPS_PROXY: "" }],
  [BASE, "none", { HTTP_PROXY: PROXY }],
  ["http://api.example.com", "none", { HTTPS_PROXY: PROXY, HTTP_PROXY: PROXY }],
  ["https://localhost:8443", "none", { HTTPS_PROXY: PROXY }],
  ["https://127.0.0.1:8443", "none", { HTTPS_PROXY: PROXY }],
  ["https://[::1]", "none", { HTTPS_PROXY: PROXY }],
  [BASE, "none", { HTTPS_PROXY: PROXY, NO_PROXY: "*" }],
  [BASE, "none", { HTTPS_PROXY: PROXY, NO_PROXY: "api.example.com" }],
  [BASE, "none", { HTTPS_PROXY: PROXY, NO_PROXY: "example.com" }],
  [BASE, "none", { HTTPS_PROXY: PROXY, NO_PROXY: ".example.com" }],
  [BASE, "none", { HTTPS_PROXY: PROXY, NO_PROXY: "*.example.com" }],
  [BASE, "none", { HTTPS_PROXY: PROXY, NO_PROXY: "x.test, API.example.com:443" }],
  [BASE, "http://p.test/", { HTTPS_PROXY: PROXY, NO_PROXY: "" }],
  [BASE, "http://p.test/", { HTTPS_PROXY: PROXY, NO_PROXY: "," }],
  [BASE, "http://p.test/", { HTTPS_PROXY: PROXY, NO_PROXY: "xample.com" }],
  [BASE, "http://p.test/", { HTTPS_PROXY: PROXY, NO_PROXY: "api.example.com:8443" }],
  [BASE, "http://p.test/", { HTTPS_PROXY: PROXY, NO_PROXY: "pi.example.com" }],
])("N18 the proxy for %s is %s with %o", (baseUrl, proxy, environment) => {
  expect(proxyFor(baseUrl, (name) => environment[name])?.href ?? "none").toBe(proxy);
});

test.each(["socks5://me:c4n4ry@p.test", "http://me:c4n4ry@[", "::::"])(
  "N18 the proxy %# is refused before any request, without its password",
  async (url) => {
    const { error } = await askThrough(url, BASE);
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error?.message).toBe("HTTPS_PROXY is not the URL of an http(s) proxy");
  },
);
