// Hosts that speak only HTTP/2.
import http2 from "node:http2";
import type { AddressInfo, Server } from "node:net";
import { createServer, type Socket } from "node:net";
import nodeFetch from "node-fetch";
import { afterEach, expect, test } from "vitest";
import { attempt } from "../../../../provider/base/http/attempt.ts";
import { AttemptConnection, connectionFailure } from "../../../../provider/base/http/attemptConnection.ts";
import { refusal } from "../../../../provider/base/http/refusal.ts";
import type { FailedAttempt } from "../../../../provider/base/http/retryPolicy.ts";
import { Secrets } from "../../../../provider/base/runtime/messages/secrets.ts";
import { startDeadline, systemClock } from "../../../../provider/base/runtime/time/clock.ts";
import { recordingReporter } from "../../../simulation/recordingReporter.ts";

const REMEDY = "have its operator accept HTTP/1.1, too";
let server: Server | http2.Http2Server;
afterEach(() => void server.close());

async function asked(): Promise<FailedAttempt | { value: number }> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return attempt(
    { url: `http://${host}/`, host, name: `GET http://${host}/` },
    { method: "GET", headers: {} },
    {
      fetch: nodeFetch,
      clock: systemClock,
      reporter: recordingReporter(),
      secrets: new Secrets(),
      signal: new AbortController().signal,
      deadline: startDeadline(systemClock, 10_000),
    },
    { silenceMs: 5_000 },
    ({ status }) => Promise.resolve(status),
  );
}

test("a server that answers with frames of HTTP/2 is named", async () => {
  server = http2.createServer().on("sessionError", () => undefined);
  const outcome = await asked();
  expect(outcome).toMatchObject({
    fault: { kind: "notHttp" },
    error: { remedy: expect.stringContaining(REMEDY) as string },
  });
  expect("error" in outcome && outcome.error.message).toContain("answered with HTTP/2");
});

test("a server that answers with something else is not", async () => {
  server = createServer((socket: Socket) => socket.end("SSH-2.0-OpenSSH_9.2\r\n"));
  const outcome = await asked();
  expect("error" in outcome && outcome.error.message).toContain("with unusable HTTP (HPE_");
});

test("a handshake without a common protocol is named", () => {
  const endpoint = { url: "https://a.example/", host: "a.example", name: "GET https://a.example/" };
  const connection = new AttemptConnection(endpoint.url, systemClock);
  const failed = connectionFailure(
    endpoint,
    { code: "ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL" },
    connection,
  );
  expect(failed.error.remedy).toContain(REMEDY);
});

test.each([
  [403, "Missing ALPN Protocol, expected `h2` to be available."],
  [426, ""],
  [464, ""],
  [505, ""],
])("a refusal of this version of HTTP with %i is named", (status, text) => {
  const access = { apiKeyName: "KEY", baseUrl: "https://a.example", apiKey: () => "svc_1" };
  const endpoint = { url: "https://a.example/", host: "a.example", name: "GET https://a.example/" };
  expect(refusal(endpoint, { status, text, requestId: "" }, access).error.remedy).toContain(REMEDY);
});
