// load.sh and the provider have some rules twice, in two languages: here both get the same input.
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test, type TestContext } from "vitest";
import { Secrets } from "../../provider/base/runtime/messages/secrets.ts";
import { lacksBlob } from "../../provider/publishing/images/registry/blobs.ts";
import { findCredential } from "../../provider/publishing/images/registry/credentials.ts";
import { recordingReporter } from "../simulation/recordingReporter.ts";
import { scriptedRegistry } from "../unit/publishing/images/registry/scriptedRegistry.ts";
import { writeKit } from "./kitFolder.ts";

function folderOfTest(): string {
  const folder = mkdtempSync(join(tmpdir(), "same-rules-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function program(folder: string, name: string, text: string): void {
  writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`);
  chmodSync(join(folder, name), 0o755);
}

/** In place of curl: answers by its variables and the manifests of $RECORD, and records the credential and the addresses. */
const CURL = `cat >>"$RECORD/credentials"
while [ $# -gt 0 ]; do
  case $1 in
    --dump-header) headers=$2 ;;
    --output) body=$2 ;;
    --request) method=$2 ;;
    --head) method=HEAD ;;
    --url) url=$2 ;;
  esac
  shift
done
echo "$method $url" >>"$RECORD/addresses"
case $method$url in
  POST*) printf '%s\\r\\n' "$LOCATION" >"$headers"; printf 202 ;;
  PUT*) printf 400 ;;
  GET*/manifests/*) 
    printf 'WWW-Authenticate: %s\\r\\n' "$CHALLENGE" >"$headers"
    if cp "$RECORD/manifests/\${url##*/}" "$body" 2>/dev/null; then printf 200; else printf '%s' "$STATUS"; fi ;;
  HEAD*/blobs/*) printf '%s\\r\\n' "$LOCATION" >"$headers"; printf '%s' "\${HEAD:-404}" ;;
  GET*/blobs/*) printf '%s\\r\\n' "$LOCATION" >"$headers"; printf '%s' "$GET" ;;
  HEAD*storage*) printf '%s' "$STORE_HEAD" ;;
  GET*storage*) printf '%s' "$STORE_GET" ;;
esac`;

interface Recorded {
  readonly credentials: string;
  readonly addresses: readonly string[];
  readonly output: string;
}

/** One small image: load.sh starts several hundred programs for each. */
const IMAGE = { name: "nginx-unprivileged:1.30", layers: [{ "usr/sbin/nginx": "nginx" }] };

/** Runs load.sh for the image docs/nginx-unprivileged of registry.internal. */
function load(
  context: TestContext,
  env: Readonly<Record<string, string>>,
  path = folderOfTest(),
  hasManifests = false,
): Recorded {
  context.skip(process.platform !== "linux", "only on Linux: coreutils are part of every installation");
  const { folder, layout } = writeKit(join(folderOfTest(), "kit"), { images: [IMAGE] });
  const record = folderOfTest();
  mkdirSync(join(record, "manifests"));
  const tags = Object.entries(layout.digests).map(
    ([name, digest]) => [name.split(":")[1] ?? "", digest] as const,
  );
  for (const { digest, content } of hasManifests ? layout.blobs : []) {
    const names = [digest, ...tags.filter(([, named]) => named === digest).map(([tag]) => tag)];
    for (const name of names) writeFileSync(join(record, "manifests", name), content);
  }
  program(path, "curl", CURL);
  const { stdout, stderr } = spawnSync(
    "sh",
    [join(folder, "load.sh"), "registry.internal/docs", "--with", "curl"],
    {
      encoding: "utf8",
      env: { PATH: `${path}:${process.env["PATH"] ?? ""}`, RECORD: record, STATUS: "404", ...env },
    },
  );
  const read = (name: string): string => readFileSync(join(record, name), { encoding: "utf8", flag: "a+" });
  const addresses = read("addresses").split("\n").filter(Boolean);
  return { credentials: read("credentials"), addresses, output: stdout + stderr };
}

const AUTH = (password: string) => ({ auth: Buffer.from(`me:${password}`).toString("base64") });
const HOST = "registry.internal";

interface Logins {
  /** The content of a file below the home folder. */
  readonly files: Readonly<Record<string, object | string>>;
  /** Variables; «HOME» in a value is that folder. */
  readonly env?: Readonly<Record<string, string>>;
  /** Helpers, and what they print. */
  readonly helpers?: Readonly<Record<string, string>>;
}

const PODMAN_HOME = ".config/containers/auth.json";
const DOCKER_HOME = ".docker/config.json";
const auths = (entries: Readonly<Record<string, object>>): object => ({ auths: entries });

