// The site's image of a signed kit after load.sh: cosign's own libraries verify it in the registry.
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, type TestContext } from "vitest";
import { readEarlierKit } from "../../provider/kits/contents/earlierKit.ts";
import { crane } from "../copies/images.ts";
import { startRegistry } from "../copies/registry.ts";
import { startReferrersRegistry, verifiersWith } from "../copies/signing.ts";
import { findCommand, runCommand } from "../programs/commands.ts";
import { type KeyPair, newKey } from "./kitFolder.ts";
import { kitWriter, manifestOf, signerOf, siteOf } from "./kitWriter.ts";
import { isWrite, load, LOADERS, startProxy } from "./loading.ts";
import { Operator, scratchFolder } from "./systems.ts";

const TYPES = ["slsaprovenance1", "cyclonedx"] as const;

/** Everything that cosign and Flux verify of an image. */
async function expectSigned(context: TestContext, image: string, { publicKey }: KeyPair): Promise<void> {
  const { signature, attestation } = await verifiersWith(context, publicKey);
  for (const verify of Object.values(signature)) await verify(image);
  for (const verify of Object.values(attestation)) {
    for (const type of TYPES) {
      const { subject } = await verify(image, type);
      const [, sha256] = image.split("@sha256:");
      expect(subject).toEqual([{ name: "registry.invalid/kit/site", digest: { sha256 } }]);
    }
  }
}

async function expectRefused(context: TestContext, image: string, { publicKey }: KeyPair): Promise<void> {
  const { signature } = await verifiersWith(context, publicKey);
  for (const verify of Object.values(signature)) await expect(verify(image)).rejects.toThrow();
}

async function tagsOf(repository: string): Promise<string[]> {
  return (await crane("ls", repository)).split("\n").sort();
}

const MANIFEST_TYPE = "application/vnd.oci.image.manifest.v1+json";
/** An entry of a list of referrers, without digest and size. */
const referrer = (artifactType: string, predicateType?: string): object => ({
  mediaType: MANIFEST_TYPE,
  digest: "",
  size: 0,
  artifactType,
  ...(predicateType !== undefined && { annotations: { "in-toto.io/predicate-type": predicateType } }),
});
function blobOf(kit: string, digest: string): unknown {
  return JSON.parse(readFileSync(join(kit, "images/blobs", digest.replace(":", "/")), "utf8"));
}

async function expectListed(repository: string, digest: string): Promise<void> {
  const list = await crane("manifest", `${repository}:${digest.replace(":", "-")}`);
  const { manifests } = JSON.parse(list) as { manifests: object[] };
  const wanted = [
    referrer("application/vnd.dev.cosign.artifact.sig.v1+json"),
    referrer("application/vnd.in-toto+json", "https://cyclonedx.org/bom"),
    referrer("application/vnd.in-toto+json", "https://slsa.dev/provenance/v1"),
  ];
  expect(manifests.map((each) => ({ ...each, digest: "", size: 0 }))).toHaveLength(wanted.length);
  expect(manifests.map((each) => ({ ...each, digest: "", size: 0 }))).toEqual(expect.arrayContaining(wanted));
}

describe.each(LOADERS)("load.sh with $program, $system", (loader) => {
  test("brings the signature of the site's image, its provenance and its SBOM; the second time nothing is sent", async (context) => {
    const key = newKey();
    const write = await kitWriter(context, scratchFolder(context), key);
    const folder = await write("1");
    const { host, passed } = await startProxy(context);
    const first = await load(context, loader, { folder }, `${host}/docs`);
    expect(first).toMatchObject({ code: 0 });
    expect(first.lines.at(-1)).toBe(`OK: all images are in ${host}/docs, with the kit's digests.`);
    const image = `${host}/docs/site@${siteOf(folder)}`;
    expect(first.output).toContain(
      `cosign verify --key PUBLIC_KEY.pem --insecure-ignore-tlog=true ${image}\n`,
    );
    await expectSigned(context, image, key);
    await expectRefused(context, image, newKey());
    // a registry without the API for referrers has a list of them; skopeo cannot send one
    if (loader.program !== "skopeo") await expectListed(`${host}/docs/site`, siteOf(folder));
    passed.length = 0;
    const second = await load(context, loader, { folder }, `${host}/docs`);
    expect(second).toMatchObject({ code: 0 });
    expect(passed.filter(isWrite)).toEqual([]);
  });

  test("keeps the signatures that others made: by an earlier key, and by the operator's with cosign", async (context) => {
    const folder = scratchFolder(context);
    const [earlier, key, own] = [newKey("ed25519"), newKey(), newKey()];
    const write = await kitWriter(context, folder, earlier);
    const { host } = await startRegistry(context);
    const [first, second] = [await write("1"), await write("1", { signer: signerOf(key) })];
    expect(siteOf(second)).toBe(siteOf(first));
    const image = `${host}/docs/site@${siteOf(first)}`;
    const loads = async (kit: string): Promise<void> =>
      expect(await load(context, loader, { folder: kit }, `${host}/docs`)).toMatchObject({ code: 0 });
    await loads(first);
    const file = join(folder, "own.key");
    writeFileSync(file, own.privateKey.export({ type: "pkcs8", format: "pem" }));
    await runCommand(process.env["COSIGN"] ?? "cosign", ["sign", "cosign2", file, image]);
    await loads(second);
    await loads(first);
    await expectSigned(context, image, earlier);
    await expectSigned(context, image, key);
    const { signature } = await verifiersWith(context, own.publicKey);
    for (const verify of Object.values(signature)) await verify(image);
    const signatures = JSON.parse(
      await crane("manifest", `${host}/docs/site:${siteOf(first).replace(":", "-")}.sig`),
    ) as { layers: unknown[] };
    expect(signatures.layers).toHaveLength(3);
  });
});

