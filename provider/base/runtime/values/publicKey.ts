import { createPublicKey, type KeyObject } from "node:crypto";

/** The kinds of keys whose signatures are verified: those of `cosign verify --key`. */
const VERIFIED_KEYS =
  "an ECDSA key of the curve P-256, P-384 or P-521, an RSA key of 2048, 3072 or 4096 bits, or an Ed25519 key";
const CURVES = ["prime256v1", "secp384r1", "secp521r1"];
const MODULUS_BITS = [2_048, 3_072, 4_096];

/** The object identifier of ECDSA keys, as the first field of an algorithm in DER. */
const EC_ALGORITHM = Buffer.from("06072a8648ce3d0201", "hex");
const OBJECT_IDENTIFIER = 0x06;

function isVerified({ asymmetricKeyType, asymmetricKeyDetails = {} }: KeyObject): boolean {
  const { namedCurve, modulusLength } = asymmetricKeyDetails;
  if (asymmetricKeyType === "rsa") return MODULUS_BITS.includes(modulusLength ?? 0);
  if (asymmetricKeyType === "ec") return CURVES.includes(namedCurve ?? "");
  return asymmetricKeyType === "ed25519";
}

/**
 * Whether an ECDSA key contains the parameters of its curve instead of the curve's name. OpenSSL reads such keys; cosign, Flux and all
 * other programs in Go do not.
 *
 * @param key a public key
 */
export function hasExplicitCurve(key: KeyObject): boolean {
  const der = key.export({ type: "spki", format: "der" });
  const at = der.indexOf(EC_ALGORITHM);
  return key.asymmetricKeyType === "ec" && der[at + EC_ALGORITHM.length] !== OBJECT_IDENTIFIER;
}

/** How a key with explicit parameters gets the name of its curve. */
export const NAME_THE_CURVE =
  "`openssl ec -in key.pem -param_enc named_curve` writes the same key with the curve's name";

/** The problem of a text as a public key in PEM, if any: for check failures. */
export function publicKeyProblem(pem: string): string | undefined {
  const key = publicKeyIn(pem);
  if (typeof key === "string") return key;
  return hasExplicitCurve(key)
    ? `contains the parameters of its curve, not the curve's name: ${NAME_THE_CURVE} (of a public key with -pubin -pubout)`
    : undefined;
}

/** Reads a public key in PEM. @returns its problem, as a text, if it is not usable */
export function publicKeyIn(pem: string): KeyObject | string {
  const problem = "must be a public key in PEM (`openssl pkey -in key.pem -pubout`)";
  if (pem.includes("PRIVATE KEY")) return `${problem}, not a private key: keep that one secret`;
  try {
    const key = createPublicKey(pem.trim().replaceAll("\\n", "\n"));
    return isVerified(key) ? key : `must be ${VERIFIED_KEYS}`;
  } catch {
    return problem;
  }
}