const LOGINS: Readonly<Record<string, Logins & { readonly password?: string }>> = {
  "docker's folder": { files: { [DOCKER_HOME]: auths({ [HOST]: AUTH("a") }) }, password: "a" },
  "podman's home folder": { files: { [PODMAN_HOME]: auths({ [HOST]: AUTH("a") }) }, password: "a" },
  "another folder of configurations": {
    files: {
      "own/containers/auth.json": auths({ [HOST]: AUTH("a") }),
      [PODMAN_HOME]: auths({ [HOST]: AUTH("b") }),
    },
    env: { XDG_CONFIG_HOME: "HOME/own" },
    password: "a",
  },
  "podman's session before its home folder, and that before docker's": {
    files: {
      "run/containers/auth.json": auths({ [HOST]: AUTH("a") }),
      [PODMAN_HOME]: auths({ [HOST]: AUTH("b") }),
      [DOCKER_HOME]: auths({ [HOST]: AUTH("c") }),
    },
    env: { XDG_RUNTIME_DIR: "HOME/run" },
    password: "a",
  },
  "a named file before all others": {
    files: { "named.json": auths({ [HOST]: AUTH("a") }), [DOCKER_HOME]: auths({ [HOST]: AUTH("b") }) },
    env: { REGISTRY_AUTH_FILE: "HOME/named.json" },
    password: "a",
  },
  "a variable with the configuration": {
    files: { [DOCKER_HOME]: auths({ [HOST]: AUTH("b") }) },
    env: { DOCKER_AUTH_CONFIG: JSON.stringify(auths({ [HOST]: AUTH("a") })) },
    password: "a",
  },
  "another folder of docker": {
    files: {
      "docker/config.json": auths({ [HOST]: AUTH("a") }),
      [PODMAN_HOME]: auths({ [HOST]: AUTH("b") }),
    },
    env: { DOCKER_CONFIG: "HOME/docker" },
    password: "a",
  },
  "a file for other registries, and the next": {
    files: {
      [PODMAN_HOME]: auths({ "other.internal": AUTH("b"), "registry.internal.other": AUTH("c") }),
      [DOCKER_HOME]: auths({ [HOST]: AUTH("a") }),
    },
    password: "a",
  },
  "a file that is no JSON, and the next": {
    files: { [PODMAN_HOME]: "not JSON", [DOCKER_HOME]: auths({ [HOST]: AUTH("a") }) },
    password: "a",
  },
  "the longest path": {
    files: {
      [PODMAN_HOME]: auths({ [HOST]: AUTH("b"), [`${HOST}/docs`]: AUTH("a"), [`${HOST}/doc`]: AUTH("c") }),
    },
    password: "a",
  },
  "the path of the image itself": {
    files: {
      [PODMAN_HOME]: auths({ [`${HOST}/docs`]: AUTH("b"), [`${HOST}/docs/nginx-unprivileged`]: AUTH("a") }),
    },
    password: "a",
  },
  "an entry without content, and the next": {
    files: { [PODMAN_HOME]: auths({ [`${HOST}/docs`]: {}, [HOST]: AUTH("a") }) },
    password: "a",
  },
  "an address as the key": {
    files: { [DOCKER_HOME]: auths({ [`https://${HOST}/v2/`]: AUTH("a") }) },
    password: "a",
  },
  "a name and a password": {
    files: { [DOCKER_HOME]: auths({ [HOST]: { username: "me", password: "a" } }) },
    password: "a",
  },
  "a helper before the entry beside it": {
    files: { [DOCKER_HOME]: { ...auths({ [HOST]: AUTH("b") }), credHelpers: { [HOST]: "one" } } },
    helpers: { one: '{"Username":"me","Secret":"a"}' },
    password: "a",
  },
  "a helper for a path before that for all": {
    files: { [PODMAN_HOME]: { credHelpers: { [`${HOST}/docs`]: "one" }, credsStore: "two" } },
    helpers: { one: '{"Username":"me","Secret":"a"}', two: '{"Username":"me","Secret":"b"}' },
    password: "a",
  },
  "a helper that has none, and the entry beside it": {
    files: { [DOCKER_HOME]: { ...auths({ [HOST]: AUTH("a") }), credsStore: "one" } },
    helpers: { one: "credentials not found" },
    password: "a",
  },
  "a file with a byte order mark": {
    files: { [PODMAN_HOME]: `\uFEFF${JSON.stringify(auths({ [HOST]: AUTH("a") }))}` },
    password: "a",
  },
  "an address of http and a slash at its end": {
    files: { [DOCKER_HOME]: auths({ [`http://${HOST}/`]: AUTH("a") }) },
    password: "a",
  },
  "a text with escaped slashes, tabs and Windows' ends of lines": {
    files: {
      [DOCKER_HOME]: `{\r\n\t"auths":\t{\r\n\t\t"https:\\/\\/${HOST}\\/v1\\/": {\r\n\t"auth" : "${AUTH("a").auth}"\r\n}\r\n}\r\n}\r\n`,
    },
    password: "a",
  },
  "letters that are escaped": {
    files: { [DOCKER_HOME]: `{"auths":{"${HOST}":{"auth":"${AUTH("a").auth.replace("=", "\\u003d")}"}}}` },
    password: "a",
  },
  "a password with colons, quotes, backslashes and signs of a shell": {
    files: { [DOCKER_HOME]: auths({ [HOST]: AUTH("a:b\"c\\d'e$(f)`g`%h i") }) },
    password: "a:b\"c\\d'e$(f)`g`%h i",
  },
  "a password of other alphabets": {
    files: { [DOCKER_HOME]: auths({ [HOST]: AUTH("pässwörd→日本") }) },
    password: "pässwörd→日本",
  },
  "a name and a password with escaped letters": {
    files: { [DOCKER_HOME]: `{"auths":{"${HOST}":{"username":"me","password":"a\\u0026b\\"c\\\\d\\/e"}}}` },
    password: 'a&b"c\\d/e',
  },
  "a helper that prints many lines and escaped letters": {
    files: { [DOCKER_HOME]: { credsStore: "one" } },
    helpers: { one: '{\n  "ServerURL": "x",\n  "Username": "me",\n  "Secret": "a\\u0026b"\n}' },
    password: "a&b",
  },
  "a store without a name, and the entry beside it": {
    files: { [DOCKER_HOME]: { credsStore: "", ...auths({ [HOST]: AUTH("a") }) } },
    password: "a",
  },
  "a named file that does not exist, and the next": {
    files: { [DOCKER_HOME]: auths({ [HOST]: AUTH("a") }) },
    env: { REGISTRY_AUTH_FILE: "HOME/nowhere.json" },
    password: "a",
  },
  "empty variables": {
    files: { [DOCKER_HOME]: auths({ [HOST]: AUTH("a") }) },
    env: { REGISTRY_AUTH_FILE: "", DOCKER_CONFIG: "", XDG_CONFIG_HOME: "", DOCKER_AUTH_CONFIG: "" },
    password: "a",
  },
  "a folder of docker with a slash at its end": {
    files: { "docker/config.json": auths({ [HOST]: AUTH("a") }) },
    env: { DOCKER_CONFIG: "HOME/docker/" },
    password: "a",
  },
  "an entry of the same host with a port": {
    files: { [DOCKER_HOME]: auths({ [`${HOST}:5000`]: AUTH("b") }) },
  },
  "an entry of a host below": {
    files: { [DOCKER_HOME]: auths({ [`docker.${HOST}`]: AUTH("b"), internal: AUTH("c") }) },
  },
  "a text that was padded with zeros": {
    files: { [DOCKER_HOME]: auths({ [HOST]: AUTH("a\0\0") }) },
    password: "a",
  },
  "an empty text beside a name and a password": {
    files: { [DOCKER_HOME]: auths({ [HOST]: { auth: "", username: "me", password: "a" } }) },
    password: "a",
  },
  "a text without a password, and the next": {
    files: {
      [PODMAN_HOME]: auths({ [HOST]: { auth: Buffer.from("me").toString("base64") } }),
      [DOCKER_HOME]: auths({ [HOST]: AUTH("a") }),
    },
    password: "a",
  },
  "null in the place of objects": {
    files: { [PODMAN_HOME]: { auths: null, credHelpers: null }, [DOCKER_HOME]: auths({ [HOST]: AUTH("a") }) },
    password: "a",
  },
  nothing: { files: {} },
};

