import type { DraftingDestination } from "../../provider/publishing/destinations/destination.ts";
import { destinationOf } from "../../provider/publishing/destinations/destinationOf.ts";
import type { DestinationInputs } from "../../provider/publishing/destinations/inputs.ts";

/** A destination with its drafts, for tests that write files without an archive, or stop between two steps. */
export function draftingDestination(inputs: DestinationInputs): DraftingDestination {
  return destinationOf(inputs) as DraftingDestination;
}
