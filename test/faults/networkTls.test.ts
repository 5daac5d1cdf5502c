// Certificates and handshakes, with the tests' own authority.
import { expect, test } from "vitest";
import { ConnectionError } from "../../provider/base/runtime/messages/errors.ts";
import { ask, CALLS, GOOD_VALUE } from "./calls.ts";
import { identity, ignoringCertificates, trustAuthority } from "./certificates.ts";
import { good } from "./replies.ts";
import { scriptedServer } from "./scriptedServer.ts";

test.each<[string, string, Parameters<typeof identity>[0]]>([
  ["signed by itself", "SELF_SIGNED_CERT", { signed: false }],
  ["expired", "CERT_HAS_EXPIRED", { days: -1 }],
  ["for another host", "ERR_TLS_CERT_ALTNAME_INVALID", { host: "other.docs-host.test" }],
])(
  "N05 a certificate that is %s is final and the server gets no key, regardless of the environment",
  (_, code, options) =>
    ignoringCertificates(async () => {
      await trustAuthority();
      const server = await scriptedServer(good, { identity: await identity(options) });
      for (const [index, call] of CALLS.entries()) {
        const { error, lines } = await ask(call, server.baseUrl);
        expect(error).toBeInstanceOf(ConnectionError);
        expect(error?.message).toContain(`the certificate of 127.0.0.1:${server.port} is not trusted`);
        expect(error?.message).toContain(code);
        expect(error?.remedy).toContain("NODE_EXTRA_CA_CERTS");
        expect(lines.progress).toEqual([]);
        expect(server.connections()).toBe(index + 1);
      }
      expect(server.requests).toEqual([]);
    }),
);

test.each(CALLS)("N06 a handshake that is cut off is tried again, also for a start: %s", async (call) => {
  await trustAuthority();
  const server = await scriptedServer(good, {
    identity: await identity(),
    onConnection: (socket, number) => {
      // once the client has begun it
      if (number <= 4) socket.once("data", () => (number % 2 ? socket.resetAndDestroy() : socket.end()));
      return number <= 4;
    },
  });
  const { value, lines } = await ask(call, server.baseUrl);
  expect(value).toEqual(GOOD_VALUE[call]);
  expect(server.requests).toHaveLength(1);
  expect(lines.warn).toEqual([]);
});

test("N06 a handshake that stalls is given up after 10 s", async () => {
  await trustAuthority();
  const server = await scriptedServer(good, {
    identity: await identity(),
    onConnection: (_, number) => number === 1,
  });
  const { value, waits, lines } = await ask("start", server.baseUrl);
  expect(value).toBe("job-1");
  expect(waits[0]).toBe(10_000);
  expect(lines.warn).toEqual([]);
});
