// `pulumi import` of copies in a real store and a real registry: what is there is read and verified, nothing is sent to it, and with
// the program of what was read the next `up` changes nothing. On the CLI, that program is the one that it prints.
import { generateKeyPairSync } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test, type TestContext, vi } from "vitest";
import { findCommand, runCommand } from "../programs/commands.ts";
import { docs } from "../stack/programFolder.ts";
import { startsOf } from "../stack/requests.ts";
import { buildWorld, CANARY_KEY, previewIsEmpty, stepsOf, succeeded, type World } from "../stack/world.ts";
import { startFaultyProxy } from "./faultyProxy.ts";
import { crane, pushBase } from "./images.ts";
import { startRegistry } from "./registry.ts";
import { azure } from "./stores/azure.ts";
import { gcs } from "./stores/gcs.ts";
import { ACCESS_KEY, BUCKET, SECRET, startS3 } from "./stores/s3.ts";

/** Nine copies each, and as many operations of an engine. */
vi.setConfig({ testTimeout: 300_000 });

const ROOT = join(import.meta.dirname, "../..");
const TYPE = "docs-hosting:index:BundleCopy";
const SIGNING_KEY = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" });
const ENVIRONMENT = {
  AWS_ACCESS_KEY_ID: ACCESS_KEY,
  AWS_SECRET_ACCESS_KEY: SECRET,
  ...azure.environment,
  ...gcs.environment,
  SIGNING_KEY: SIGNING_KEY.toString(),
};

/** A copy in no state, by the name that it had in the program. */
interface Copy {
  readonly name: string;
  /** For `pulumi import`. */
  readonly id: string;
}

/** Makes copies of every kind, of one export, and forgets their state. The export stays in it. */
async function forgottenCopies(context: TestContext): Promise<{
  world: World;
  copies: Copy[];
  /** Requests of all kinds but reads since the last call, to the stores and to the registry. */
  writes: () => string[];
}> {
  const [store, { host }] = [await startS3(context), await startRegistry(context)];
  const proxy = await startFaultyProxy(context, host, () => undefined);
  const base = `${proxy.host}/nginx-unprivileged:1.30`;
  await pushBase(context, `${host}/nginx-unprivileged:1.30`);
  const world = await buildWorld(context, { engine: "local", adapter: "native" }, { env: ENVIRONMENT });
  const container = await azure.start(context);
  const google = await gcs.start(context);
  const bucket = { bucket: BUCKET, endpoint: store.endpoint, region: "us-east-1" };
  const inStore = `&endpoint=${encodeURIComponent(store.endpoint)}&region=us-east-1`;
  const repository = (name: string): object => ({ repository: `${proxy.host}/docs/${name}` });
  const kinds: Record<string, { inputs: object; query: string }> = {
    archive: {
      inputs: { destination: { ...bucket, prefix: "archives", linkLife: "24h" } },
      query: `${inStore}&linkLife=24h`,
    },
    website: {
      inputs: { destination: { ...bucket, prefix: "www", layout: "site" }, offlineSearch: true },
      query: inStore,
    },
    blob: {
      inputs: { destination: { ...container.place, prefix: "archives", linkLife: "24h" } },
      query: "&linkLife=24h",
    },
    pages: {
      inputs: { destination: { ...container.place, prefix: "www", layout: "site" }, offlineSearch: true },
      query: "",
    },
    object: {
      inputs: { destination: { ...google.place, prefix: "archives", linkLife: "24h" } },
      query: `&endpoint=${encodeURIComponent(google.endpoint)}&linkLife=24h`,
    },
    files: {
      inputs: { destination: { ...google.place, prefix: "www", layout: "site" }, offlineSearch: true },
      query: `&endpoint=${encodeURIComponent(google.endpoint)}`,
    },
    image: { inputs: { destination: repository("site") }, query: "" },
    runnable: {
      inputs: { destination: { ...repository("on-base"), base, tag: "stable" } },
      query: "?tag=stable",
    },
    signed: {
      inputs: { destination: { ...repository("signed"), base }, signingKeyEnv: "SIGNING_KEY" },
      query: "?signingKeyEnv=SIGNING_KEY",
    },
  };
  const declared = Object.entries(kinds).map(
    ([name, { inputs }]) => `new BundleCopy("${name}", { source: docs, ...${JSON.stringify(inputs)} });`,
  );
  await world.up([`const docs = ${docs(`version: "v1"`)}`, ...declared].join("\n"));
  const before = await world.stack.exportState();
  await world.stack.importState(before.filter(({ type }) => !type.endsWith(":BundleCopy")));
  const { jobId } = (await world.exported()).outputs;
  const source = `?domain=docs.example.com&jobId=${String(jobId)}&version=v1`;
  const copies = Object.entries(kinds).map(([name, { query }]) => {
    const uri = String(before.find(({ urn }) => urn.endsWith(`::${name}`))?.outputs["uri"]);
    return { name, id: /^(?:s3|gs|http):/.test(uri) ? `${uri}${source}${query}` : `${uri}${query}` };
  });
  let [atStore, atContainer, atGoogle, atRegistry] = [0, 0, 0, 0];
  const writes = (): string[] => {
    const seen = [
      ...store.requests.slice(atStore).map(({ method, key }) => `${method} ${key}`),
      ...container.requests.slice(atContainer).map(({ method, key }) => `${method} ${key}`),
      ...google.requests.slice(atGoogle).map(({ method, key, sent = key }) => `${method} ${sent}`),
      ...proxy.passed.slice(atRegistry).map(({ method, path }) => `${method} ${path}`),
    ];
    [atStore, atContainer] = [store.requests.length, container.requests.length];
    [atGoogle, atRegistry] = [google.requests.length, proxy.passed.length];
    return seen.filter((request) => !/^(?:GET|HEAD) /.test(request));
  };
  expect(writes()).not.toEqual([]);
  world.requests();
  return { world, copies, writes };
}