test.for(Object.entries(LOGINS))(
  "the login is the provider's: %s",
  async ([, { files, env = {}, helpers = {}, password }], context) => {
    const home = folderOfTest();
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(home, path)), { recursive: true });
      writeFileSync(join(home, path), typeof content === "string" ? content : JSON.stringify(content));
    }
    const bin = folderOfTest();
    for (const [name, printed] of Object.entries(helpers)) {
      const code = printed.startsWith("{") ? 0 : 1;
      program(bin, `docker-credential-${name}`, `cat >/dev/null; echo '${printed}'; exit ${code}`);
    }
    const own = Object.fromEntries(
      Object.entries(env).map(([name, value]) => [name, value.replace("HOME", home)]),
    );
    const environment: Record<string, string> = {
      HOME: home,
      PATH: `${bin}:${process.env["PATH"] ?? ""}`,
      ...own,
    };
    const found = await findCredential(
      { host: HOST, path: "docs/nginx-unprivileged" },
      {
        environment: (name) => environment[name],
        reporter: recordingReporter(),
        secrets: new Secrets(),
        signal: new AbortController().signal,
      },
    );
    const { credentials } = load(
      context,
      { HOME: home, ...own, STATUS: "401", CHALLENGE: 'Basic realm="x"' },
      bin,
    );
    expect(found?.credential).toEqual(password === undefined ? undefined : { username: "me", password });
    const [, basic] = /Authorization: Basic (\S+)"/.exec(credentials) ?? [];
    expect(basic).toBe(password === undefined ? undefined : AUTH(password).auth);
  },
);

