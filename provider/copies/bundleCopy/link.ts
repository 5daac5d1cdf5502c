import { destinationOf } from "../destinations/destinationOf";
import type { Copy } from "../destinations/destination";
import type { LinkOutputs, OwnedContext } from "../publication/publication";
import type { CheckedInputs } from "./inputs";
import { withScratchFolder } from "./scratchFolder";
import { isLinkSigned, linkOutputs } from "./state";

/** A link to a copy; `undefined` if it has none, or an address that needs no signature. */
export async function linkTo(
  context: OwnedContext,
  inputs: CheckedInputs,
  copy: Copy,
): Promise<LinkOutputs | undefined> {
  const { link } = destinationOf(inputs.destination);
  // the publication returns an address that needs no signature
  const isKnown = !isLinkSigned(inputs.destination) && copy.address !== undefined;
  if (isKnown || !link) return undefined;
  const signedAtMs = context.clock.now();
  return withScratchFolder(context, async (place) => linkOutputs(await link(copy, place), signedAtMs));
}
