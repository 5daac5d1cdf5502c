import { createHash, createPublicKey, verify, type KeyObject } from "node:crypto";

/** Verifies signatures with a public key. */
export interface Verifier {
  /** The public key, in PEM. */
  readonly publicKey: string;
  /** SHA-256 of the public key (SubjectPublicKeyInfo in DER), hexadecimal. */
  readonly keyId: string;
  /** Whether the signature is one of these bytes. */
  verify(bytes: Buffer, signature: Buffer): boolean;
}

/** The supported kinds of keys, and how each is made: for messages. */
export const SUPPORTED_KEYS =
  "an ECDSA key of the curve P-256 (`openssl ecparam -name prime256v1 -genkey -noout`) or an Ed25519 key " +
  "(`openssl genpkey -algorithm ed25519`)";

export function isSupported({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): boolean {
  return asymmetricKeyType === "ed25519" || asymmetricKeyDetails?.namedCurve === "prime256v1";
}

/** The problem of a text as a public key in PEM, if any: for check failures. */
export function publicKeyProblem(pem: string): string | undefined {
  const read = publicKeyIn(pem);
  return "problem" in read ? read.problem : undefined;
}

/** Creates a verifier with a public key. @throws Error for a text that `publicKeyProblem` refuses */
export function verifierFrom(pem: string): Verifier {
  const read = publicKeyIn(pem);
  if ("problem" in read) throw new Error(`the public key ${read.problem}`);
  return verifierOf(read.key);
}

/** @param key a supported public key */
export function verifierOf(key: KeyObject): Verifier {
  const der = key.export({ type: "spki", format: "der" });
  const algorithm = key.asymmetricKeyType === "ed25519" ? null : "sha256";
  return {
    publicKey: key.export({ type: "spki", format: "pem" }).toString(),
    keyId: createHash("sha256").update(der).digest("hex"),
    verify: (bytes, signature) => verify(algorithm, bytes, key, signature),
  };
}

function publicKeyIn(pem: string): { readonly key: KeyObject } | { readonly problem: string } {
  const problem = "must be a public key in PEM (`openssl pkey -in key.pem -pubout`)";
  if (/PRIVATE KEY/.test(pem)) return { problem: `${problem}, not a private key: keep that one secret` };
  try {
    const key = createPublicKey(pem.trim().replaceAll("\\n", "\n"));
    return isSupported(key) ? { key } : { problem: `must be of ${SUPPORTED_KEYS}` };
  } catch {
    return { problem };
  }
}