describe("where a registry leads to", () => {
  const UPLOADS = `https://${HOST}/v2/docs/nginx-unprivileged/blobs/uploads/`;

  test.for([
    "/v2/docs/x/blobs/uploads/1",
    `https://${HOST}/u/1?state=a%3D`,
    `http://${HOST}/u/1`,
    `http://${HOST}:5000/u/1`,
    `HTTP://Registry.Internal/u/1`,
    `https://${HOST}:443/u/1`,
    `//${HOST}/u/1`,
    "1?state=b",
    "https://storage.internal/u/1?signature=a%2Fb",
    "http://storage.internal/u/1",
    `http://${HOST}.other/u/1`,
    "http://registry.internal:x@other.internal/u/1",
    "ftp://registry.internal/u/1",
    "",
  ])("is where the provider goes, or neither does: «%s»", async (location, context) => {
    const { client } = scriptedRegistry(() => ({}));
    const wanted = await client
      .located(location === "" ? null : location, new URL(UPLOADS))
      .catch(() => undefined);
    const { addresses, output } = load(context, { LOCATION: `Location: ${location}` });
    const [put] = addresses.filter((each) => each.startsWith("PUT "));
    const went = put?.replace("PUT ", "").replace(/[?&]digest=.*/, "");
    expect(went && new URL(went).href).toBe(wanted?.href);
    if (wanted === undefined) expect(output).toMatch(/not followed|no usable Location/);
    expect(addresses.filter((each) => / http:/.test(each))).toEqual([]);
  });
});

describe("whether a registry lacks a blob", () => {
  const DIGEST = `sha256:${"a".repeat(64)}`;
  const STORE = "https://storage.internal/blob";

  test.for<
    [string, { head: number; get?: number; storeHead?: number; storeGet?: number }, "no" | "yes" | "open"]
  >([
    ["it has it", { head: 200 }, "no"],
    ["it has it not", { head: 404, get: 404 }, "yes"],
    ["it refuses HEAD, and has it", { head: 405, get: 206 }, "no"],
    ["it refuses HEAD, and has it without ranges", { head: 403, get: 200 }, "no"],
    ["it refuses HEAD, and has it not", { head: 405, get: 404 }, "yes"],
    ["it has an empty one", { head: 405, get: 416 }, "no"],
    ["it answers 404 to HEAD alone", { head: 404, get: 206 }, "no"],
    ["it refuses both", { head: 403, get: 403 }, "open"],
    ["its store has it", { head: 307, storeHead: 200 }, "no"],
    ["its store lost it", { head: 307, get: 307, storeHead: 404, storeGet: 404 }, "yes"],
    ["its store refuses HEAD, and has it", { head: 307, get: 307, storeHead: 403, storeGet: 206 }, "no"],
    ["its store refuses HEAD, and lost it", { head: 307, get: 307, storeHead: 403, storeGet: 404 }, "yes"],
  ])("is what the provider says, if %s", async ([, answers, wanted], context) => {
    const { head, get = 0, storeHead = 0, storeGet = 0 } = answers;
    const { client } = scriptedRegistry(({ method, url }) => {
      const ofStore = url.startsWith(STORE);
      const status = method === "HEAD" ? (ofStore ? storeHead : head) : ofStore ? storeGet : get;
      return status === 307 ? { status, headers: { location: STORE } } : { status };
    });
    const lacks = await lacksBlob(client, DIGEST);
    expect(lacks).toBe(wanted === "yes");
    const env = { HEAD: head, GET: get, STORE_HEAD: storeHead, STORE_GET: storeGet };
    const texts = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, String(value)]));
    const { output, addresses } = load(
      context,
      { ...texts, LOCATION: `Location: ${STORE}` },
      undefined,
      true,
    );
    expect(output.includes(" lacks sha256:")).toBe(lacks);
    // what nobody knows is neither sent again nor called done
    expect(output.includes("cannot tell whether")).toBe(wanted === "open");
    expect(output.includes("OK: ")).toBe(wanted === "no");
    expect(addresses.some((each) => each.startsWith("POST "))).toBe(lacks);
  });
});
