import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";

/**
 * SHA-256 of a file, hexadecimal. `undefined` if the file cannot be read or the path is invalid: the provider reports the error.
 */
export async function fileDigest(path: string): Promise<string | undefined> {
  const digest = createHash("sha256");
  try {
    await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), digest);
  } catch {
    return undefined;
  }
  return digest.digest("hex");
}
