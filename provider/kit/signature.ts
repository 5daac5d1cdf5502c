import { createHash, createPrivateKey, createPublicKey, sign, type KeyObject } from "node:crypto";
import { ConfigurationError } from "../messages/errors";
import type { Secrets } from "../messages/secrets";

/** Signs the content of a kit. The key stays in memory. */
export interface Signer {
  /** SHA-256 of the public key (SubjectPublicKeyInfo in DER), hexadecimal. */
  readonly keyId: string;
  /** Signs the bytes. ECDSA P-256: over their SHA-256, in DER. Ed25519: over the bytes themselves. */
  sign(bytes: Buffer): Buffer;
}

/** Where the key is read, and where it is registered as a secret. */
export interface SecretSource {
  environment(name: string): string | undefined;
  readonly secrets?: Pick<Secrets, "add">;
}

/**
 * Creates a signer with the private key from an environment variable, in PEM.
 *
 * @throws ConfigurationError for a missing key, a key with a passphrase, or an unsupported kind; the error contains no part
 *   of the key
 */
export function signerFrom(variable: string, source: SecretSource): Signer {
  const pem = source.environment(variable)?.trim();
  if (!pem) {
    throw new ConfigurationError(
      `the environment variable ${variable}, which \`signingKeyEnv\` names, is not set`,
      "Set it to the private key in PEM, or leave `signingKeyEnv` out: then the kit is not signed.",
    );
  }
  source.secrets?.add(pem);
  const key = keyOf(pem, variable);
  const isEd25519 = key.asymmetricKeyType === "ed25519";
  if (!isEd25519 && key.asymmetricKeyDetails?.namedCurve !== "prime256v1") {
    throw new ConfigurationError(
      `the key in ${variable} has an unsupported type (${key.asymmetricKeyType ?? "unknown"})`,
      "Give an ECDSA key of the curve P-256 (`openssl ecparam -name prime256v1 -genkey -noout`) or an Ed25519 key " +
        "(`openssl genpkey -algorithm ed25519`).",
    );
  }
  const der = createPublicKey(key).export({ type: "spki", format: "der" });
  return {
    keyId: createHash("sha256").update(der).digest("hex"),
    sign: (bytes) => sign(isEd25519 ? null : "sha256", bytes, key),
  };
}

function keyOf(pem: string, variable: string): KeyObject {
  try {
    // a variable that can hold only one line has \n instead of line ends
    return createPrivateKey(pem.replaceAll("\\n", "\n"));
  } catch {
    const isLocked = pem.includes("ENCRYPTED");
    throw new ConfigurationError(
      isLocked
        ? `the key in ${variable} has a passphrase`
        : `the environment variable ${variable} holds no private key in PEM`,
      isLocked
        ? "Give it without one (`openssl pkey -in key.pem`), and keep the variable among your secrets."
        : "Give the whole text, from -----BEGIN to -----END, with line breaks or with \\n for each of them.",
    );
  }
}

/** The names of a file's signatures: for openssl and minisign, and for cosign. */
export const signatureFiles = (file: string): readonly [string, string] => [
  `${file}.sig`,
  `${file}.sigstore.json`,
];

/**
 * The same signature in cosign's format (`cosign verify-blob --key … --bundle …`), see
 * https://docs.sigstore.dev/about/bundle/
 */
export function sigstoreBundle(bytes: Buffer, signature: Buffer, { keyId }: Signer): string {
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
