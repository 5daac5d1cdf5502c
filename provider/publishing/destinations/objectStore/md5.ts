import { createHash, type Hash } from "node:crypto";

/** MD5, which stores verify content by; none where it is switched off (FIPS). */
export function md5Hash(): Hash | undefined {
  try {
    return createHash("md5");
  } catch {
    return undefined;
  }
}