test("copies in a bucket and images, also signed ones, are imported: the next up starts no job and sends nothing, and destroy leaves what the forgotten stack still has marked", async (context) => {
  const { world, copies, writes } = await forgottenCopies(context);
  succeeded(await world.stack.import(copies.map((copy) => ({ type: TYPE, ...copy }))));
  const imported = (await world.stack.exportState()).filter(({ type }) => type === TYPE);
  expect(imported.map(({ urn }) => urn.split("::")[3])).toEqual(copies.map(({ name }) => name));
  const program = imported.map(
    ({ urn, inputs }) => `new BundleCopy("${urn.split("::")[3] ?? ""}", ${JSON.stringify(inputs)});`,
  );
  const whole = [docs(`version: "v1"`), ...program].join("\n");
  expect(stepsOf(await world.up(whole))).toEqual([]);
  expect(startsOf(world.service.requests)).toHaveLength(1);
  await previewIsEmpty(world);
  expect(writes()).toEqual([]);

  // a refresh finds the marks of the forgotten stack, and the next `up` makes those of this one
  succeeded(await world.stack.refresh());
  expect(stepsOf(await world.up(whole)).length).toBeGreaterThan(0);
  const isMark = (write: string): boolean =>
    /\.docs-hosting\/owner\.json|\/docs-hosting-owner-|\/blobs\/uploads\//.test(write);
  expect(writes().filter((write) => !isMark(write))).toEqual([]);
  const outputs = async (): Promise<unknown[]> =>
    (await world.stack.exportState()).map(({ urn, outputs }) => [urn, outputs]);
  const managed = await outputs();
  succeeded(await world.stack.refresh());
  expect(await outputs()).toEqual(managed);
  const signed = imported.find(({ urn }) => urn.endsWith("::signed"))?.outputs["image"];
  const [repository = "", digest = ""] = String(signed).split("@");
  const tags = async (): Promise<string> => crane("ls", repository);
  expect(await tags()).toContain(`${digest.replace(":", "-")}.sig`);
  succeeded(await world.stack.destroy());
  expect((await tags()).match(/^docs-hosting-owner-/gm)).toHaveLength(1);
  expect(await tags()).toContain(`${digest.replace(":", "-")}.sig`);
});

describe("on the CLI", () => {
  const missing = ["pulumi", "pulumi-language-yaml"].filter((command) => !findCommand(command));

  test("the program that it prints for these copies is put back: up is unchanged, starts no job and sends nothing", async (context) => {
    context.skip(missing.length > 0, "there is no pulumi with all that programs in yaml need on PATH");
    const { world, copies, writes } = await forgottenCopies(context);
    const folder = join(world.programFolder, "../yaml");
    await mkdir(join(folder, "state"), { recursive: true });
    const project = [
      "name: imported",
      "runtime: yaml",
      "plugins: { providers: [{ name: docs-hosting, path: " + join(ROOT, "plugin") + " }] }",
      "",
    ].join("\n");
    await writeFile(join(folder, "Pulumi.yaml"), project);
    await writeFile(
      join(folder, "copies.json"),
      JSON.stringify({ resources: copies.map((copy) => ({ type: TYPE, ...copy })) }),
    );
    const env = {
      ...process.env,
      ...ENVIRONMENT,
      DOCS_HOSTING_BASE_URL: world.service.url,
      DOCS_HOSTING_ADMIN_API_KEY: CANARY_KEY,
      PULUMI_HOME: join(folder, "home"),
      PULUMI_BACKEND_URL: `file://${join(folder, "state")}`,
      PULUMI_CONFIG_PASSPHRASE: "scratch",
      PULUMI_SKIP_UPDATE_CHECK: "true",
      PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
    };
    const pulumi = (...args: string[]): Promise<string> =>
      runCommand("pulumi", [...args, "--non-interactive"], { cwd: folder, env });
    await pulumi("stack", "init", "prod");
    const given = ["--file", "copies.json", "--out", "printed.yaml", "--protect=false", "--yes"];
    expect(await pulumi("import", ...given)).toMatch(/= 9 imported/);
    const printed = await readFile(join(folder, "printed.yaml"), "utf8");
    await writeFile(join(folder, "Pulumi.yaml"), project + printed);
    const up = await pulumi("up", "--yes", "--skip-preview");
    expect(up).toMatch(/^ +10 unchanged$/m);
    expect(startsOf(world.service.requests)).toHaveLength(1);
    expect(writes().filter((write) => !/\/owners\/|\/docs-hosting-owner-/.test(write))).toEqual([]);
  });
});
