import { hash } from "node:crypto";
import type { Signer } from "../../publishing/index";

/**
 * The same signature in cosign's format (`cosign verify-blob --key … --bundle …`), see
 * https://docs.sigstore.dev/about/bundle/
 */
export function sigstoreBundle(bytes: Buffer, signature: Buffer, { keyId }: Pick<Signer, "keyId">): string {
  const bundle = {
    mediaType: "application/vnd.dev.sigstore.bundle.v0.3+json",
    verificationMaterial: { publicKey: { hint: Buffer.from(keyId, "hex").toString("base64") } },
    messageSignature: {
      messageDigest: { algorithm: "SHA2_256", digest: hash("sha256", bytes, "base64") },
      signature: signature.toString("base64"),
    },
  };
  return `${JSON.stringify(bundle)}\n`;
}
