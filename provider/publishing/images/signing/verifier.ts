import { createHash, type KeyObject, verify } from "node:crypto";
import { publicKeyIn } from "../../../base/runtime/values/publicKey";

/** Verifies signatures with a public key. */
export interface Verifier {
  /** In PEM. */
  readonly publicKey: string;
  /** SHA-256 of the public key (SubjectPublicKeyInfo in DER), hexadecimal. */
  readonly keyId: string;
  /** Whether the signature is one of these bytes. */
  verify(bytes: Buffer, signature: Buffer): boolean;
}

/** SHA-256 is cosign's default for each key, and the others are those of larger ones. */
const HASHES = ["sha256", "sha384", "sha512"];

/** Creates a verifier with a public key. @throws Error for a text that `publicKeyProblem` refuses */
export function verifierFrom(pem: string): Verifier {
  const key = publicKeyIn(pem);
  if (typeof key === "string") throw new Error(`the public key ${key}`);
  return verifierOf(key);
}

/** @param key a supported public key */
export function verifierOf(key: KeyObject): Verifier {
  const der = key.export({ type: "spki", format: "der" });
  const algorithms = key.asymmetricKeyType === "ed25519" ? [null] : HASHES;
  return {
    publicKey: key.export({ type: "spki", format: "pem" }).toString(),
    keyId: createHash("sha256").update(der).digest("hex"),
    verify: (bytes, signature) => algorithms.some((each) => verify(each, bytes, key, signature)),
  };
}
