import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { findManifest, getManifest } from "../../../../../provider/publishing/images/registry/manifests.ts";
import { noPauses } from "../../../../simulation/noPauses.ts";
import { type Asked, type Reply, scriptedRegistry } from "./scriptedRegistry.ts";

const DIGEST = `sha256:${"0".repeat(64)}`;
const REALM = "https://auth.example.com/token";
const BEARER = `Bearer realm="${REALM}",service="registry.internal"`;
const PASSWORD = `Basic ${Buffer.from("me:geheim").toString("base64")}`;

/** The environment of someone with this entry in the configuration of Docker. */
async function environmentWith(entry: object): Promise<Readonly<Record<string, string>>> {
  const folder = await mkdtemp(join(tmpdir(), "login-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "config.json"), JSON.stringify({ auths: { "registry.internal": entry } }));
  return { DOCKER_CONFIG: folder };
}

const ME = { auth: Buffer.from("me:geheim").toString("base64") };

/** A registry that answers only requests with this header, and its token service. */
function requiring(
  challenge: string,
  isAllowed: (authorization: string | undefined) => boolean,
  token: (request: Asked) => Reply = () => ({ status: 404 }),
): (request: Asked) => Reply {
  return (request) => {
    if (request.url.startsWith(REALM)) return token(request);
    return isAllowed(request.headers["authorization"])
      ? { status: 200 }
      : { status: 401, headers: { "www-authenticate": challenge } };
  };
}

const isToken = (header: string | undefined): boolean => header === "Bearer t0ken_1";
const giveToken = (): Reply => ({ body: { token: "t0ken_1" } });
const tokenRequests = (requests: readonly Asked[]): Asked[] =>
  requests.filter(({ url }) => url.startsWith(REALM));

test("a password is sent after the registry asked for it, and from then on", async () => {
  const { client, requests, secrets } = scriptedRegistry(
    requiring('Basic realm="x"', (header) => header === PASSWORD),
    { environment: await environmentWith(ME) },
  );
  expect(await findManifest(client, DIGEST)).toBe(DIGEST);
  await findManifest(client, DIGEST);
  expect(requests.map(({ headers }) => headers["authorization"])).toEqual([undefined, PASSWORD, PASSWORD]);
  expect(secrets.removeFrom("geheim")).not.toContain("geheim");
});

test("a password that the registry refuses is sent once, and the error says what to do", async () => {
  const { client, requests } = scriptedRegistry(
    requiring("Basic", () => false),
    { environment: await environmentWith(ME) },
  );
  await expect(findManifest(client, DIGEST)).rejects.toMatchObject({
    message: expect.stringContaining("answered 401") as string,
    remedy: expect.stringContaining("Log in again: `docker login registry.internal`") as string,
  });
  expect(requests).toHaveLength(2);
});

test.each([
  ["no credential", {}, "Log in: "],
  ["an identity token, which is no password", { identitytoken: "geheim" }, "Log in again: "],
])("a registry that asks for a password gets nothing of someone with %s", async (_what, entry, remedy) => {
  const { client, requests } = scriptedRegistry(
    requiring("Basic", () => false),
    { environment: await environmentWith(entry) },
  );
  await expect(findManifest(client, DIGEST)).rejects.toMatchObject({
    remedy: expect.stringContaining(remedy) as string,
  });
  expect(requests).toHaveLength(1);
});

test("a registry that offers both gets a token, for which only the token service gets the password", async () => {
  const { client, requests } = scriptedRegistry(requiring(`Basic realm="x", ${BEARER}`, isToken, giveToken), {
    environment: await environmentWith(ME),
  });
  expect(await findManifest(client, DIGEST)).toBe(DIGEST);
  expect(requests.map(({ url, headers }) => [new URL(url).host, headers["authorization"]])).toEqual([
    ["registry.internal", undefined],
    ["auth.example.com", PASSWORD],
    ["registry.internal", "Bearer t0ken_1"],
  ]);
});

test("a token is for the actions on this repository, and is kept for the next request", async () => {
  const { client, requests, secrets } = scriptedRegistry(requiring(BEARER, isToken, giveToken), {
    actions: "pull,push",
  });
  expect(await findManifest(client, DIGEST)).toBe(DIGEST);
  await findManifest(client, DIGEST);
  expect(tokenRequests(requests).map(({ line, headers }) => [line, headers["accept"]])).toEqual([
    [
      `GET ${REALM}?service=registry.internal&scope=repository%3Adocs%2Fsite%3Apull%2Cpush`,
      "application/json",
    ],
  ]);
  expect(secrets.removeFrom("t0ken_1")).not.toContain("t0ken_1");
});

test("a request that reads another repository has a token for both", async () => {
  const { client, requests } = scriptedRegistry(requiring(BEARER, isToken, giveToken), { actions: "pull" });
  await findManifest(client, DIGEST);
  const call = { method: "HEAD", to: "x", accepted: [200], alsoReads: ["library/nginx"] } as const;
  await client.send(call, () => undefined);
  await client.send(call, () => undefined);
  expect(tokenRequests(requests).map(({ url }) => new URL(url).searchParams.getAll("scope"))).toEqual([
    ["repository:docs/site:pull"],
    ["repository:docs/site:pull", "repository:library/nginx:pull"],
  ]);
});

test("another token is requested when one expires, and when the registry refuses one", async () => {
  let nowMs = 0;
  let isRefused = false;
  const { client, requests } = scriptedRegistry(
    requiring(
      BEARER,
      (header) => isToken(header) && !isRefused,
      () => {
        isRefused = false;
        return { body: { token: "t0ken_1", expires_in: 300 } };
      },
    ),
    { clock: { ...noPauses, monotonic: () => nowMs } },
  );
  await findManifest(client, DIGEST);
  nowMs = 294_999;
  await findManifest(client, DIGEST);
  expect(tokenRequests(requests)).toHaveLength(1);
  nowMs = 295_000;
  await findManifest(client, DIGEST);
  expect(tokenRequests(requests)).toHaveLength(2);
  isRefused = true;
  await findManifest(client, DIGEST);
  expect(tokenRequests(requests)).toHaveLength(3);
});

test("a token that is refused at once is an error", async () => {
  const { client, requests } = scriptedRegistry(requiring(BEARER, () => false, giveToken));
  await expect(findManifest(client, DIGEST)).rejects.toThrow("answered 401");
  expect(requests).toHaveLength(3);
});

test("a token service that refuses is an error with the service's reason", async () => {
  const { client, requests } = scriptedRegistry(
    requiring(BEARER, isToken, () => ({
      status: 401,
      body: { errors: [{ code: "UNAUTHORIZED", message: "wrong password" }] },
    })),
    { environment: await environmentWith(ME) },
  );
  await expect(findManifest(client, DIGEST)).rejects.toMatchObject({
    message: `GET ${REALM} answered 401: UNAUTHORIZED: wrong password`,
    remedy: expect.stringContaining("docker login registry.internal") as string,
  });
  expect(requests).toHaveLength(2);
});

test("a token service that is busy is asked again", async () => {
  let asked = 0;
  const { client } = scriptedRegistry(
    requiring(BEARER, isToken, () => (++asked === 1 ? { status: 503 } : giveToken())),
  );
  expect(await findManifest(client, DIGEST)).toBe(DIGEST);
});

test("an answer without a token is an error", async () => {
  const { client, requests } = scriptedRegistry(requiring(BEARER, isToken, () => ({ body: "<html>" })));
  await expect(findManifest(client, DIGEST)).rejects.toMatchObject({
    message: `GET ${REALM} answered without a token`,
    remedy: "Check the registry: it named this address for its tokens.",
  });
  expect(requests).toHaveLength(2);
});

test("an identity token is sent to the token service only, as a form", async () => {
  const { client, requests, secrets } = scriptedRegistry(requiring(BEARER, isToken, giveToken), {
    environment: await environmentWith({ identitytoken: "geheimer" }),
  });
  expect(await findManifest(client, DIGEST)).toBe(DIGEST);
  const [request] = tokenRequests(requests);
  expect(request?.line).toBe(`POST ${REALM}`);
  expect(String(request?.body)).toContain("refresh_token=geheimer");
  expect(secrets.removeFrom("geheimer")).not.toContain("geheimer");
});

describe("a registry that refuses with 403 and never asked for a login", () => {
  const refusing =
    (challenge?: string) =>
    ({ url, headers }: { url: string; headers: Record<string, string> }) => {
      if (new URL(url).pathname === "/v2/") {
        return {
          status: challenge === undefined ? 200 : 401,
          headers: { "www-authenticate": challenge ?? "" },
        };
      }
      return "authorization" in headers ? { status: 404 } : { status: 403 };
    };

  test.each([
    ["does not ask at its root either", undefined],
    ["asks at its root", "Basic realm=x"],
  ])("gets the credential that is there, if it %s", async (_, challenge) => {
    const { client, requests } = scriptedRegistry(refusing(challenge), {
      environment: await environmentWith(ME),
    });
    expect(await getManifest(client, DIGEST)).toBeUndefined();
    expect(requests.at(-1)?.headers["authorization"]).toMatch(/^Basic /);
  });

  test("is asked once if there is no credential", async () => {
    const { client, requests } = scriptedRegistry(refusing());
    await expect(getManifest(client, DIGEST)).rejects.toThrow("answered 403");
    expect(requests).toHaveLength(1);
  });

  test("and refuses the credential, too, is an error that says where it is from", async () => {
    const { client } = scriptedRegistry(() => ({ status: 403 }), { environment: await environmentWith(ME) });
    const error: unknown = await getManifest(client, DIGEST).catch((each: unknown) => each);
    expect(error).toMatchObject({ remedy: expect.stringContaining("config.json") as string });
    expect(error).not.toMatchObject({ remedy: expect.stringContaining("No credential") as string });
  });
});
