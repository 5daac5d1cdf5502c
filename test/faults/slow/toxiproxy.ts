import { spawn } from "node:child_process";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { freeAddress } from "../scriptedServer.ts";

/** A proxy with faulty connections, see https://github.com/Shopify/toxiproxy#toxics. */
export interface ToxicProxy {
  baseUrl: string;
  /** The faults of the service's replies from now on. */
  poison: (type: string, attributes: Readonly<Record<string, number>>) => Promise<void>;
  /** Whether connections are accepted. */
  enable: (enabled: boolean) => Promise<void>;
  /** Removes all faults. */
  cure: () => Promise<void>;
}

let api: string;

/** Runs toxiproxy during the tests of a file. */
export function withToxiproxy(): void {
  let child: ReturnType<typeof spawn>;
  beforeAll(async () => {
    const { host, port } = await freeAddress();
    const program = process.env["TOXIPROXY"] ?? "";
    child = spawn(program, ["-host", host, "-port", String(port)], { stdio: "ignore" });
    api = `http://${host}:${port}`;
    for (;;) {
      if (await fetch(`${api}/version`).catch(() => undefined)) return;
      if (child.exitCode !== null) throw new Error(`toxiproxy ended with ${child.exitCode}`);
    }
  });
  afterAll(() => void child.kill());
}

/** @param port of the service behind it */
export async function toxicProxy(port: number): Promise<ToxicProxy> {
  const name = `to-${port}`;
  const { host, port: listen } = await freeAddress();
  const request = async (path: string, body?: object): Promise<void> => {
    const response = await fetch(api + path, {
      method: "POST",
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
  };
  await request("/proxies", {
    name,
    listen: `${host}:${listen}`,
    upstream: `127.0.0.1:${port}`,
    enabled: true,
  });
  onTestFinished(async () => {
    await fetch(`${api}/proxies/${name}`, { method: "DELETE" });
  });
  return {
    baseUrl: `http://${host}:${listen}`,
    poison: (type, attributes) =>
      request(`/proxies/${name}/toxics`, { type, stream: "downstream", attributes, toxicity: 1 }),
    enable: (enabled) => request(`/proxies/${name}`, { enabled }),
    cure: () => request("/reset"),
  };
}
