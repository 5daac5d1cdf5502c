// examples/promotion on the cluster: a stack that exports, copies and signs, and one that installs what the first one made.
import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { registryWithBase } from "./closedNetwork.ts";
import { copyExample } from "./copiedExample.ts";
import { buildInstallation } from "./installation.ts";

const PROMOTION = join(import.meta.dirname, "../../examples/promotion");
/** Limit of a promotion and of going back, until the page is served: beside other tests on a busy machine. */
const LIMIT_MS = 150_000;

test("production installs the digest that staging signed and starts no job, goes back to an earlier one, and refuses an unsigned image before a pod changes", async (context) => {
  context.skip(
    process.env["CLUSTER_NODE_CONTROL"] === undefined,
    "the registry is in the network of the node that these tests start",
  );
  const { host, base } = await registryWithBase(context);
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const keyFile = join(await mkdtemp(join(tmpdir(), "promotion-")), "release.pub");
  context.onTestFinished(() => rm(dirname(keyFile), { recursive: true }));
  await writeFile(keyFile, publicKey.export({ type: "spki", format: "pem" }));
  const production = await buildInstallation(context, {
    program: join(PROMOTION, "production/index.ts"),
    servesImage: true,
    config: { staging: "organization/docs-staging/staging", publicKey: keyFile },
  });
  const { service, stack } = production;
  const staging = await production.open({
    program: join(PROMOTION, "staging/index.ts"),
    project: "docs-staging",
    stack: "staging",
    config: { domain: "docs.example.com", version: "v1", repository: `${host}/docs/site`, base },
    env: { SIGNING_KEY: privateKey.export({ type: "pkcs8", format: "pem" }).toString() },
  });
  const release = async (version: string, page: string) => {
    await production.writeStartPage(`# Welcome\n\n${page}\n`);
    await staging.setConfig("version", version);
    const { ok, error, outputs } = await staging.up();
    expect(error).toBeUndefined();
    expect(ok).toBe(true);
    return outputs;
  };
  /** Installs what staging made, without any request to the service. @returns the image that the pods run */
  const promote = async (what: string, page: string, limitMs?: number): Promise<unknown> => {
    const asked = service.requests.length;
    const startedAt = performance.now();
    const { outputs } = await production.up();
    await production.serves(page);
    const elapsedMs = Math.round(performance.now() - startedAt);
    const sent = service.requests.slice(asked);
    console.log(`promotion: ${what}: served after ${elapsedMs} ms, ${sent.length} requests to the service`);
    expect(sent).toEqual([]);
    if (limitMs !== undefined) expect(elapsedMs).toBeLessThan(limitMs);
    const images = (await production.pods()).map(({ spec }) => spec?.["containers"]);
    for (const containers of images) expect(containers).toMatchObject([{ image: outputs["image"]?.value }]);
    return outputs["image"]?.value;
  };

  const first = await release("v1", "The first edition.");
  expect(await promote("first install", "The first edition.")).toBe(first["image"]?.value);

  const second = await release("v2", "The second edition.");
  expect(second["changes"]?.value).toMatchObject({
    since: first["image"]?.value,
    changed: { paths: expect.arrayContaining(["index.html"]) as string[] },
  });
  expect(await promote("promote", "The second edition.", LIMIT_MS)).toBe(second["image"]?.value);

  await production.setConfig({ version: "v1" });
  expect(await promote("back", "The first edition.", LIMIT_MS)).toBe(first["image"]?.value);
  expect(second["earlier"]?.value).toMatchObject([{ version: "v1", image: first["image"]?.value }]);

  const example = await copyExample(context, "promotion/staging");
  await example.changeProgram((text) => text.replace('  signingKeyEnv: "SIGNING_KEY",\n', ""));
  const unsigned = await production.open({
    program: example.program,
    project: "docs-staging",
    stack: "unsigned",
    config: { domain: "docs.example.com", version: "v3", repository: `${host}/docs/unsigned`, base },
  });
  const made = await unsigned.up();
  expect(made.error).toBeUndefined();
  await production.setConfig({ staging: "organization/docs-staging/unsigned", version: "v3" });
  const before = (await production.pods()).map(({ metadata }) => metadata.uid);
  for (const run of ["preview", "up"] as const) {
    const { ok, error } = await stack[run]();
    expect(ok).toBe(false);
    expect(error).toContain(`${String(made.outputs["image"]?.value)} has no signature`);
    expect(error).toContain("Nothing was installed, and no pod was changed");
  }
  expect((await production.pods()).map(({ metadata }) => metadata.uid)).toEqual(before);
  await production.serves("The first edition.");
});
