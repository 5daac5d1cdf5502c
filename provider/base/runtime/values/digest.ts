import { createHash } from "node:crypto";

/** A digest as registries write it: of SHA-256. */
const DIGEST = /^sha256:[a-f0-9]{64}$/;

/** Whether a text is a digest of the supported kind: SHA-256. */
export function isDigest(text: unknown): text is string {
  return typeof text === "string" && DIGEST.test(text);
}

/** The digest of bytes, in the registries' format. */
export function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

/** The hexadecimal digits of a digest. @param digest `sha256:…` */
export function sha256In(digest: string): string {
  return digest.slice(digest.indexOf(":") + 1);
}