const [LOADER] = LOADERS;

test("a registry with the API for referrers has all of them there", async (context) => {
  const key = newKey();
  const folder = await (await kitWriter(context, scratchFolder(context), key))("1");
  const host = await startReferrersRegistry(context);
  expect(await load(context, LOADER, { folder }, `${host}/docs`)).toMatchObject({ code: 0 });
  await expectSigned(context, `${host}/docs/site@${siteOf(folder)}`, key);
  const found = await fetch(`http://${host}/v2/docs/site/referrers/${siteOf(folder)}`);
  const { manifests } = (await found.json()) as { manifests: { digest: string }[] };
  const referrers = manifestOf(folder).artifacts?.filter(
    ({ digest }) => (blobOf(folder, digest) as { subject?: object }).subject,
  );
  expect(manifests.map(({ digest }) => digest).sort()).toEqual(referrers?.map(({ digest }) => digest).sort());
  expect(referrers).toHaveLength(3);
});

test("a differential kit brings the signature of its own image, and the earlier one keeps its own", async (context) => {
  const key = newKey();
  const write = await kitWriter(context, scratchFolder(context), key);
  const first = await write("1");
  const second = await write("2", { since: readEarlierKit(join(first, "manifest.json")) });
  const { host } = await startRegistry(context);
  for (const folder of [first, second]) {
    expect(await load(context, LOADER, { folder }, `${host}/docs`)).toMatchObject({ code: 0 });
  }
  for (const kit of [first, second]) await expectSigned(context, `${host}/docs/site@${siteOf(kit)}`, key);
  expect(siteOf(second)).not.toBe(siteOf(first));
  expect(manifestOf(second).blobs.filter((blob) => blob.in === "1").length).toBeGreaterThan(0);
});

test("an unsigned kit brings none", async (context) => {
  const folder = await (await kitWriter(context, scratchFolder(context), undefined))("1");
  expect(manifestOf(folder)).not.toHaveProperty("artifacts");
  const { host } = await startRegistry(context);
  const ended = await load(context, LOADER, { folder }, `${host}/docs`);
  expect(ended).toMatchObject({ code: 0 });
  expect(ended.output).not.toContain("cosign");
  expect(await tagsOf(`${host}/docs/site`)).toEqual(["1"]);
});

test("signatures that the registry does not show, or that are none, are not replaced", async (context) => {
  const folder = await (await kitWriter(context, scratchFolder(context), newKey()))("1");
  const tag = `${siteOf(folder).replace(":", "-")}.sig`;
  let isHidden = true;
  const { host, passed } = await startProxy(context, ({ method, path }) =>
    isHidden && method === "GET" && path.endsWith(tag)
      ? { answer: { status: 403, body: '{"errors":[{"code":"DENIED"}]}' } }
      : undefined,
  );
  const hidden = await load(context, LOADER, { folder }, `${host}/docs`);
  expect(hidden).toMatchObject({ code: 1 });
  expect(hidden.output).toContain(`curl cannot read ${host}/docs/site:${tag}: the registry answered 403`);
  isHidden = false;
  await crane("index", "append", "-t", `${host}/docs/site:${tag}`);
  passed.length = 0;
  const other = await load(context, LOADER, { folder }, `${host}/docs`);
  expect(other).toMatchObject({ code: 1 });
  expect(other.output).toContain(`${host}/docs/site:${tag} is no signature of an image`);
  expect(passed.filter(isWrite)).toEqual([]);
});

/** docker, by crane: it pushes an image of an archive, and reads manifests. */
const DOCKER = `#!/bin/sh
case "$1 \${2-}" in
  "load "*) rm -rf "$RECORD/in" && mkdir "$RECORD/in" && tar -xf - -C "$RECORD/in" ;;
  "push "*) crane push --insecure "$RECORD/in" "$2" ;;
  *) while [ $# -gt 1 ]; do shift; done; crane manifest --insecure "$1" ;;
esac
`;

test.for([
  ["with curl", true],
  ["without curl", false],
] as const)(
  "docker cannot send a signature: on a machine %s, curl sends it or the script says so",
  async ([, hasCurl], context) => {
    const key = newKey();
    const folder = await (await kitWriter(context, scratchFolder(context), key))("1");
    const { host } = await startRegistry(context);
    const docker = join(scratchFolder(context), "docker");
    writeFileSync(docker, DOCKER);
    chmodSync(docker, 0o755);
    const curl = findCommand("curl");
    const operator = new Operator(context, "busybox", {
      docker,
      crane: process.env["CRANE"] ?? findCommand("crane") ?? "crane",
      ...(hasCurl && curl !== undefined && { curl }),
    });
    const args = [`${host}/docs`, "--plain-http", "--with", "docker"];
    const env = { RECORD: scratchFolder(context) };
    const ended = await operator.run(join(folder, "load.sh"), args, { env });
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.lines.at(-1)).toBe(`OK: all images are in ${host}/docs, with the kit's digests.`);
    const image = `${host}/docs/site@${siteOf(folder)}`;
    if (hasCurl) return expectSigned(context, image, key);
    expect(ended.output).toContain("NOT LOADED: the signature of the site's image.");
    return expectRefused(context, image, key);
  },
);
