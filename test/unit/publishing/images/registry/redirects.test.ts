import { expect, test } from "vitest";
import { noPauses } from "../../../../simulation/noPauses.ts";
import { type Reply, scriptedRegistry } from "./scriptedRegistry.ts";

const STORE = "https://store.example.com/1?signed=geheimer";
const call = { method: "GET", to: "docs/site/x", accepted: [200] } as const;

test.each([301, 302, 303, 307, 308])("a redirect with %d is followed", async (status) => {
  const { client, lines, requests, secrets } = scriptedRegistry((_request, number) =>
    number === 1 ? { status, headers: { location: STORE } } : { body: "there" },
  );
  const text = await client.send(call, async (reply) => String(await reply.beginning(10)));
  expect(text).toBe("there");
  expect(lines()).toEqual(["GET x", `GET ${STORE}`]);
  expect(requests[0]?.headers).toMatchObject({ "accept-encoding": "identity" });
  expect(secrets.removeFrom("geheimer")).not.toContain("geheimer");
});

test.each<[string, Reply]>([
  ["with another status", { status: 300, headers: { location: STORE } }],
  ["without an address", { status: 307 }],
])("a redirect %s is an error", async (_what, reply) => {
  const { client, requests } = scriptedRegistry(() => reply);
  await expect(client.send(call, () => 1)).rejects.toThrow(/answered 30[07]/);
  expect(requests).toHaveLength(1);
});

test("five redirects are followed, and a redirect that is expected is the reply", async () => {
  const { client, requests } = scriptedRegistry((_request, number) =>
    number < 6 ? { status: 307, headers: { location: "/v2/docs/site/x" } } : {},
  );
  expect(await client.send(call, ({ status }) => status)).toBe(200);
  expect(requests).toHaveLength(6);
  const other = scriptedRegistry(() => ({ status: 307, headers: { location: STORE } }));
  expect(await other.client.send({ ...call, accepted: [307] }, ({ status }) => status)).toBe(307);
});

test("a redirect to another host without TLS is not followed, and one to the same host is followed over TLS", async () => {
  const elsewhere = scriptedRegistry(() => ({
    status: 307,
    headers: { location: "http://store.example.com/1" },
  }));
  await expect(elsewhere.client.send(call, () => 1)).rejects.toThrow(
    "the registry registry.internal leads from https: to http: at store.example.com, which is not followed",
  );
  const { client, lines } = scriptedRegistry((_request, number) =>
    number === 1 ? { status: 307, headers: { location: "http://registry.internal:8080/1" } } : {},
  );
  await client.send(call, () => 1);
  expect(lines()).toEqual(["GET x", "GET https://registry.internal/1"]);
});

test("a store that requires a login gets none", async () => {
  const { client, requests } = scriptedRegistry((_request, number) =>
    number === 1
      ? { status: 307, headers: { location: STORE } }
      : { status: 401, headers: { "www-authenticate": 'Bearer realm="https://auth.example.com/"' } },
  );
  await expect(client.send(call, () => 1)).rejects.toThrow("GET https://store.example.com/1 answered 401");
  expect(requests).toHaveLength(2);
});

test("a temporary failure of the store begins at the registry again", async () => {
  const { client, lines, reporter } = scriptedRegistry((_request, number) =>
    number % 2 === 1 ? { status: 307, headers: { location: STORE } } : { status: number === 2 ? 503 : 200 },
  );
  await client.send(call, () => 1);
  expect(lines()).toEqual(["GET x", `GET ${STORE}`, "GET x", `GET ${STORE}`]);
  expect(reporter.lines.progress).toEqual([
    "GET https://store.example.com/1 answered 503; trying again in 0s",
  ]);
});

test("a request may have a signal of its own", async () => {
  const { client } = scriptedRegistry(() => ({}));
  const signal = AbortSignal.abort(new Error("too late"));
  await expect(client.sendOnce({ ...call, signal }, () => 1)).rejects.toThrow("too late");
  expect(await client.sendOnce(call, () => 1)).toEqual({ value: 1 });
});

test("a registry that has answered once is waited for: it restarts", async () => {
  let nowMs = 0;
  const clock = { ...noPauses, monotonic: () => nowMs };
  const { client, requests } = scriptedRegistry(
    (_request, number): Reply => {
      nowMs += 100_000;
      return number === 1 || number === 5 ? {} : { error: "ECONNREFUSED" };
    },
    { clock },
  );
  await client.send(call, () => 1);
  await client.send(call, () => 1);
  expect(requests).toHaveLength(5);
});
