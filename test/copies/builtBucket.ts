import { stat } from "node:fs/promises";
import { s3Destination } from "../../dist/provider/copies/destinations/objectStore/s3/s3Destination.js";
import type { BucketInputs } from "../../dist/provider/copies/destinations/objectStore/s3/inputs.js";
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
  return s3Destination(place).begin(bundle, builtContext(scratch, 600_000));
}
