import { stat } from "node:fs/promises";
import type { Draft, DraftingDestination } from "../../dist/provider/publishing/destinations/destination.js";
import { destinationOf } from "../../dist/provider/publishing/destinations/destinationOf.js";
import type { DestinationInputs } from "../../dist/provider/publishing/destinations/inputs.js";
import { builtContext } from "./builtContext.ts";

/**
 * Begins a copy in a bucket as the built package does it: for processes whose time, memory or end is tested.
 *
 * @param archive a `.tar.gz` and its SHA-256 in hexadecimal digits
 * @param scratch an empty folder
 */
export async function beginCopy(
  place: DestinationInputs,
  archive: { path: string; sha256: string },
  scratch: string,
): Promise<Draft> {
  const { size } = await stat(archive.path);
  const bundle = { ...archive, format: "tar.gz", size, version: "1" } as const;
  const destination = destinationOf(place) as DraftingDestination;
  return destination.begin(bundle, builtContext(scratch, 600_000));
}
