import { stat } from "node:fs/promises";
import { bucketDestination } from "../../dist/provider/copies/destinations/objectStore/bucketDestination.js";
import type { BucketInputs } from "../../dist/provider/copies/destinations/objectStore/inputs.js";
import type { Draft } from "../../dist/provider/copies/destinations/destination.js";
import { builtContext } from "./builtContext.ts";

/**
 * Begins a copy in a bucket as the built package does it: for processes whose time, memory or end is tested.
 *
 * @param archive a `.tar.gz` and its SHA-256 in hexadecimal digits
 * @param scratch an empty folder
 */
export async function beginCopy(
  place: BucketInputs,
  archive: { path: string; sha256: string },
  scratch: string,
): Promise<Draft> {
  const { size } = await stat(archive.path);
  const bundle = { ...archive, format: "tar.gz", size, version: "1" } as const;
  return bucketDestination(place).begin(bundle, builtContext(scratch, 600_000));
}
