// Signed copies: the rules of the key, and what the state has. Real registries and verifiers: test/copies/signedImages.test.ts.
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fetch from "node-fetch";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { UNKNOWN } from "../../../../provider/base/runtime/messages/plainText.ts";
import { systemClock } from "../../../../provider/base/runtime/time/clock.ts";
import type { CheckedCopyInputs } from "../../../../provider/copies/bundleCopy/inputs.ts";
import { bundleCopy } from "../../../../provider/copies/bundleCopy/lifeCycle.ts";
import type { PublicationContext } from "../../../../provider/copies/publication/context.ts";
import type { CheckFailure } from "../../../../provider/resource/inputTable.ts";
import { packedSite } from "../../../simulation/packedSite.ts";
import { startRegistryStub } from "../../../simulation/registryStub.ts";
import { testContext } from "../../../simulation/testContext.ts";

const { privateKey, publicKey } = generateKeyPairSync("ed25519");
const KEY = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
const PUBLIC_KEY = publicKey.export({ type: "spki", format: "pem" }).toString();

let folder: string;
let environment: Record<string, string>;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "signed-copy-"));
  environment = { PULUMI_HOME: join(folder, "home"), KEY };
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

const context = (): PublicationContext =>
  testContext({
    fetch,
    clock: systemClock,
    configuration: { environment: (name) => environment[name], stackConfig: () => undefined },
  });

function check(
  given: object,
  before?: Partial<CheckedCopyInputs>,
): { inputs: CheckedCopyInputs; failures: CheckFailure[] } {
  const { file } = packedSite(folder, "site", { "index.html": "<title>Start</title><p>welcome</p>" });
  const source = { file, version: "v1", fileSha256: "0".repeat(64) };
  return bundleCopy.check(
    { source, destination: { repository: "registry.internal/docs/site" }, ...given },
    context().configuration,
    before,
  );
}

const refused = (given: object): CheckFailure[] => check(given).failures;

test("only a repository has signed copies: the check of another destination says so at the input", () => {
  expect(refused({ signingKeyEnv: "KEY" })).toEqual([]);
  expect(refused({ signingKeyEnv: "KEY", destination: UNKNOWN })).toEqual([]);
  for (const destination of [
    { folder: join(folder, "copies") },
    { folder: join(folder, "copies"), layout: "site" },
    { bucket: "docs" },
  ]) {
    expect(refused({ destination, signingKeyEnv: "KEY" })).toEqual([
      { property: "signingKeyEnv", reason: expect.stringContaining("Copy to a `repository`") as string },
    ]);
  }
});

test("a key that cannot sign is a failure of the check, at the input, and no part of it is shown", () => {
  const locked = privateKey.export({
    type: "pkcs8",
    format: "pem",
    cipher: "aes-256-cbc",
    passphrase: "secret",
  });
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
  Object.assign(environment, {
    LOCKED: locked.toString(),
    RSA: rsa.export({ type: "pkcs8", format: "pem" }).toString(),
    COSIGN:
      "-----BEGIN ENCRYPTED SIGSTORE PRIVATE KEY-----\nc2VjcmV0\n-----END ENCRYPTED SIGSTORE PRIVATE KEY-----",
    PUBLIC: PUBLIC_KEY,
  });
  const messages = {
    MISSING: "the environment variable MISSING, which `signingKeyEnv` names, is not set",
    LOCKED: "the key in LOCKED has a passphrase",
    RSA: "the key in RSA has an unsupported type (rsa)",
    COSIGN: "Keys of `cosign generate-key-pair` always have one",
    PUBLIC: "the environment variable PUBLIC holds no private key in PEM",
  };
  for (const [signingKeyEnv, message] of Object.entries(messages)) {
    const [failure, ...others] = refused({ signingKeyEnv });
    expect(failure).toEqual({
      property: "signingKeyEnv",
      reason: expect.stringContaining(message) as string,
    });
    expect(failure?.reason).not.toContain("c2VjcmV0");
    expect(others).toEqual([]);
  }
  expect(refused({ signingKeyEnv: KEY })).toEqual([
    { property: "signingKeyEnv", reason: expect.stringContaining("not the key itself") as string },
  ]);
});

