import { createHash } from "node:crypto";
import { beforeEach, expect, test } from "vitest";
import type { RegistrySession } from "../../../provider/registry/session.ts";
import { findSignature, signaturePayload, verifyImage } from "../../../provider/signing/imageSignature.ts";
import type { Signer } from "../../../provider/signing/signer.ts";
import { openRegistrySession } from "../../simulation/registrySession.ts";
import { startRegistryStub, type RegistryStub } from "../../simulation/registryStub.ts";
import { newSigner } from "../../simulation/signedImage.ts";

const IMAGE = `sha256:${"1".repeat(64)}`;
const TAG = `sha256-${"1".repeat(64)}.sig`;

let registry: RegistryStub;
let session: RegistrySession;
beforeEach(async (context) => {
  registry = await startRegistryStub(context);
  session = openRegistrySession(registry, "pull");
});

const signer = newSigner();

test("an image has no signature, one by the key, or only others", async () => {
  expect(await findSignature(session, IMAGE, signer)).toBe("unsigned");
  await expect(verifyImage(session, IMAGE, signer)).rejects.toThrow(
    `${registry.host}/docs/site@${IMAGE} has no signature`,
  );
  await expect(verifyImage(session, IMAGE, signer)).rejects.toHaveProperty(
    "remedy",
    "Sign it, for example with `signingKeyEnv` of a BundleCopy. If it was copied from another repository, its signature " +
      `was not: copy the tag ${TAG}, too.`,
  );

  store([signed(signaturePayload("registry.internal/docs/site", IMAGE), newSigner())]);
  expect(await findSignature(session, IMAGE, signer)).toBe("otherSignature");
  await expect(verifyImage(session, IMAGE, signer)).rejects.toThrow(
    `has no valid signature by the public key with the SHA-256 ${signer.keyId}`,
  );
  await expect(verifyImage(session, IMAGE, signer)).rejects.toHaveProperty(
    "remedy",
    `Another key signed it, or its signature in ${registry.host}/docs/site was changed. Give the public key of its signer, ` +
      "or find out who changed it.",
  );

  const payload = signaturePayload("registry.internal/docs/site", IMAGE);
  store([signed(payload, newSigner()), signed(payload, signer)]);
  expect(await findSignature(session, IMAGE, signer)).toBe("signed");
  await verifyImage(session, IMAGE, signer);
});

test("a signature of another image, and one with a changed byte anywhere, are none", async () => {
  store([signed(signaturePayload("registry.internal/docs/site", `sha256:${"2".repeat(64)}`), signer)]);
  expect(await findSignature(session, IMAGE, signer)).toBe("otherSignature");

  const good = signed(signaturePayload("registry.internal/docs/site", IMAGE), signer);
  const changed = Buffer.from(good.signature);
  changed.writeUInt8(changed.readUInt8(changed.length - 1) ^ 1, changed.length - 1);
  store([{ ...good, signature: changed }]);
  expect(await findSignature(session, IMAGE, signer)).toBe("otherSignature");

  store([good]);
  const [digest = ""] = registry.blobs.keys();
  registry.blobs.set(digest, Buffer.from(good.payload.toString().replace("image", "imagf")));
  expect(await findSignature(session, IMAGE, signer)).toBe("otherSignature");
  registry.blobs.delete(digest);
  expect(await findSignature(session, IMAGE, signer)).toBe("otherSignature");
});

test("a signature in a layer of another type, and a layer without one, are none", async () => {
  const good = signed(signaturePayload("registry.internal/docs/site", IMAGE), signer);
  store([good], { mediaType: "text/plain" });
  expect(await findSignature(session, IMAGE, signer)).toBe("otherSignature");
  store([good], { annotations: undefined });
  expect(await findSignature(session, IMAGE, signer)).toBe("otherSignature");
  store([good], {});
  expect(await findSignature(session, IMAGE, signer)).toBe("signed");
});

test("a tag with something else than signatures is no signature", async () => {
  for (const text of ["{}", '{"layers":[{"mediaType":"text/plain"}]}', '{"layers":{}}', "[[[["]) {
    const body = Buffer.from(text);
    registry.manifests.set(TAG, { type: "application/vnd.oci.image.manifest.v1+json", body });
    expect(await findSignature(session, IMAGE, signer)).toBe("otherSignature");
  }
});

interface Signed {
  readonly payload: Buffer;
  readonly signature: Buffer;
}

function signed(payload: Buffer, by: Signer): Signed {
  return { payload, signature: by.sign(payload) };
}

function store(signatures: readonly Signed[], change: object = {}): void {
  registry.blobs.clear();
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
