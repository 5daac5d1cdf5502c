import { createHash } from "node:crypto";
import type { Signer } from "../../images/signing/signer";

/** The names of a file's signatures: for openssl and minisign, and for cosign. */
export const signatureFiles = (file: string): readonly [string, string] => [
  `${file}.sig`,
  `${file}.sigstore.json`,
];

/**
 * The same signature in cosign's format (`cosign verify-blob --key … --bundle …`), see
 * https://docs.sigstore.dev/about/bundle/
 */
export function sigstoreBundle(bytes: Buffer, signature: Buffer, { keyId }: Pick<Signer, "keyId">): string {
  const digest = createHash("sha256").update(bytes).digest("base64");
  const bundle = {
    mediaType: "application/vnd.dev.sigstore.bundle.v0.3+json",
    verificationMaterial: { publicKey: { hint: Buffer.from(keyId, "hex").toString("base64") } },
    messageSignature: {
      messageDigest: { algorithm: "SHA2_256", digest },
      signature: signature.toString("base64"),
    },
  };
  return `${JSON.stringify(bundle)}\n`;
}
