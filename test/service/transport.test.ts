// What node-fetch and real sockets do with hostile replies.
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import nodeFetch from "node-fetch";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../provider/clock.ts";
import { startDeadline } from "../../provider/deadline.ts";
import { Transport } from "../../provider/transport.ts";
import { recordingReporter } from "../simulation/recordingReporter.ts";

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise((resolve) => server.once("listening", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function ask(
  baseUrl: string,
  { limitMs = 60_000, signal = new AbortController().signal } = {},
): Promise<unknown> {
  const transport = new Transport({
    service: { baseUrl, apiKey: () => "svc_c4n4ry", apiKeyName: "KEY", allowInsecure: false },
    fetch: nodeFetch,
    clock: systemClock,
    reporter: recordingReporter(),
    signal,
    deadline: startDeadline(systemClock, limitMs),
  });
  const call = { method: "POST", path: ["v1", "jobs"], body: {}, repetition: "repeatable" } as const;
  return transport.send(call, ({ body }) => body);
}

test("a body without end is cut off after a mebibyte", async () => {
  let sentBytes = 0;
  const baseUrl = await serve((_, response) => {
    const chunk = Buffer.alloc(64 * 1024, " ");
    const write = (): void => {
      while (!response.destroyed && response.write(chunk)) sentBytes += chunk.length;
    };
    response.on("drain", write);
    write();
  });
  await expect(ask(baseUrl)).rejects.toThrow("more than 1024 KiB");
  expect(sentBytes).toBeLessThan(64 * 1024 * 1024);
});

test("a small body that unpacks to a large one is cut off too", async () => {
  const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, " "));
  const baseUrl = await serve((_, response) => {
    response.writeHead(200, { "content-encoding": "gzip" }).end(bomb);
  });
  await expect(ask(baseUrl)).rejects.toThrow("more than 1024 KiB");
});

test("a redirect is not followed, not even on the same host", async () => {
  const paths: (string | undefined)[] = [];
  const baseUrl = await serve((request, response) => {
    paths.push(request.url);
    response.writeHead(307, { location: "/elsewhere" }).end();
  });
  await expect(ask(baseUrl)).rejects.toThrow("redirect");
  expect(paths).toEqual(["/v1/jobs"]);
});

test("a reply that is shorter than announced is not used", async () => {
  let answers = 0;
  const baseUrl = await serve((_, response) => {
    if (++answers > 1) {
      response.end('{"whole":true}');
      return;
    }
    response.writeHead(200, { "content-length": "100" }).write('{"whole":false}');
    setImmediate(() => response.destroy());
  });
  expect(await ask(baseUrl)).toEqual({ whole: true });
});

test("compressed and chunked replies of any 2xx are read", async () => {
  const baseUrl = await serve((_, response) => {
    response.writeHead(202, { "content-encoding": "gzip" });
    response.write(gzipSync('{"jobId":"7"}'));
    response.end();
  });
  expect(await ask(baseUrl)).toEqual({ jobId: "7" });
});

test("a stop cuts the connection at once", async () => {
  const controller = new AbortController();
  let closed: Promise<unknown> | undefined;
  const baseUrl = await serve((request) => {
    closed = new Promise((resolve) => request.once("close", resolve));
    controller.abort(new Error("stopped"));
  });
  await expect(ask(baseUrl, { signal: controller.signal })).rejects.toThrow("stopped");
  await closed;
});

test("headers that are too large are an error at once", async () => {
  const baseUrl = await serve((_, response) => {
    response.writeHead(200, { "x-large": "x".repeat(64 * 1024) }).end("{}");
  });
  await expect(ask(baseUrl)).rejects.toThrow("not usable HTTP (HPE_HEADER_OVERFLOW)");
});
