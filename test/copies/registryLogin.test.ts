import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { generate } from "selfsigned";
import { expect, test, type TestContext } from "vitest";
import { repositoryDestination } from "../../provider/publishing/destinations/repository/repositoryDestination.ts";
import { BUNDLE } from "../simulation/copiedBundle.ts";
import { startFaultyProxy } from "./faultyProxy.ts";
import { scratchFolder } from "./images.ts";
import { startRegistry } from "./registry.ts";
import { copySite, fill, operation } from "./siteCopies.ts";
import { startTokenServer } from "./tokenServer.ts";

/** A password as people choose them, and its bcrypt hash. */
const PASSWORD = "geheim:wort";
const PASSWORD_LINE = "me:$2b$05$abcdefghijklmnopqrstuuUC5tQs4nqfFCAMi0LnlG6VN9tjEP9AW\n";
const BASIC = `Basic ${Buffer.from(`me:${PASSWORD}`).toString("base64")}`;

test("a registry with passwords: that of Docker's configuration is used for it, and for no other host", async (context) => {
  const { host } = await startRegistry(context, await passwords(context));
  const repository = `${host}/docs/site`;
  const auth = Buffer.from(`me:${PASSWORD}`).toString("base64");
  const nobody = await operation(context);
  await expect(copySite({ repository }, nobody)).rejects.toMatchObject({
    message: expect.stringMatching(/answered 401/) as string,
    remedy: expect.stringMatching(
      /^Log in: `docker login .*`, or name the configuration with DOCKER_CONFIG or REGISTRY_AUTH_FILE\./,
    ) as string,
  });
  const wrong = await configured(context, { auths: { [host]: { username: "me", password: "falsch" } } });
  await expect(copySite({ repository }, await operation(context, wrong))).rejects.toMatchObject({
    message: expect.not.stringContaining("falsch") as string,
    remedy: expect.stringContaining(`Log in again: \`docker login ${host}\``) as string,
  });
  const right = await configured(context, { auths: { [`https://${host}/v2/`]: { auth } } });
  const run = await operation(context, right);
  const copy = await copySite({ repository }, run);
  expect(run.headers.at(-1)?.["authorization"]).toBe(BASIC);
  expect(JSON.stringify(copy)).not.toContain("geheim");
  const destination = repositoryDestination({ repository });
  expect(await destination.compare(copy, await operation(context, right))).toBe("same");
  await expect(destination.compare(copy, nobody)).rejects.toThrow("401");
});

test("a registry with tokens: one per action, obtained with the password, which the registry itself never gets", async (context) => {
  const tokens = await startTokenServer(context, ({ authorization }) => authorization === BASIC);
  const { host } = await startRegistry(context, tokens.settings);
  const auths = { [host]: { username: "me", password: PASSWORD } };
  const environment = await configured(context, { auths });
  const run = await operation(context, environment);
  const copy = await copySite({ repository: `${host}/docs/site` }, run);
  expect(tokens.asked).toHaveLength(1);
  expect(tokens.asked[0]?.query.get("service")).toBe("registry");
  expect(tokens.asked[0]?.query.getAll("scope")).toEqual(["repository:docs/site:pull,push"]);
  const toRegistry = run.headers.filter((headers) => headers["host"] === host);
  expect(toRegistry.every(({ authorization = "Bearer" }) => authorization.startsWith("Bearer"))).toBe(true);
  const removal = await operation(context, environment);
  await repositoryDestination({ repository: `${host}/docs/site` }).release([copy], removal);
  expect(tokens.asked.at(-1)?.query.getAll("scope")).toEqual(["repository:docs/site:delete"]);
  await expect(copySite({ repository: `${host}/docs/site` }, await operation(context))).rejects.toMatchObject(
    {
      message: expect.stringContaining("/token answered 401") as string,
      remedy: expect.stringContaining(`docker login ${host}`) as string,
    },
  );
});

