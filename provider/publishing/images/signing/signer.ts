import { createPrivateKey, createPublicKey, type KeyObject, sign } from "node:crypto";
import { ConfigurationError } from "../../../base/runtime/messages/errors";
import type { Secrets } from "../../../base/runtime/messages/secrets";
import { hasExplicitCurve, NAME_THE_CURVE } from "../../../base/runtime/values/publicKey";
import type { RegistryContext } from "../registry/exchange";
import { type Verifier, verifierOf } from "./verifier";

/** Signs bytes with a private key. The key stays in memory. */
export interface Signer extends Verifier {
  /** ECDSA P-256: over their SHA-256, in DER. Ed25519: over the bytes themselves. */
  readonly sign: (bytes: Buffer) => Buffer;
}

/** The kinds of keys that sign, and how each is made: for messages. */
const SUPPORTED_KEYS =
  "an ECDSA key of the curve P-256 (`openssl ecparam -name prime256v1 -genkey -noout`) or an Ed25519 key " +
  "(`openssl genpkey -algorithm ed25519`)";

/**
 * Creates a signer with the private key from an environment variable, in PEM.
 *
 * @throws ConfigurationError for a missing key, a key with a passphrase, or an unsupported kind; the error contains no part
 *   of the key
 */
export function signerFrom(
  variable: string,
  {
    environment,
    secrets,
  }: Pick<RegistryContext, "environment"> & { readonly secrets?: Pick<Secrets, "add"> },
): Signer {
  const pem = environment(variable)?.trim();
  if (!pem) {
    throw new ConfigurationError(
      `the environment variable ${variable}, which \`signingKeyEnv\` names, is not set`,
      "Set it to the private key in PEM, or leave `signingKeyEnv` out: then nothing is signed.",
    );
  }
  secrets?.add(pem);
  const key = keyOf(pem, variable);
  if (!isSupported(key)) {
    throw new ConfigurationError(
      `the key in ${variable} has an unsupported type (${String(key.asymmetricKeyType)})`,
      `Give ${SUPPORTED_KEYS}.`,
    );
  }
  const publicKey = createPublicKey(key);
  if (hasExplicitCurve(publicKey)) {
    throw new ConfigurationError(
      `the key in ${variable} contains the parameters of its curve, not the curve's name: cosign and Flux would refuse its signatures`,
      `Give it with the name: ${NAME_THE_CURVE}.`,
    );
  }
  const algorithm = key.asymmetricKeyType === "ed25519" ? null : "sha256";
  return {
    ...verifierOf(publicKey),
    sign: (bytes: Buffer): Buffer => sign(algorithm, bytes, key),
  };
}

/** Whether a private key is of a kind that signs. */
function isSupported({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): boolean {
  return asymmetricKeyType === "ed25519" || asymmetricKeyDetails?.namedCurve === "prime256v1";
}

function keyOf(pem: string, variable: string): KeyObject {
  try {
    // a variable that can hold only one line has \n instead of line ends
    return createPrivateKey(pem.replaceAll("\\n", "\n"));
  } catch {
    const isLocked = pem.includes("ENCRYPTED");
    const isCosign = /ENCRYPTED (?:SIGSTORE|COSIGN) /.test(pem);
    throw new ConfigurationError(
      isLocked
        ? `the key in ${variable} has a passphrase`
        : `the environment variable ${variable} holds no private key in PEM`,
      isCosign
        ? `Keys of \`cosign generate-key-pair\` always have one. Give ${SUPPORTED_KEYS}, and keep the variable among your secrets.`
        : isLocked
          ? "Give it without one (`openssl pkey -in key.pem`), and keep the variable among your secrets."
          : "Give the whole text, from -----BEGIN to -----END, with line breaks or with \\n for each of them.",
    );
  }
}
