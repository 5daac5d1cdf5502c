import { expect, test } from "vitest";
import { Secrets } from "../../../../../provider/base/runtime/messages/secrets.ts";
import { type Clock, startDeadline } from "../../../../../provider/base/runtime/time/clock.ts";
import { RegistryClient } from "../../../../../provider/publishing/images/registry/client.ts";
import { findManifest } from "../../../../../provider/publishing/images/registry/manifests.ts";
import { FasterClock } from "../../../../simulation/fasterClock.ts";
import { noPauses } from "../../../../simulation/noPauses.ts";
import { recordingReporter } from "../../../../simulation/recordingReporter.ts";
import { scriptedFetch, type ScriptedReply, type SeenRequest } from "../../../../simulation/scriptedFetch.ts";
import { VirtualClock } from "../../../../simulation/virtualClock.ts";

const ROOT = "https://registry.internal/v2/";
const DIGEST = `sha256:${"0".repeat(64)}`;
/** What there is not, as a registry says it. */
const NONE = { status: 404, headers: { "docker-distribution-api-version": "registry/2.0" } };

test.each([
  ["/v2/a/uploads/1?state=x%2fy", "https://registry.internal/v2/a/uploads/1?state=x%2fy"],
  ["https://store.example.com/1?signed=a+b", "https://store.example.com/1?signed=a+b"],
  ["http://registry.internal/v2/1", "https://registry.internal/v2/1"],
])("a registry may continue at %s", async (location, expected) => {
  const { client } = clientWith(() => ({}));
  expect((await client.located(location, new URL(ROOT))).href).toBe(expected);
});

test.each([null, "http://store.example.com/1", "file:///etc/passwd", "http://"])(
  "an upload does not continue at %j",
  async (location) => {
    const { client } = clientWith(() => ({}));
    await expect(client.located(location, new URL(ROOT))).rejects.toThrow("the registry registry.internal");
  },
);

test("a token server without encryption gets no password", async () => {
  const { client, requests } = clientWith(() => ({
    status: 401,
    headers: { "www-authenticate": 'Bearer realm="http://auth.example.com/token"' },
  }));
  await expect(findManifest(client, DIGEST)).rejects.toThrow("anyone on the network path can read");
  expect(requests.map(({ url }) => url)).toEqual([`${ROOT}a/manifests/${DIGEST}`]);
});

test("a registry that challenges in an unknown way, or without an address, is an error after one request", async () => {
  for (const challenge of ["Negotiate", 'Bearer realm="nowhere"', ""]) {
    const { client, requests } = clientWith(() => ({
      status: 401,
      headers: { "www-authenticate": challenge },
    }));
    await expect(findManifest(client, DIGEST)).rejects.toThrow("answered 401");
    expect(requests).toHaveLength(1);
  }
});

test("a token is sent to the registry, and not to a store to which it redirects", async () => {
  const STORE = "https://store.example.com/1";
  const { client, requests } = clientWith(({ url, headers }) => {
    if (url.startsWith("https://auth.example.com/")) return { body: { token: "t0ken" } };
    if (url === STORE) return NONE;
    return headers["authorization"] === undefined
      ? { status: 401, headers: { "www-authenticate": 'Bearer realm="https://auth.example.com/token"' } }
      : { status: 307, headers: { location: STORE } };
  });
  expect(await findManifest(client, DIGEST)).toBeUndefined();
  expect(requests.map(({ url, headers }) => [new URL(url).host, headers["authorization"]])).toEqual([
    ["registry.internal", undefined],
    ["auth.example.com", undefined],
    ["registry.internal", "Bearer t0ken"],
    ["store.example.com", undefined],
  ]);
});

test("redirects in a circle end in an error", async () => {
  const { client, requests } = clientWith(() => ({ status: 307, headers: { location: ROOT } }));
  await expect(findManifest(client, DIGEST)).rejects.toThrow("redirects more than 5 times");
  expect(requests).toHaveLength(6);
});

test("a registry that does not answer is given up, with what to check", async () => {
  // it reads folders of certificates, which takes no time of a virtual clock
  const clock = new FasterClock(200);
  const { client } = clientWith(() => ({ error: "ECONNREFUSED" }), { clock });
  await expect(findManifest(client, DIGEST)).rejects.toMatchObject({
    message: expect.stringMatching(/ECONNREFUSED.*the registry did not answer for/) as string,
    remedy: "Check the network, the repository's host, and that the registry is up.",
  });
  expect(clock.waits.length).toBeGreaterThan(1);
});

