// Endless replies of a registry, in size and in time, over real sockets.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import nodeFetch from "node-fetch";
import { expect, onTestFinished, test } from "vitest";
import { Secrets } from "../../../../../provider/base/runtime/messages/secrets.ts";
import { startDeadline } from "../../../../../provider/base/runtime/time/clock.ts";
import { RegistryClient } from "../../../../../provider/publishing/images/registry/client.ts";
import { getManifest } from "../../../../../provider/publishing/images/registry/manifests.ts";
import { FasterClock } from "../../../../simulation/fasterClock.ts";
import { recordingReporter } from "../../../../simulation/recordingReporter.ts";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** Reads a manifest of a registry with this reply, on a clock that runs 400 times faster. */
async function asked(answer: Answer): Promise<{ error: Error; bytes: number; afterMs: number }> {
  let bytes = 0;
  const server = createServer(answer);
  server.on("connection", (socket) => socket.once("close", () => (bytes += socket.bytesWritten)));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const clock = new FasterClock(400);
  const context = {
    fetch: nodeFetch,
    clock,
    reporter: recordingReporter(),
    secrets: new Secrets(),
    signal: new AbortController().signal,
    deadline: startDeadline(clock, 10 * 60_000),
    environment: () => undefined,
  };
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = new RegistryClient({ host, path: "a" }, context, { actions: "pull", plainHttp: true });
  const error = await getManifest(client, "1").then(
    () => new Error("it was read"),
    (failure: unknown) => failure as Error,
  );
  await expect.poll(() => bytes).toBeGreaterThan(0);
  return { error, bytes, afterMs: clock.monotonic() };
}

/** Sends bytes as fast as they are read, without end. */
const flood = (response: ServerResponse): void => {
  const block = Buffer.alloc(64 * 1024, "x");
  const more = (): void => {
    while (!response.destroyed && response.write(block));
  };
  response.on("drain", more);
  more();
};

/** Sends a byte now and then, without end. */
const drip = (response: ServerResponse): void => {
  const timer = setInterval(() => response.write("x"), 20);
  response.once("close", () => clearInterval(timer));
};

const toToken: Answer = ({ headers }, response) =>
  response.writeHead(401, { "www-authenticate": `Bearer realm="http://${headers.host ?? ""}/token"` }).end();

test.each<[string, Answer, string]>([
  ["a manifest", (_request, response) => flood(response), "answered with more than 4 MiB"],
  ["an error", (_request, response) => flood(response.writeHead(400)), "answered 400: xxx"],
  [
    "a token",
    (request, response) => (request.url?.startsWith("/token") ? flood(response) : toToken(request, response)),
    "answered with more than 4 MiB",
  ],
])("%s of any size is cut off", async (_what, answer, expected) => {
  const { error, bytes } = await asked(answer);
  expect(error.message).toContain(expected);
  expect(bytes).toBeLessThan(32 * 1024 * 1024);
});

test.each<[string, Answer]>([
  ["a manifest", (_request, response) => drip(response)],
  ["an error", (_request, response) => drip(response.writeHead(400))],
  [
    "a token",
    (request, response) => (request.url?.startsWith("/token") ? drip(response) : toToken(request, response)),
  ],
])("%s that comes byte by byte is given up after two minutes, and requested again", async (_what, answer) => {
  let requests = 0;
  const { error } = await asked((request, response) => {
    if (request.headers.authorization === undefined) requests++;
    answer(request, response);
  });
  expect(error.message).toContain("failed (no answer in time)");
  expect(requests).toBeGreaterThan(2);
});
