// load.sh with curl against malicious registries.
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, test, type TestContext } from "vitest";
import { CURL_ALONE, load, newKit } from "./loading.ts";

const MIB = 2 ** 20;

/** @returns its host and port */
async function serve({ onTestFinished }: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => server.close().closeAllConnections());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe.each(CURL_ALONE)("load.sh with $program alone, $system", (loader) => {
  test("names of files on this machine are not expanded in place of a scope", async (context) => {
    const asked: string[][] = [];
    const host = await serve(context, ({ url = "", headers }, response) => {
      const { pathname, searchParams } = new URL(url, "http://registry");
      if (pathname === "/token") asked.push(searchParams.getAll("scope"));
      const challenge = `Bearer realm="http://${headers.host ?? ""}/token",service="s",scope="/etc/* /etc/pass??"`;
      response.writeHead(401, { "www-authenticate": challenge }).end();
    });
    expect(await load(context, loader, newKit(context), `${host}/docs`)).toMatchObject({ code: 1 });
    expect(asked[0]).toEqual(["/etc/*", "/etc/pass??"]);
  });

  test.for(["a body", "a header"])("%s without end is cut off", async (what, context) => {
    let most = 0;
    const host = await serve(context, ({ method, socket }, response) => {
      if (method !== "GET") return void response.writeHead(403).end();
      let sent = 0;
      const write = what === "a body" ? response : socket;
      if (what === "a header") socket.write("HTTP/1.1 200 OK\r\nX-0: ");
      const more = (error?: Error | null): void => {
        if (error || socket.destroyed || sent > 100 * MIB) return void socket.destroy();
        sent += MIB / 4;
        most = Math.max(most, sent);
        write.write(
          what === "a body" ? Buffer.alloc(MIB / 4) : `${"a".repeat(1022)}\r\nX: `.repeat(256),
          more,
        );
      };
      more();
    });
    expect(await load(context, loader, newKit(context), `${host}/docs`)).toMatchObject({ code: 1 });
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThan(32 * MIB); // including bytes in flight
  });

  test("a reply that comes byte by byte is cut off", async (context) => {
    const host = await serve(context, ({ method }, response) => {
      if (method !== "GET") return void response.writeHead(403).end();
      const timer = setInterval(() => response.write("x"), 100);
      response.on("close", () => clearInterval(timer));
    });
    const env = { MOST_REQUEST_SECONDS: "1" };
    const beganMs = performance.now();
    expect(await load(context, loader, newKit(context), `${host}/docs`, { env })).toMatchObject({ code: 1 });
    expect(performance.now() - beganMs).toBeLessThan(20_000);
  });

  test("a Retry-After of a day is not waited for", async (context) => {
    const host = await serve(context, (_, response) =>
      response.writeHead(503, { "retry-after": "86400" }).end(),
    );
    expect(await load(context, loader, newKit(context), `${host}/docs`)).toMatchObject({
      code: 1,
      output: expect.stringContaining("the registry answered 503") as string,
    });
  });

  test("no token is searched for in a reply with many nested lists", async (context) => {
    const host = await serve(context, ({ url = "", headers }, response) => {
      const challenge = `Bearer realm="http://${headers.host ?? ""}/token",service="s",scope="x"`;
      if (!url.startsWith("/token")) {
        return void response.writeHead(401, { "www-authenticate": challenge }).end();
      }
      response.end("[".repeat(100_000) + "1,".repeat(100_000));
    });
    const beganMs = performance.now();
    expect(await load(context, loader, newKit(context), `${host}/docs`)).toMatchObject({ code: 1 });
    expect(performance.now() - beganMs).toBeLessThan(20_000);
  });
});
