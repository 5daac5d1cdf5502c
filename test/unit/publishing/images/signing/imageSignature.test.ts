import { createHash } from "node:crypto";
import { beforeEach, expect, test } from "vitest";
import type { RegistryClient } from "../../../../../provider/publishing/images/registry/client.ts";
import { sealed } from "../../../../../provider/publishing/images/signing/envelope.ts";
import {
  signaturePayload,
  signatureProblem,
} from "../../../../../provider/publishing/images/signing/imageSignature.ts";
import type { Signer } from "../../../../../provider/publishing/images/signing/signer.ts";
import { openRegistryClient } from "../../../../simulation/registryClient.ts";
import { type RegistryStub, startRegistryStub } from "../../../../simulation/registryStub.ts";
import { newSigner } from "../../../../simulation/signedImage.ts";

const IMAGE = `sha256:${"1".repeat(64)}`;
const TAG = `sha256-${"1".repeat(64)}.sig`;

let registry: RegistryStub;
let client: RegistryClient;
beforeEach(async (context) => {
  registry = await startRegistryStub(context);
  client = openRegistryClient(registry, "pull");
});

const signer = newSigner();

const NONE = "has no signature";
const OTHER = "has no valid signature by the public key";

/** Looks for a signature: there is one by the key, or the problem of the image contains this text. */
async function expectFound(expected: string | undefined): Promise<void> {
  const problem = await signatureProblem(client, IMAGE, signer);
  if (expected === undefined) expect(problem).toBeUndefined();
  else expect(problem?.message).toContain(expected);
}

test("an image has no signature, one by the key, or only others", async () => {
  expect(await signatureProblem(client, IMAGE, signer)).toMatchObject({
    message: `${registry.host}/docs/site@${IMAGE} has no signature`,
    remedy:
      "Sign it, for example with `signingKeyEnv` of a BundleCopy. If it was copied from another repository, its signature " +
      `was not: copy the tag ${TAG}, too, and of one by cosign 3 the referrers (\`cosign copy\`, \`oras cp -r\`).`,
  });

  store([signed(signaturePayload("registry.internal/docs/site", IMAGE), newSigner())]);
  expect(await signatureProblem(client, IMAGE, signer)).toMatchObject({
    message: `${registry.host}/docs/site@${IMAGE} has no valid signature by the public key with the SHA-256 ${signer.keyId}`,
    remedy:
      `Another key signed it, or its signature in ${registry.host}/docs/site was changed. Give the public key of its signer, ` +
      "or find out who changed it.",
  });

  const payload = signaturePayload("registry.internal/docs/site", IMAGE);
  store([signed(payload, newSigner()), signed(payload, signer)]);
  await expectFound(undefined);
});

test("a signature of another image, and one with a changed byte anywhere, are none", async () => {
  store([signed(signaturePayload("registry.internal/docs/site", `sha256:${"2".repeat(64)}`), signer)]);
  await expectFound(OTHER);

  const good = signed(signaturePayload("registry.internal/docs/site", IMAGE), signer);
  const changed = Buffer.from(good.signature);
  changed.writeUInt8(changed.readUInt8(changed.length - 1) ^ 1, changed.length - 1);
  store([{ ...good, signature: changed }]);
  await expectFound(OTHER);

  store([good]);
  const [digest = ""] = registry.blobs.keys();
  registry.blobs.set(digest, Buffer.from(good.payload.toString().replace("image", "imagf")));
  await expectFound(OTHER);
  registry.blobs.delete(digest);
  await expectFound(OTHER);
});

test("a signature in a layer of another type, and a layer without one, are none", async () => {
  const good = signed(signaturePayload("registry.internal/docs/site", IMAGE), signer);
  store([good], { mediaType: "text/plain" });
  await expectFound(OTHER);
  store([good], { annotations: undefined });
  await expectFound(OTHER);
  store([good], {});
  await expectFound(undefined);
});

test("a tag with something else than signatures is no signature", async () => {
  for (const text of ["{}", '{"layers":[{"mediaType":"text/plain"}]}', '{"layers":{}}', "[[[["]) {
    const body = Buffer.from(text);
    registry.manifests.set(TAG, { type: "application/vnd.oci.image.manifest.v1+json", body });
    await expectFound(OTHER);
  }
});

