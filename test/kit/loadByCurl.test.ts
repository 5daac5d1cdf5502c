import { createHash } from "node:crypto";
import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generate } from "selfsigned";
import { describe, expect, test } from "vitest";
import { startFaultyProxy } from "../copies/faultyProxy.ts";
import { startRegistry } from "../copies/registry.ts";
import { startTokenServer } from "../copies/tokenServer.ts";
import { findCommand } from "../programs/commands.ts";
import {
  BASIC,
  configuration,
  CURL_ALONE,
  digestOfUpload,
  expectLoaded,
  isUpload,
  load,
  LOGIN,
  newKit,
  PASSWORD,
  passwords,
  startProxy,
} from "./loading.ts";
import { type Ended, Operator, scratchFolder } from "./systems.ts";

describe.each(CURL_ALONE)("load.sh with $program alone, $system", (loader) => {
  test("a layer that two images share is sent once", async (context) => {
    const kit = newKit(context);
    const { host, passed } = await startProxy(context);
    expect(await load(context, loader, kit, `${host}/docs`)).toMatchObject({ code: 0 });
    const sent = passed.filter(isUpload).map(digestOfUpload);
    expect(sent).toHaveLength(new Set(sent).size);
    expect(passed.filter(({ path }) => path.includes("mount="))).not.toEqual([]);
  });

  test("a registry that mounts nothing gets a shared layer twice", async (context) => {
    const kit = newKit(context);
    const { host } = await startProxy(context, ({ path }) =>
      path.includes("mount=") ? { answer: { status: 405 } } : undefined,
    );
    expect(await load(context, loader, kit, `${host}/docs`)).toMatchObject({ code: 0 });
    await expectLoaded(kit, `${host}/docs`);
  });

  test.for([
    ["cuts an upload", { cutAfter: 1 }],
    ["loses an answer", { loseAnswer: true }],
    ["no longer knows an upload", { answer: { status: 404 } }],
    ["has trouble of its own", { answer: { status: 500 } }],
  ] as const)("a registry that once %s gets the layer again", async ([, spoiling], context) => {
    const kit = newKit(context);
    let faults = 0;
    const { host } = await startProxy(context, (request) =>
      isUpload(request) && faults++ === 0 ? spoiling : undefined,
    );
    expect(await load(context, loader, kit, `${host}/docs`)).toMatchObject({ code: 0 });
    expect(faults).toBeGreaterThan(1);
    await expectLoaded(kit, `${host}/docs`);
  });

  test("a layer that is interrupted continues at the registry's offset", async (context) => {
    const content = createHash("sha512").update("a seed");
    const large = Array.from({ length: 20_000 }, (_, index) =>
      content.copy().update(String(index)).digest("hex"),
    ).join("");
    const kit = newKit(context, {
      images: [{ name: "large:1", layers: [{ large }], architectures: ["arm64"] }],
    });
    const { digest, size } = kit.layout.blobs.find(({ isLayer }) => isLayer) ?? { digest: "", size: 0 };
    expect(size).toBeGreaterThan(1_000_000);
    let sent = 0;
    const { host } = await startRegistry(context);
    const proxy = await startFaultyProxy(context, host, (request) =>
      isUpload(request) && digestOfUpload(request) === digest && sent++ === 0
        ? { cutAfter: 0.8 * size }
        : undefined,
    );
    expect(await load(context, loader, kit, `${proxy.host}/docs`)).toMatchObject({ code: 0 });
    expect(sent).toBe(2);
    expect(proxy.received()).toBeLessThan(1.5 * size);
    await expectLoaded(kit, `${host}/docs`);
  });

  test("a registry that refuses is quoted, without terminal sequences", async (context) => {
    const kit = newKit(context);
    const { host } = await startProxy(context, (request) =>
      isUpload(request)
        ? { answer: { status: 403, body: '{"errors":[{"message":"quota\u001b[2J"}]}' } }
        : undefined,
    );
    const { code, output } = await load(context, loader, kit, `${host}/docs`);
    expect(code).toBe(1);
    expect(output).toContain('the registry answered 403: {"errors":[{"message":"quota?[2J"}]}');
  });

  test("the address of an upload may be on another host, which gets no password", async (context) => {
    const kit = newKit(context);
    const { host } = await startRegistry(context, passwords(context));
    const store = await startFaultyProxy(context, host, () => ({ answer: { status: 201 } }));
    const proxy = await startFaultyProxy(context, host, ({ method }) =>
      method === "POST"
        ? { change: () => ({ headers: { location: `http://${store.host}/signed?a=b` } }) }
        : undefined,
    );
    await load(context, loader, kit, `${proxy.host}/docs`, { env: LOGIN });
    expect(store.passed[0]).toMatchObject({ method: "PUT", authorization: undefined });
    expect(store.passed[0]?.path).toMatch(/^\/signed\?a=b&digest=sha256%3A[0-9a-f]{64}$/);
  });

  test.for([
    ["a login", { auth: BASIC }],
    ["a name and a password", { username: "me", password: PASSWORD }],
  ] as const)("%s of docker's configuration is used", async ([, login], context) => {
    const kit = newKit(context);
    const { host } = await startRegistry(context, passwords(context));
    for (const key of [host, `https://${host}/v2/`]) {
      const env = configuration(context, { auths: { "other:5000": { auth: "eDp5" }, [key]: login } });
      expect(await load(context, loader, kit, `${host}/docs`, { env })).toMatchObject({ code: 0 });
    }
  });

  test("a credential helper is called with the registry's host", async (context) => {
    const kit = newKit(context);
    const { host } = await startRegistry(context, passwords(context));
    const helper = join(scratchFolder(context), "helper");
    // as helpers in Go write it
    const secret = PASSWORD.replace(":", "\\\\u003a");
    writeFileSync(
      helper,
      `#!/bin/sh\n[ "$1 $(cat)" = "get ${host}" ] && printf '{"Username":"me",\\n "Secret":"${secret}"}'\n`,
    );
    chmodSync(helper, 0o755);
    for (const helpers of [
      { credsStore: "tests" },
      { credHelpers: { [host]: "tests" }, credsStore: "none" },
    ]) {
      const env = configuration(context, helpers);
      const programs = { "docker-credential-tests": helper };
      const ended = await load(context, loader, kit, `${host}/docs`, { env }, programs);
      expect(ended).toMatchObject({ code: 0 });
    }
  });

  test("an identity token is exchanged for others", async (context) => {
    const kit = newKit(context);
    const tokens = await startTokenServer(
      context,
      ({ query }) => query.get("refresh_token") === "re+fresh" && query.get("grant_type") === "refresh_token",
    );
    const { host } = await startRegistry(context, tokens.settings);
    const env = configuration(context, { auths: { [host]: { auth: "", identitytoken: "re+fresh" } } });
    expect(await load(context, loader, kit, `${host}/docs`, { env })).toMatchObject({ code: 0 });
  });

  test("a token that expires midway is renewed", async (context) => {
    const kit = newKit(context);
    const tokens = await startTokenServer(context, ({ authorization }) => authorization === `Basic ${BASIC}`);
    const { host } = await startRegistry(context, tokens.settings);
    const ended = new Set<string>();
    const proxy = await startFaultyProxy(context, host, (request) => {
      const { authorization = "" } = request;
      if (isUpload(request) && ended.size === 0) ended.add(authorization);
      if (!ended.has(authorization)) return undefined;
      const challenge = `Bearer realm="${tokens.settings["AUTH_TOKEN_REALM"] ?? ""}",service="registry",scope="repository:docs/nginx-unprivileged:pull,push",error="invalid_token"`;
      return { answer: { status: 401, headers: { "www-authenticate": challenge } } };
    });
    expect(await load(context, loader, kit, `${proxy.host}/docs`, { env: LOGIN })).toMatchObject({ code: 0 });
    expect(ended.size).toBe(1);
  });

  test("a password is no argument of any program", async (context) => {
    const kit = newKit(context);
    const { host } = await startRegistry(context, passwords(context));
    const folder = scratchFolder(context);
    const curl = join(folder, "curl");
    writeFileSync(
      curl,
      `#!/bin/sh\nprintf '%s\\n' "$@" >>'${folder}/arguments'\nexec '${findCommand("curl") ?? ""}' "$@"\n`,
    );
    chmodSync(curl, 0o755);
    expect(await load(context, loader, kit, `${host}/docs`, { env: LOGIN }, { curl })).toMatchObject({
      code: 0,
    });
    const recorded = await new Operator(context, loader.system).type(`cat '${folder}/arguments'`);
    expect(recorded.output).toContain("--config");
    expect(recorded.output).not.toMatch(new RegExp(`${BASIC}|geheim`));
  });

  test("a password is not sent to a token server without encryption", async (context) => {
    const kit = newKit(context);
    const record = join(scratchFolder(context), "calls");
    const curl = join(scratchFolder(context), "curl");
    const challenge = 'WWW-Authenticate: Bearer realm="http://tokens.internal/",service="x",scope="y"';
    const answer = `while [ "$1" != --dump-header ]; do shift; done; echo '${challenge}' >"$2"; printf 401`;
    writeFileSync(curl, `#!/bin/sh\ncat >/dev/null; echo "$*" >>'${record}'; ${answer}\n`);
    chmodSync(curl, 0o755);
    const operator = new Operator(context, loader.system, { curl });
    const args = ["registry.internal/docs", "--with", "curl"];
    const ended = await operator.run(join(kit.folder, "load.sh"), args, { env: LOGIN });
    expect(ended).toMatchObject({ code: 1 });
    expect(ended.lines.at(-1)).toBe(
      "registry.internal requires to send the password to http://tokens.internal/, which is not encrypted.",
    );
    expect((await operator.type(`cat '${record}'`)).output).not.toContain("tokens.internal");
  });

  test("a registry with an unknown authority is not trusted until its certificate is given", async (context) => {
    const kit = newKit(context);
    const folder = scratchFolder(context);
    const { private: key, cert } = await generate([{ name: "commonName", value: "registry" }], {
      keyType: "ec",
      algorithm: "sha256",
      extensions: [{ name: "subjectAltName", altNames: [{ type: 7, ip: "127.0.0.1" }] }],
    });
    writeFileSync(join(folder, "key.pem"), key);
    writeFileSync(join(folder, "cert.pem"), cert);
    const { host } = await startRegistry(context, {
      HTTP_TLS_KEY: join(folder, "key.pem"),
      HTTP_TLS_CERTIFICATE: join(folder, "cert.pem"),
    });
    const operator = new Operator(context, loader.system, { curl: findCommand("curl") ?? "curl" });
    const over = (env: Record<string, string>): Promise<Ended> =>
      operator.run(join(kit.folder, "load.sh"), [`${host}/docs`], { env });
    const unknown = await over({});
    expect(unknown.code).toBe(1);
    expect(unknown.output).toContain(`into /etc/docker/certs.d/${host}/ca.crt.`);
    expect(await over({ CURL_CA_BUNDLE: join(folder, "cert.pem") })).toMatchObject({ code: 0 });
    // older versions of curl do not read the file beside the folder
    const beside = { SSL_CERT_FILE: join(folder, "cert.pem"), SSL_CERT_DIR: scratchFolder(context) };
    expect(await over(beside)).toMatchObject({ code: 0 });
  });

  test("a registry that uses http is distinguished from a missing one", async (context) => {
    const kit = newKit(context);
    const { host } = await startRegistry(context);
    const operator = new Operator(context, loader.system, { curl: findCommand("curl") ?? "curl" });
    const over = (target: string): Promise<Ended> =>
      operator.run(join(kit.folder, "load.sh"), [`${target}/docs`]);
    expect((await over(host)).lines.at(-1)).toBe("If the registry uses http, add --plain-http.");
    expect((await over("127.0.0.1:1")).output).toContain("Failed to connect to 127.0.0.1");
  });

  test("a blob that is missing from the kit is named", async (context) => {
    const kit = newKit(context);
    const layer = kit.layout.blobs.find(({ isLayer }) => isLayer)?.digest ?? "";
    rmSync(join(kit.folder, "images/blobs", layer.replace(":", "/")));
    const { host } = await startRegistry(context);
    const { code, output } = await load(context, loader, kit, `${host}/docs`);
    expect(code).toBe(1);
    expect(output).toContain(`The kit lacks ${layer} of nginx-unprivileged:1.30`);
  });
});
