import type { LimitedContext } from "../../resource/withinLimit";
import type { CheckedKitInputs } from "./inputs";

/** Distinguishes the drafts of this resource from those of other resources that write to the same folder. */
export function draftOwner(
  { urn = "" }: Pick<LimitedContext, "urn">,
  { folder }: Pick<CheckedKitInputs, "folder">,
): string {
  return JSON.stringify([urn, folder]);
}
