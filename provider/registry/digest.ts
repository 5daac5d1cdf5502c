import { createHash } from "node:crypto";

/** The digest of bytes, in the registries' format. */
export function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}