const SIGN = "https://sigstore.dev/cosign/sign/v1";
const BUNDLE = "application/vnd.dev.sigstore.bundle.v0.3+json";

test("a bundle of cosign 3 is a signature, in registries with and without the list of referrers", async () => {
  storeBundles([bundle(IMAGE, newSigner())]);
  await expectFound(OTHER);
  storeBundles([bundle(IMAGE, newSigner()), bundle(IMAGE, signer)]);
  await expectFound(undefined);
  // beside a signature of another key under the tag of cosign 2
  store([signed(signaturePayload("registry.internal/docs/site", IMAGE), newSigner())], {}, false);
  await expectFound(undefined);
});

test("a bundle about another image, about something else than a signature, of another type, or changed is none", async () => {
  const other = `sha256:${"2".repeat(64)}`;
  const changed = bundle(IMAGE, signer)
    .toString()
    .replace(/"sig":"./, '"sig":"A');
  const withoutEnvelope = JSON.stringify({ mediaType: BUNDLE, messageSignature: { signature: "AAAA" } });
  for (const each of [
    bundle(other, signer),
    bundle(IMAGE, signer, "https://slsa.dev/provenance/v1"),
    changed,
    withoutEnvelope,
    "[]",
  ]) {
    storeBundles([Buffer.from(each)]);
    await expectFound(OTHER);
  }
  storeBundles([bundle(IMAGE, signer)], "application/vnd.example+json");
  await expectFound(NONE);
});

/** The form of cosign 3: a statement in an envelope, in a bundle. */
function bundle(digest: string, by: Signer, predicateType = SIGN): Buffer {
  const statement = {
    _type: "https://in-toto.io/Statement/v1",
    subject: [{ digest: { sha256: digest.replace("sha256:", "") } }],
    predicateType,
    predicate: {},
  };
  return Buffer.from(
    JSON.stringify({
      mediaType: BUNDLE,
      verificationMaterial: { publicKey: { hint: "" } },
      dsseEnvelope: JSON.parse(sealed(Buffer.from(JSON.stringify(statement)), by).toString()) as object,
    }),
  );
}

/** Stores bundles as referrers, listed under the tag of registries without the API. */
function storeBundles(bundles: readonly Buffer[], type = BUNDLE): void {
  const manifest = "application/vnd.oci.image.manifest.v1+json";
  const digestOf = (bytes: Buffer): string => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
  const entries = bundles.map((bytes) => {
    registry.blobs.set(digestOf(bytes), bytes);
    const layers = [{ mediaType: type, digest: digestOf(bytes), size: bytes.length }];
    const body = Buffer.from(
      JSON.stringify({ schemaVersion: 2, mediaType: manifest, artifactType: type, layers }),
    );
    registry.manifests.set(digestOf(body), { type: manifest, body });
    return { mediaType: manifest, digest: digestOf(body), size: body.length, artifactType: type };
  });
  const index = "application/vnd.oci.image.index.v1+json";
  const list = { schemaVersion: 2, mediaType: index, manifests: entries };
  registry.manifests.set(TAG.replace(".sig", ""), { type: index, body: Buffer.from(JSON.stringify(list)) });
}

interface Signed {
  readonly payload: Buffer;
  readonly signature: Buffer;
}

function signed(payload: Buffer, by: Signer): Signed {
  return { payload, signature: by.sign(payload) };
}

function store(signatures: readonly Signed[], change: object = {}, isAlone = true): void {
  if (isAlone) registry.blobs.clear();
  const layers = signatures.map(({ payload, signature }) => {
    const digest = `sha256:${createHash("sha256").update(payload).digest("hex")}`;
    registry.blobs.set(digest, payload);
    return {
      mediaType: "application/vnd.dev.cosign.simplesigning.v1+json",
      digest,
      size: payload.length,
      annotations: { "dev.cosignproject.cosign/signature": signature.toString("base64") },
      ...change,
    };
  });
  const type = "application/vnd.oci.image.manifest.v1+json";
  registry.manifests.set(TAG, { type, body: Buffer.from(JSON.stringify({ mediaType: type, layers })) });
}