test("a token that expires during an upload is renewed, and the upload continues", async (context) => {
  const tokens = await startTokenServer(context, ({ authorization }) => authorization === BASIC);
  const { host } = await startRegistry(context, tokens.settings);
  const ended = new Set<string>();
  const proxy = await startFaultyProxy(context, host, ({ method, authorization = "" }) => {
    if (method === "PUT" && ended.size === 0) ended.add(authorization);
    if (!ended.has(authorization)) return undefined;
    const challenge = `Bearer realm="${tokens.settings["AUTH_TOKEN_REALM"] ?? ""}",service="registry",error="invalid_token"`;
    return { answer: { status: 401, headers: { "www-authenticate": challenge } } };
  });
  const environment = await configured(context, {
    auths: { [proxy.host]: { username: "me", password: PASSWORD } },
  });
  const run = await operation(context, environment);
  const draft = await repositoryDestination({ repository: `${proxy.host}/a` }).begin(BUNDLE, run);
  if (draft.sink) await fill(draft.sink, { "index.html": "text" });
  await draft.publish();
  expect(ended.size).toBe(1);
  expect(tokens.asked).toHaveLength(2);
  expect(
    proxy.passed.filter(({ method, path }) => method === "POST" && path.includes("uploads")),
  ).toHaveLength(4); // the layer, its list, the configuration and the mark's, each started once
});

test("a registry with a private authority is not trusted unless its certificate is where Docker or podman search for it", async (context) => {
  const { ca, folder, settings } = await privateAuthority(context);
  const { host } = await startRegistry(context, settings);
  const repository = `${host}/docs/site`;
  const stranger = await operation(context, { HOME: folder });
  await expect(copySite({ repository }, stranger)).rejects.toMatchObject({
    message: expect.stringContaining("is not trusted") as string,
    remedy: expect.stringContaining(`/etc/docker/certs.d/${host}`) as string,
  });
  const certificates = join(folder, ".config/containers/certs.d", host);
  await mkdir(certificates, { recursive: true });
  await writeFile(join(certificates, "ca.crt"), ca);
  const copy = await copySite({ repository }, await operation(context, { HOME: folder }));
  expect(copy.image).toContain(`${host}/docs/site@sha256:`);
});

/** Settings of a registry with one account. */
async function passwords(context: TestContext): Promise<Record<string, string>> {
  const path = join(await scratchFolder(context), "htpasswd");
  await writeFile(path, PASSWORD_LINE);
  return { AUTH: "htpasswd", AUTH_HTPASSWD_REALM: "tests", AUTH_HTPASSWD_PATH: path };
}

/** The environment of a user with this configuration of Docker. */
async function configured(context: TestContext, configuration: object): Promise<Record<string, string>> {
  const folder = await scratchFolder(context);
  await writeFile(join(folder, "config.json"), JSON.stringify(configuration));
  return { DOCKER_CONFIG: folder };
}

/** A registry's TLS, by an unknown authority. */
async function privateAuthority(
  context: TestContext,
): Promise<{ ca: string; folder: string; settings: Record<string, string> }> {
  const authority = await generate([{ name: "commonName", value: "Authority of the registry" }], {
    keyType: "ec",
    algorithm: "sha256",
    extensions: [
      { name: "basicConstraints", cA: true, critical: true },
      { name: "keyUsage", keyCertSign: true, critical: true },
    ],
  });
  const own = await generate([{ name: "commonName", value: "registry" }], {
    keyType: "ec",
    algorithm: "sha256",
    extensions: [{ name: "subjectAltName", altNames: [{ type: 7, ip: "127.0.0.1" }] }],
    ca: { key: authority.private, cert: authority.cert },
  });
  const folder = await scratchFolder(context);
  await writeFile(join(folder, "key.pem"), own.private);
  await writeFile(join(folder, "cert.pem"), own.cert);
  return {
    ca: authority.cert,
    folder,
    settings: {
      HTTP_TLS_KEY: join(folder, "key.pem"),
      HTTP_TLS_CERTIFICATE: join(folder, "cert.pem"),
    },
  };
}
