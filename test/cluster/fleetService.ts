// The reference service for the pods of a fleet: by TLS, as required over a network, at an address behind which it can go down
// and come back.
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer, type TLSSocket } from "node:tls";
import { generate } from "selfsigned";
import type { TestContext } from "vitest";
import { type ReferenceService, startReferenceService } from "../../examples/reference-service/index.ts";
import { startsOf } from "../stack/requests.ts";
import { CANARY_KEY, hostAddress } from "./installation.ts";

export interface FleetServiceOptions {
  domains: readonly string[];
  jobDurationMs: number | (() => number);
  linkLifetimeMs: number;
}

export interface FleetService {
  url: string;
  /** The certificate authority for the pods, PEM. */
  certificate: string;
  service: ReferenceService;
  /** Its clock, in milliseconds since 1970. */
  now: () => number;
  /** Puts it forward. */
  passTime: (ms: number) => void;
  /** Those of these domains whose running job has been polled. */
  polledOf(domains: readonly string[]): string[];
  /** The number of jobs that were started for each domain. */
  starts: () => Record<string, number>;
  /** Answers no request for a link until the returned function is called: no run with a link to create or renew ends. */
  holdLinks: () => () => void;
  /** Answers every request with 503, as gateways do whose service is down, until the returned function is called. */
  goDown: () => () => void;
}

/** Until the test ends. */
export async function startFleetService(
  context: Pick<TestContext, "onTestFinished">,
  { domains, ...options }: FleetServiceOptions,
): Promise<FleetService> {
  const site = await mkdtemp(join(tmpdir(), "fleet-site-"));
  await writeFile(join(site, "index.md"), "# Welcome\n");
  const host = hostAddress();
  const { private: key, cert } = await generate([{ name: "commonName", value: "docs-host" }], {
    keyType: "ec",
    algorithm: "sha256",
    extensions: [{ name: "subjectAltName", altNames: [{ type: 7, ip: host }] }],
  });
  const clients = new Set<TLSSocket>();
  const proxy = createServer({ key, cert }, (client) => {
    const behind = connect(Number(new URL(service.url).port), "127.0.0.1");
    clients.add(client);
    client.on("error", () => behind.destroy()).on("close", () => clients.delete(client) && behind.destroy());
    behind.on("error", () => client.destroy()).on("close", () => client.destroy());
    client.pipe(behind).pipe(client);
  });
  proxy.on("tlsClientError", () => undefined); // a client that was killed meanwhile
  await once(proxy.listen(0, host), "listening");
  const { port } = proxy.address() as AddressInfo;
  const url = `https://${host}:${port}`;
  let aheadMs = 0;
  const now = () => Date.now() + aheadMs;
  const service = await startReferenceService({
    sites: Object.fromEntries(domains.map((domain) => [domain, site])),
    adminApiKey: CANARY_KEY,
    publicUrl: url,
    now,
    ...options,
  });
  context.onTestFinished(async () => {
    const closed = once(proxy, "close");
    proxy.close();
    for (const client of clients) client.destroy();
    await closed;
    await service.close();
    await rm(site, { recursive: true });
  });
  return {
    url,
    certificate: cert,
    service,
    now,
    passTime: (ms) => void (aheadMs += ms),
    polledOf: (of) =>
      of.filter((domain) =>
        service.requests.some(
          (each) => each.method === "GET" && each.domain === domain && each.status === 200,
        ),
      ),
    starts: () =>
      Object.fromEntries(
        domains.map((domain) => [
          domain,
          startsOf(service.requests).filter((each) => each.domain === domain).length,
        ]),
      ),
    holdLinks: () => {
      let letGo = (): void => undefined;
      const gone = new Promise<undefined>((resolve) => (letGo = () => resolve(undefined)));
      const end = service.intercept(({ path }) => (path.endsWith("/bundle") ? gone : undefined));
      return () => {
        end();
        letGo();
      };
    },
    goDown: () => service.intercept(() => ({ status: 503 })),
  };
}