test("a copy that is made already needs no key: not for the check, a refresh or the removal", async (test) => {
  const { host, manifests } = await startRegistryStub(test);
  const given = { destination: { repository: `${host}/docs/site`, tag: "current" }, signingKeyEnv: "KEY" };
  const { inputs } = check(given);
  const state = await bundleCopy.create(context(), inputs);
  expect(state.outputs.publicKey).toBe(PUBLIC_KEY);
  expect(JSON.stringify(state)).not.toContain(KEY.split("\n")[1]);
  delete environment["KEY"];
  expect(check(given, inputs).failures).toEqual([]);
  const read = await bundleCopy.read(context(), state);
  expect(read?.state).toEqual(state);
  expect(bundleCopy.diff(inputs, state, { name: "m", nowMs: 0 }).decision.code).toBe("UP_TO_DATE");

  const signature = [...manifests.keys()].find((name) => name.endsWith(".sig")) ?? "";
  manifests.delete(signature);
  const changed = await bundleCopy.read(context(), state);
  expect(changed && bundleCopy.diff(inputs, changed.state, { name: "m", nowMs: 0 }).decision).toMatchObject({
    code: "DRIFTED",
    text: expect.stringContaining("has changed since it was made") as string,
  });
});

test("another variable signs again; an existing copy is signed where it is, without another digest", async (test) => {
  const { host } = await startRegistryStub(test);
  const given = { destination: { repository: `${host}/docs/site`, tag: "current" } };
  const unsigned = await bundleCopy.create(context(), check(given).inputs);
  expect(unsigned.outputs).not.toHaveProperty("publicKey");
  const { inputs } = check({ ...given, signingKeyEnv: "KEY" });
  expect(bundleCopy.diff(inputs, unsigned, { name: "m", nowMs: 0 }).decision).toMatchObject({
    code: "NEW_CONTENT",
    text: expect.stringMatching(/^signingKeyEnv changed, so /) as string,
  });
  expect(bundleCopy.predict(inputs, unsigned, { name: "m", nowMs: 0 })).toMatchObject({ publicKey: UNKNOWN });
  const signed = await bundleCopy.update(context(), unsigned, inputs);
  expect(signed.outputs).toMatchObject({ image: unsigned.outputs.image, publicKey: PUBLIC_KEY });
  expect(signed.bookkeeping.copies).toHaveLength(1);
});

test.each([
  ["the search that was added", { offlineSearch: { button: false } }, { button: false }],
  ["no search that was not added", {}, undefined],
])("the signed documents about an image name %s", async (_what, given, options) => {
  const registry = await startRegistryStub({ onTestFinished });
  const destination = { repository: `${registry.host}/docs/site` };
  const { inputs } = check({ destination, signingKeyEnv: "KEY", ...given });
  const { outputs } = await bundleCopy.create(context(), inputs);
  const documents = [...registry.blobs.values()].flatMap((blob) => documentsIn(blob.toString()));
  const parameters = documents.flatMap(({ buildDefinition }) => buildDefinition?.externalParameters ?? []);
  expect(parameters).not.toEqual([]);
  for (const { offlineSearch } of parameters) expect(offlineSearch).toEqual(options);
  const parts = documents.flatMap(({ components = [] }) => components);
  expect(parts).not.toEqual([]);
  const version = parts.find(({ name }) => name === "pulumi-docs-hosting/offline-search")?.version;
  expect(version).toBe(outputs.searchVersion);
});

/** What a document about an image has here. */
interface DocumentAboutImage {
  readonly buildDefinition?: { externalParameters?: { offlineSearch?: unknown } };
  readonly components?: { name?: string; version?: string }[];
}

/** The document in an attestation, which is signed as a text in base64. Other contents of a registry have none. */
function documentsIn(content: string): DocumentAboutImage[] {
  if (!content.includes('"payload"')) return [];
  const { payload } = JSON.parse(content) as { payload: string };
  const { predicate } = JSON.parse(Buffer.from(payload, "base64").toString()) as {
    predicate: DocumentAboutImage;
  };
  return [predicate];
}
