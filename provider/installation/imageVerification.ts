import { publicKeyProblem } from "../base/runtime/values/publicKey";

/** How the signature of an image is verified before it is installed. */
export interface ImageVerification {
  /** The public key of the image's signer, in PEM: `openssl pkey -in key.pem -pubout`, or `cosign.pub`. */
  publicKey: string;
  /** Use http for the registry. @default false: only a registry on this machine may use http */
  plainHttp?: boolean;
}

/** Problem of a verification that has no image to verify. */
export const NOTHING_TO_VERIFY =
  "`verify` verifies the signature of an image, but this site is not an image: give the copy in a registry, or `{ image }`.";

/** The problem of the fields of a verification, if any. Values may be of any type. */
export function verificationProblem({ publicKey, plainHttp }: Record<string, unknown>): string | undefined {
  if (typeof publicKey !== "string") return "`verify.publicKey` must be a public key in PEM.";
  const problem = publicKeyProblem(publicKey);
  if (problem !== undefined) return `\`verify.publicKey\` ${problem}.`;
  const isFlag = plainHttp === undefined || plainHttp === null || typeof plainHttp === "boolean";
  return isFlag ? undefined : "`verify.plainHttp` must be true or false.";
}
