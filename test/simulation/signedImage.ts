import { createHash, generateKeyPairSync } from "node:crypto";
import { signaturePayload } from "../../provider/publishing/images/signing/imageSignature.ts";
import { type Signer, signerFrom } from "../../provider/publishing/images/signing/signer.ts";
import type { RegistryStub } from "./registryStub.ts";

/** The digest of an image that only its signature is asked for. */
export const IMAGE_DIGEST = `sha256:${"1".repeat(64)}`;

/** A signer with a key of its own. */
export function newSigner(): Signer {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  return signerFrom("KEY", { environment: () => pem });
}

/** Stores a signature in a registry, as cosign does, in place of another. */
export function signImage({ blobs, manifests, host }: RegistryStub, signer: Signer): void {
  const payload = signaturePayload(`${host}/docs`, IMAGE_DIGEST);
  const digest = `sha256:${createHash("sha256").update(payload).digest("hex")}`;
  blobs.set(digest, payload);
  const type = "application/vnd.oci.image.manifest.v1+json";
  const layer = {
    mediaType: "application/vnd.dev.cosign.simplesigning.v1+json",
    digest,
    size: payload.length,
    annotations: { "dev.cosignproject.cosign/signature": signer.sign(payload).toString("base64") },
  };
  const body = Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType: type, layers: [layer] }));
  manifests.set(`${IMAGE_DIGEST.replace(":", "-")}.sig`, { type, body });
}
