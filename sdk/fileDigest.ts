import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";

/** SHA-256 of a file, hexadecimal; `undefined` where it cannot be read, or is no path at all: whoever needs it says so. */
export async function fileDigest(path: string): Promise<string | undefined> {
  const digest = createHash("sha256");
  try {
    await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), digest);
  } catch {
    return undefined;
  }
  return digest.digest("hex");
}
