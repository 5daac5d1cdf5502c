// Copies are made as in another stack, their states are forgotten, and they are imported by their addresses.
import { createHash, generateKeyPairSync } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import nodeFetch from "node-fetch";
import { create } from "tar";
import { beforeEach, describe, expect, onTestFinished, test, type TestContext, vi } from "vitest";
import { bundleCopy } from "../../../provider/bundleCopy/lifeCycle.ts";
import type { BundleCopyState } from "../../../provider/bundleCopy/state.ts";
import type { Context } from "../../../provider/resource/context.ts";
import { decisionLine } from "../../../provider/resource/decision.ts";
import { systemClock } from "../../../provider/time/clock.ts";
import { CANARIES, startBucketStub, STUB_BUCKET } from "../../simulation/bucketStub.ts";
import { recordingReporter } from "../../simulation/recordingReporter.ts";
import { startRegistryStub, storeBase, type RegistryStub } from "../../simulation/registryStub.ts";
import { KEY, testContext } from "../../simulation/testContext.ts";

let folder: string;
/** The service's base URL, and its calls. */
let service: string;
let calls: string[];
/** Environment variables of a test, besides those of all tests. */
let variables: Readonly<Record<string, string | undefined>>;

beforeEach(async (context) => {
  folder = mkdtempSync(join(tmpdir(), "copy-import-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  calls = [];
  variables = {};
  packed("v1", { "guide/a.html": `<title>A</title><p>${"installation ".repeat(99)}</p>` });
  const server = createServer(({ method, url }, response) => {
    if (url === "/store") return response.end(readFileSync(fileOf("v1")));
    calls.push(`${method ?? ""} ${url ?? ""}`);
    const link = {
      bundleUrl: `${service}/store`,
      expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
    };
    const isFound = !String(url).includes("nope");
    response.writeHead(isFound ? 200 : 404, { "content-type": "application/json" });
    return response.end(JSON.stringify(method === "GET" ? { status: "completed" } : link));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  context.onTestFinished(() => server.close().closeAllConnections());
  service = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

const environment = (name: string): string | undefined =>
  ({
    PULUMI_HOME: join(folder, "home"),
    DOCS_HOSTING_BASE_URL: service,
    DOCS_HOSTING_ADMIN_API_KEY: KEY,
    ...variables,
  })[name];

const context = (): Context =>
  testContext({
    fetch: (url, init) => nodeFetch(url, init),
    clock: systemClock,
    configuration: { environment, stackConfig: () => undefined },
  });

const fileOf = (name: string): string => join(folder, `${name}.tar.gz`);
const sha256Of = (name: string): string =>
  createHash("sha256")
    .update(readFileSync(fileOf(name)))
    .digest("hex");

function packed(name: string, files: Readonly<Record<string, string>>): void {
  const site = join(folder, `site-${name}`);
  for (const [path, text] of Object.entries({ "index.html": "<title>Docs</title>", ...files })) {
    mkdirSync(join(site, path, ".."), { recursive: true });
    writeFileSync(join(site, path), text);
  }
  create(
    { file: fileOf(name), cwd: site, gzip: true, portable: true, noMtime: true, sync: true },
    readdirSync(site),
  );
}

const newKey = (): string =>
  generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString();

const exported = { domain: "docs.example.com", jobId: "7f3a" };

/** Copies as another stack does. */
async function copied(destination: object, more: object = {}): Promise<BundleCopyState> {
  const { inputs, failures } = bundleCopy.check(
    { source: exported, destination, ...more },
    context().configuration,
  );
  expect(failures).toEqual([]);
  const state = await bundleCopy.create(context(), inputs);
  calls = [];
  return state;
}

/** Imports a copy, and runs the program that Pulumi prints. @returns that program, and the state */
async function imported(id: string): Promise<{ program: Record<string, unknown>; state: BundleCopyState }> {
  const { inputs, state } = await bundleCopy.import(context(), id);
  const program: Record<string, unknown> = { ...inputs };
  const checked = bundleCopy.check(program, context().configuration, program);
  expect(checked.failures).toEqual([]);
  const { changed, replaces, hidden, decision } = bundleCopy.diff(checked.inputs, state, {
    name: "m",
    nowMs: Date.now(),
  });
  expect({ changed, replaces, hidden, decided: decisionLine(decision) }).toEqual({
    changed: [],
    replaces: [],
    hidden: false,
    decided: `UP_TO_DATE: ${state.outputs.uri} is the copy`,
  });
  // a refresh finds it as the state describes it
  expect((await bundleCopy.read(context(), state))?.state).toEqual(state);
  return { program, state };
}

/** The state that an import must give: that of the stack that made the copy. Only its age is not known. */
function expectSame(found: BundleCopyState, made: BundleCopyState): void {
  const isDate = expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as string;
  const { outputs, bookkeeping } = made;
  expect(found).toEqual({
    outputs: {
      ...outputs,
      copiedAt: isDate,
      ...(outputs.expiresAt && {
        bundleUrl: expect.any(String) as string,
        expiresAt: isDate,
        renewAfter: isDate,
      }),
    },
    bookkeeping: {
      ...bookkeeping,
      copies: bookkeeping.copies.map(({ copy, bundle }) => ({
        copy,
        bundle: { ...bundle, copiedAt: isDate },
      })),
    },
  });
}

const QUERY = "?domain=docs.example.com&jobId=7f3a&version=v1";
const V1 = { ...exported, version: "v1" };

describe("an archive in a folder", () => {
  test("is its own source, and no request is sent", async () => {
    const destination = { folder: join(folder, "copies") };
    const made = await copied(destination, { source: V1 });
    const { program, state } = await imported(made.outputs.uri);
    const version = sha256Of("v1").slice(0, 12);
    expect(program).toEqual({ source: { file: made.outputs.uri, version }, destination });
    expect(state.outputs).toMatchObject({ version, sha256: sha256Of("v1"), pages: 2, files: 2 });
    expect(state.outputs).not.toHaveProperty("jobId");
    expect(calls).toEqual([]);
    expect(existsSync(join(folder, "home/docs-hosting/scratch"))).toBe(false);
    // the next version is made beside it, and keep counts it
    packed("v2", {});
    const next = { ...program, source: { file: fileOf("v2"), version: "v2" } };
    const { inputs } = bundleCopy.check(next, context().configuration);
    const { bookkeeping } = await bundleCopy.update(context(), state, inputs);
    expect(bookkeeping.copies).toHaveLength(2);
    expect(readdirSync(destination.folder)).toHaveLength(2);
  });

  test("has the export as its source if the id names it", async () => {
    const made = await copied({ folder: join(folder, "copies") }, { source: V1 });
    const { program, state } = await imported(`${made.outputs.uri}${QUERY}`);
    expect(program["source"]).toEqual(V1);
    expectSame(state, made);
    expect(calls).toEqual([]);
  });

  test.each<[string, object]>([
    ["version=v9", { version: "v9" }],
    [
      "domain=docs.example.com",
      { version: expect.stringMatching(/^[0-9a-f]{12}$/) as string, domain: "docs.example.com" },
    ],
  ])("is its own source with ?%s: only a domain and a job are an export", async (query, source) => {
    const made = await copied({ folder: join(folder, "copies") }, { source: V1 });
    const { program } = await imported(`${made.outputs.uri}?${query}`);
    expect(program["source"]).toEqual({ file: made.outputs.uri, ...source });
  });

  test("has the file as its source that the id names, with its domain", async () => {
    const made = await copied({ folder: join(folder, "copies") }, { source: V1 });
    const query = `file=${encodeURIComponent(fileOf("v1"))}&version=v9&domain=docs.example.com`;
    const { program } = await imported(`${made.outputs.uri}?${query}`);
    expect(program["source"]).toEqual({ file: fileOf("v1"), version: "v9", domain: "docs.example.com" });
  });

  test("has no version of its own if that is the job", async () => {
    const made = await copied({ folder: join(folder, "copies") }, { source: exported });
    const { program } = await imported(`${made.outputs.uri}?domain=docs.example.com&jobId=7f3a&version=7f3a`);
    expect(program["source"]).toEqual(exported);
  });

  test("of another digest, no bundle, or no file is refused", async () => {
    const copies = join(folder, "copies");
    mkdirSync(copies);
    const put = (content: string): string => {
      const path = join(copies, `${createHash("sha256").update(content).digest("hex")}.tar.gz`);
      writeFileSync(path, content);
      return path;
    };
    const page = put("<html>login</html>");
    await expect(imported(page)).rejects.toThrow(
      /^.*\.tar\.gz: the bundle is refused: it is a web page.* instead of an archive\. Nothing was imported/,
    );
    writeFileSync(page, "other");
    await expect(imported(page)).rejects.toThrow("is not the archive that its name says: its SHA-256 is");
    rmSync(page);
    await expect(imported(page)).rejects.toThrow(`there is no file ${page}. Nothing was imported`);
  });
});

describe("a site in a folder", () => {
  const made = (more: object = {}): Promise<BundleCopyState> =>
    copied({ folder: join(folder, "copies"), layout: "site" }, { source: V1, ...more });

  test("is compared with the bundle of its source, file by file", async () => {
    const before = await made();
    const { program, state } = await imported(`${before.outputs.uri}${QUERY}`);
    expect(program).toEqual({ source: V1, destination: { folder: join(folder, "copies"), layout: "site" } });
    expectSame(state, before);
    expect(calls.filter((call) => call.startsWith("POST"))).toEqual([
      expect.stringContaining("/7f3a/bundle"),
    ]);
    expect(readdirSync(join(folder, "home/docs-hosting/downloads"))).toEqual([]);
  });

  test("without the files that only start it on a reader's own computer is recognised", async () => {
    packed("v1", { "serve.js": "serve()", "Start.command": "node serve.js", "Start.bat": "node serve.js" });
    const before = await made();
    expect(existsSync(join(before.outputs.sitePath ?? "", "serve.js"))).toBe(false);
    expectSame((await imported(`${before.outputs.uri}${QUERY}`)).state, before);
  });

  test("with a search is recognised; options are named by the id", async () => {
    const all = await made({ offlineSearch: true });
    const { program, state } = await imported(`${all.outputs.uri}${QUERY}`);
    expect(program["offlineSearch"]).toBe(true);
    expectSame(state, all);
    const offlineSearch = { button: false };
    const some = await made({ offlineSearch });
    await expect(imported(`${some.outputs.uri}${QUERY}`)).rejects.toThrow(
      "If it has a search with options, add them: ?offlineSearch={…}",
    );
    const given = `${QUERY}&offlineSearch=${encodeURIComponent(JSON.stringify(offlineSearch))}`;
    const again = await imported(`${some.outputs.uri}${given}`);
    expect(again.program["offlineSearch"]).toEqual(offlineSearch);
    expectSame(again.state, some);
  });

  test("needs its source: a file, or domain and job", async () => {
    const { uri } = (await made()).outputs;
    await expect(imported(uri)).rejects.toThrow(
      `${uri}: the copy does not record the domain and the jobId of its source. Nothing was imported. Add the source to the id: ${uri}?domain=docs.example.com&jobId=7f3a&version=v1`,
    );
    await expect(imported(`${uri}?domain=docs.example.com`)).rejects.toThrow(
      "the copy does not record the jobId of its source",
    );
    await expect(imported(`${uri}?jobId=7f3a`)).rejects.toThrow(
      "the copy does not record the domain of its source",
    );
    await expect(imported(`${uri}?file=${fileOf("v1")}`)).rejects.toThrow(
      "the copy does not record the version of its source",
    );
    const { program } = await imported(`${uri}?file=${encodeURIComponent(fileOf("v1"))}&version=v1`);
    expect(program["source"]).toEqual({ file: fileOf("v1"), version: "v1" });
    await expect(imported(`${uri}?domain=docs.example.com&jobId=nope`)).rejects.toThrow(
      "Nothing was imported",
    );
  });

  test("made from another bundle is refused with both digests' meaning", async () => {
    const { uri } = (await made()).outputs;
    packed("v2", {});
    await expect(imported(`${uri}?file=${fileOf("v2")}&version=v2`)).rejects.toThrow(
      `the bundle of the file ${fileOf("v2")} has the SHA-256 ${sha256Of("v2")}, and the copy has other content`,
    );
  });

  test("whose list was exchanged together with a file is refused: the bundle has other files", async () => {
    const { uri } = (await made()).outputs;
    writeFileSync(join(uri, "index.html"), "<title>Mine</title>");
    await expect(imported(`${uri}${QUERY}`)).rejects.toThrow("are not those of its list");
    const list = JSON.parse(readFileSync(`${uri}.json`, "utf8")) as object;
    const sha256 = createHash("sha256").update("<title>Mine</title>").digest("hex");
    writeFileSync(`${uri}.json`, JSON.stringify({ ...list, "index.html": sha256 }));
    await expect(imported(`${uri}${QUERY}`)).rejects.toThrow("and the copy has other content");
  });

  test("with a file more than its bundle is refused, even if its list has the file", async () => {
    const { uri } = (await made()).outputs;
    writeFileSync(join(uri, "mine.html"), "mine");
    const list = JSON.parse(readFileSync(`${uri}.json`, "utf8")) as object;
    const sha256 = createHash("sha256").update("mine").digest("hex");
    writeFileSync(`${uri}.json`, JSON.stringify({ ...list, "mine.html": sha256 }));
    await expect(imported(`${uri}${QUERY}`)).rejects.toThrow("and the copy has other content");
  });

  test("that is not served, or not there, or without its list is refused", async () => {
    const { uri } = (await made()).outputs;
    rmSync(join(folder, "copies/current"));
    await expect(imported(`${uri}${QUERY}`)).rejects.toThrow("current leads nowhere, not to this copy");
    symlinkSync("0".repeat(64), join(folder, "copies/current"));
    await expect(imported(`${uri}${QUERY}`)).rejects.toThrow(`leads to ${"0".repeat(64)}, not to this copy`);
    rmSync(`${uri}.json`);
    await expect(imported(`${uri}${QUERY}`)).rejects.toThrow("has no list of its files beside it");
    rmSync(uri, { recursive: true });
    await expect(imported(`${uri}${QUERY}`)).rejects.toThrow(`there is no folder ${uri}`);
  });
});

describe("a copy in a bucket", () => {
  const start = async (
    test: TestContext,
    more: object = {},
  ): Promise<{ made: BundleCopyState; store: Awaited<ReturnType<typeof startBucketStub>>; at: string }> => {
    for (const [name, value] of Object.entries(CANARIES)) vi.stubEnv(name, value);
    test.onTestFinished(() => void vi.unstubAllEnvs());
    const store = await startBucketStub(test);
    const destination = { bucket: STUB_BUCKET, prefix: "docs/site", endpoint: store.endpoint, ...more };
    const made = await copied(destination, { source: V1 });
    store.requests.length = 0;
    return { made, store, at: `${made.outputs.uri}${QUERY}&endpoint=${encodeURIComponent(store.endpoint)}` };
  };
  const writes = ({ requests }: Awaited<ReturnType<typeof startBucketStub>>): string[] =>
    requests.map(({ method }) => method).filter((method) => !["GET", "HEAD"].includes(method));

  test("as an archive is downloaded and verified; nothing is written", async (test) => {
    const { made, store, at } = await start(test);
    const { program, state } = await imported(at);
    expect(program).toEqual({
      source: V1,
      destination: { bucket: STUB_BUCKET, prefix: "docs/site", endpoint: store.endpoint },
    });
    expectSame(state, made);
    expect([...calls, ...writes(store)]).toEqual([]);
  });

  test("with a signed link gets a new one", async (test) => {
    const { made, at } = await start(test, { linkLife: "24h" });
    const { program, state } = await imported(`${at}&linkLife=24h`);
    expect(program["destination"]).toHaveProperty("linkLife", "24h");
    expectSame(state, made);
  });

  test("as a site is found by its record, and compared with the bundle", async (test) => {
    const { made, store, at } = await start(test, { layout: "site" });
    expect(made.outputs.uri).toBe(`s3://docs/docs/site/#sha256:${sha256Of("v1")}`);
    const { program, state } = await imported(at);
    expect(program["destination"]).toMatchObject({ prefix: "docs/site", layout: "site" });
    expectSame(state, made);
    expect(writes(store)).toEqual([]);
    store.put("docs/site/index.html", "other");
    await expect(imported(at)).rejects.toThrow("below s3://docs/docs/site are not those of this copy");
    store.objects.clear();
    await expect(imported(at)).rejects.toThrow(
      "there is no record of this copy, s3://docs/docs/site/.docs-h",
    );
  });

  test("without a source, of another digest, or missing is refused", async (test) => {
    const { made, store, at } = await start(test);
    const endpoint = `endpoint=${encodeURIComponent(store.endpoint)}`;
    const key = `docs/site/${sha256Of("v1")}.tar.gz`;
    await expect(imported(`${made.outputs.uri}?${endpoint}`)).rejects.toThrow(
      "does not record the domain and",
    );
    store.put(key, readFileSync(fileOf("v1")));
    await expect(imported(at)).rejects.toThrow("does not record its SHA-256, as copies of this package do");
    store.put(key, "other", { "x-amz-meta-sha256": sha256Of("v1") });
    await expect(imported(at)).rejects.toThrow("is not the archive that its name says");
    store.objects.clear();
    await expect(imported(at)).rejects.toThrow(`there is no object s3://docs/${key}`);
  });
});

describe("an image", () => {
  test("records its source, and its files are compared with the bundle's", async (test) => {
    const registry = await startRegistryStub(test);
    const repository = `${registry.host}/docs/site`;
    const made = await copied({ repository }, { source: V1 });
    registry.requests.length = 0;
    const { program, state } = await imported(made.outputs.uri);
    expect(program).toEqual({ source: V1, destination: { repository } });
    expectSame(state, made);
    expect(registry.requests.filter((each) => !/^(GET|HEAD) /.test(each))).toEqual([]);
    expect(calls.filter((call) => call.startsWith("POST"))).toEqual([
      expect.stringContaining("/7f3a/bundle"),
    ]);
  });

  test("with a search, a tag and a job as its version is recognised", async (test) => {
    const registry = await startRegistryStub(test);
    const repository = `${registry.host}/docs/site`;
    const made = await copied({ repository, tag: "latest" }, { offlineSearch: true });
    const { program, state } = await imported(`${made.outputs.uri}?tag=latest`);
    expect(program).toEqual({
      source: exported,
      destination: { repository, tag: "latest" },
      offlineSearch: true,
    });
    expectSame(state, made);
  });

  test("of the same files in another archive is refused: the image names its archive", async (test) => {
    const { host } = await startRegistryStub(test);
    const made = await copied({ repository: `${host}/docs/site`, plainHttp: true }, { source: V1 });
    const { program } = await imported(`${made.outputs.uri}?plainHttp=true`);
    expect(program["destination"]).toHaveProperty("plainHttp", true);
    const cwd = join(folder, "site-v1");
    create({ file: fileOf("v1"), cwd, gzip: { level: 1 }, portable: true, sync: true }, readdirSync(cwd));
    await expect(imported(made.outputs.uri)).rejects.toThrow("but the copy was made from");
  });

  test("on a base names it, and its labels are not mistaken for those of the copy", async (test) => {
    const registry = await startRegistryStub(test);
    const repository = `${registry.host}/docs/site`;
    storeBase(registry, "1.30", { "org.opencontainers.image.revision": "c0ffee" });
    const base = `${registry.host}/nginx:1.30`;
    const made = await copied({ repository, base }, { source: { file: fileOf("v1"), version: "v1" } });
    await expect(imported(made.outputs.uri)).rejects.toThrow("does not record the domain and the jobId");
    const { program, state } = await imported(`${made.outputs.uri}?file=${fileOf("v1")}`);
    expect(program).toEqual({
      source: { file: fileOf("v1"), version: "v1" },
      destination: { repository, base },
    });
    expectSame(state, made);
  });

  test("that is missing, is no copy, or was made from another bundle is refused", async (test) => {
    const registry = await startRegistryStub(test);
    const repository = `${registry.host}/docs/site`;
    const made = await copied({ repository }, { source: V1 });
    await expect(imported(`${repository}@sha256:${"0".repeat(64)}`)).rejects.toThrow("there is no image");
    storeBase(registry, "1.30");
    const digest = [...registry.manifests.keys()].at(-1) ?? "";
    await expect(imported(`${repository}@${digest}`)).rejects.toThrow(
      "has no annotation docs-hosting.bundle.sha256. Nothing was imported. It is no copy of this package.",
    );
    packed("v2", {});
    await expect(imported(`${made.outputs.uri}?file=${fileOf("v2")}`)).rejects.toThrow(
      `the bundle of the file ${fileOf("v2")} has the SHA-256 ${sha256Of("v2")}, but the copy was made from ${sha256Of("v1")}`,
    );
  });

  describe("that is signed", () => {
    const [key, other] = [newKey(), newKey()];
    const signed = async (
      test: TestContext,
    ): Promise<{ made: BundleCopyState; registry: RegistryStub; at: string }> => {
      const registry = await startRegistryStub(test);
      variables = { SIGNING_KEY: key, OTHER_KEY: other };
      const repository = `${registry.host}/docs/site`;
      const made = await copied({ repository }, { source: V1, signingKeyEnv: "SIGNING_KEY" });
      registry.requests.length = 0;
      return { made, registry, at: `${made.outputs.uri}?signingKeyEnv` };
    };

    test("has the key's variable in its program, and all parts of the signature in its state", async (test) => {
      const { made, registry, at } = await signed(test);
      const { program, state } = await imported(`${at}=SIGNING_KEY`);
      expect(program["signingKeyEnv"]).toBe("SIGNING_KEY");
      expectSame(state, made);
      expect(registry.requests.filter((each) => !/^(GET|HEAD) /.test(each))).toEqual([]);
      await bundleCopy.remove(context(), state);
      expect([...registry.manifests.keys()]).toEqual([]);
    });

    test("is refused with another key, with none in the variable, and with the key in place of its variable", async (test) => {
      const { at, registry } = await signed(test);
      await expect(imported(`${at}=OTHER_KEY`)).rejects.toThrow(
        "the key in OTHER_KEY signed no image, provenance and SBOM there. Nothing was imported. Another key signed the image",
      );
      registry.requests.length = 0;
      await expect(imported(`${at}=NO_KEY`)).rejects.toThrow(
        "the environment variable NO_KEY, which `signingKeyEnv` names, is not set. Nothing was imported",
      );
      const refusal = await imported(`${at}=${encodeURIComponent(key)}`).catch(String);
      expect(refusal).toContain("must be the name of an environment variable, not the key itself");
      expect(refusal).not.toContain("PRIVATE");
      expect(registry.requests).toEqual([]);
    });

    test.for([
      ["the signature", /\.sig$/],
      ["the attestations", /\.att$/],
    ] as const)("without %s is refused", async ([, tag], test) => {
      const { at, registry } = await signed(test);
      const name = [...registry.manifests.keys()].find((each) => tag.test(each)) ?? "";
      registry.manifests.delete(name);
      await expect(imported(`${at}=SIGNING_KEY`)).rejects.toThrow("the key in SIGNING_KEY signed no image");
    });

    test("without the referrer of a document is refused", async (test) => {
      const { made, at, registry } = await signed(test);
      const { artifacts } = made.bookkeeping.copies[0]?.copy.parts as { artifacts: string[] };
      expect(registry.manifests.delete(artifacts.at(-1) ?? "")).toBe(true);
      await expect(imported(`${at}=SIGNING_KEY`)).rejects.toThrow("the key in SIGNING_KEY signed no image");
    });

    test("without the key's name is imported with a warning", async (test) => {
      const { made } = await signed(test);
      const reporter = recordingReporter();
      const { inputs } = await bundleCopy.import({ ...context(), reporter }, made.outputs.uri);
      expect(inputs).not.toHaveProperty("signingKeyEnv");
      expect(reporter.lines.warn).toEqual([
        expect.stringContaining(`${made.outputs.uri} is signed, and its ID does not name the key`),
      ]);
    });
  });

  test("that is not signed is imported without a warning, and not with the name of a key", async (test) => {
    const { host } = await startRegistryStub(test);
    variables = { SIGNING_KEY: newKey() };
    const made = await copied({ repository: `${host}/docs/site` }, { source: V1 });
    const reporter = recordingReporter();
    await bundleCopy.import({ ...context(), reporter }, made.outputs.uri);
    expect(reporter.lines.warn).toEqual([]);
    await expect(imported(`${made.outputs.uri}?signingKeyEnv=SIGNING_KEY`)).rejects.toThrow(
      "signed no image, provenance and SBOM there. Nothing was imported. Leave signingKeyEnv out",
    );
  });
});

const DIGEST = "a".repeat(64);

test.for([
  ["copies", "copies: is not the address of a copy. Write the output uri of the copy: FOLDER/SHA256.tar.gz"],
  [`s3://docs/${DIGEST}`, "is not the address of a copy"],
  [`s3://docs/site/#sha256:${DIGEST.slice(1)}`, "is not the address of a copy"],
  [`r.internal/docs:v1@sha256:${DIGEST}`, "is not the address of a copy"],
  ["docs.example.com/7f3a", "is not the address of a copy"],
  [`copies/${DIGEST}?place=x`, "there is no field place. Fields are: domain, jobId, version, file, baseUrl"],
  [`copies/${DIGEST}.zip?offlineSearch=true`, "there is no field offlineSearch"],
  [`copies/${DIGEST}?endpoint=x`, "there is no field endpoint"],
  [`copies/${DIGEST}?domain=%`, "the value of domain is not percent-encoded"],
  [`s3://Docs/${DIGEST}.zip`, "destination.bucket must consist of a-z, 0-9"],
  [`r.internal/docs@sha256:${DIGEST}?plainHttp=1`, "destination.plainHttp must be true or false"],
] as const)("the id %s is refused without a request", async ([id, message]) => {
  const { message: found } = await bundleCopy.import(context(), id).then(
    () => new Error("imported"),
    (error: unknown) => error as Error,
  );
  expect(found).toContain(message);
  expect(calls).toEqual([]);
});