test("where nothing listens, reading ends within 15 seconds, and writing waits for a registry that may restart", async () => {
  const waited = async (actions: "pull" | "pull,push"): Promise<number> => {
    const clock = new FasterClock(200);
    const { client } = clientWith(() => ({ error: "ECONNREFUSED" }), { clock, actions });
    await expect(findManifest(client, DIGEST)).rejects.toThrow("ECONNREFUSED");
    return clock.waits.reduce((sum, each) => sum + each, 0);
  };
  expect(await waited("pull")).toBeLessThanOrEqual(15_000);
  expect(await waited("pull,push")).toBeGreaterThan(30_000);
});

test("a host without TLS is an error that names the option for it", async () => {
  const { client } = clientWith(() => ({ error: "EPROTO" }), { clock: new FasterClock(2_000) });
  await expect(findManifest(client, DIGEST)).rejects.toMatchObject({
    remedy: "If registry.internal has no TLS, set `plainHttp`.",
  });
});

test("with plainHttp requests use http:, and those of Docker's own registry the address of its API", async () => {
  const plain = clientWith(() => NONE, { plainHttp: true });
  expect(await findManifest(plain.client, DIGEST)).toBeUndefined();
  expect(plain.requests[0]?.url).toBe(`http://registry.internal/v2/a/manifests/${DIGEST}`);
  const docker = clientWith(() => NONE, { host: "docker.io" });
  await findManifest(docker.client, DIGEST);
  expect(docker.requests[0]?.url).toBe(`https://registry-1.docker.io/v2/a/manifests/${DIGEST}`);
});

test.each([
  ["is asked over TLS", "https 401"],
  ["without TLS is asked without it", "https EPROTO, http 200"],
  [
    "that was too busy for a connection is asked over TLS again: it refuses requests without TLS",
    "https ECONNRESET, http 400, https 200",
  ],
  [
    "that is still starting is asked both ways again",
    "https ECONNREFUSED, http ECONNREFUSED, https EPROTO, http 404",
  ],
])("a registry on this machine %s", async (_, text) => {
  const replies = text.split(", ").map((each) => {
    const [url = "", said = ""] = each.split(" ");
    return /^\d/.test(said) ? { url, status: Number(said) } : { url, error: said };
  });
  const script = [...replies, { ...NONE, url: replies.at(-1)?.url ?? "" }];
  let sent = 0;
  const { client, requests } = clientWith(() => script[sent++] ?? NONE, {
    host: "localhost:5000",
    clock: noPauses,
  });
  expect(await findManifest(client, DIGEST)).toBeUndefined();
  expect(requests.map(({ url }) => url)).toEqual(
    script.map(
      ({ url }, at) => `${url}://localhost:5000/v2/${at < replies.length ? "" : `a/manifests/${DIGEST}`}`,
    ),
  );
});

test("a registry on this machine whose certificate is not trusted is never asked without TLS", async () => {
  const { client, requests } = clientWith(
    ({ url }) => (url.startsWith("https:") ? { error: "SELF_SIGNED_CERT_IN_CHAIN" } : { status: 404 }),
    { host: "localhost:5000" },
  );
  await expect(findManifest(client, DIGEST)).rejects.toThrow("is not trusted");
  expect(requests.filter(({ url }) => url.startsWith("http:"))).toEqual([]);
});

function clientWith(
  answer: (request: SeenRequest) => ScriptedReply,
  {
    plainHttp = false,
    host = "registry.internal",
    clock = new VirtualClock(),
    actions = "pull",
  }: { plainHttp?: boolean; host?: string; clock?: Clock; actions?: "pull" | "pull,push" } = {},
): { client: RegistryClient; requests: SeenRequest[] } {
  const { fetch, requests } = scriptedFetch(answer);
  const context = {
    fetch,
    clock,
    reporter: recordingReporter(),
    secrets: new Secrets(),
    signal: new AbortController().signal,
    deadline: startDeadline(clock, 30 * 60_000),
    environment: () => undefined,
  };
  return {
    client: new RegistryClient({ host, path: "a" }, context, { actions, plainHttp }),
    requests,
  };
}
