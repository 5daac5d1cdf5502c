import { type Copy, destinationChange, destinationOf } from "../../publishing/index";
import { type Decision, fromNow } from "../../resource/decision";
import { isStoredLink } from "../../service/bundleLink";
import type { CopyLinkOutputs } from "../publication/publication";
import type { OwnedContext } from "../publication/publicationKind";
import type { CheckedCopyInputs } from "./inputs";
import { linkOutputs } from "./linkOutputs";
import { withScratchFolder } from "./scratchFolder";
import { type BundleCopyState, isLinkSigned } from "./state";

/** Why a link to the newest copy must be signed; `undefined` when it need not be. */
export function reasonToSign(
  { destination }: CheckedCopyInputs,
  { outputs, bookkeeping }: BundleCopyState,
  nowMs: number,
): Decision | undefined {
  const { uri, expiresAt, renewAfter } = outputs;
  const isDamaged = isLinkSigned(destination)
    ? expiresAt !== undefined && !isStoredLink(outputs)
    : bookkeeping.copies[0]?.copy.address !== undefined && typeof outputs.bundleUrl !== "string";
  if (isDamaged) {
    const text = `the state has no valid link to ${uri}, or no valid date of it, so the link is renewed; nothing is copied`;
    return { code: "RENEW_WINDOW", text };
  }
  if (destinationChange(outputs.destination, destination) === "link") {
    return { code: "SETTINGS", text: `destination.linkLife changed: a new link to ${uri} is signed` };
  }
  if (!isLinkSigned(destination)) return undefined;
  if (expiresAt === undefined) {
    const text = `an earlier run was interrupted before it signed the link to ${uri}`;
    return { code: "RESUMED", text };
  }
  if (renewAfter === undefined || nowMs < Date.parse(renewAfter)) return undefined;
  const due = `since ${renewAfter} (${fromNow(Date.parse(renewAfter), nowMs)})`;
  return { code: "RENEW_WINDOW", text: `the link to ${uri} is due for renewal ${due}` };
}

/** A link to a copy; `undefined` if it has none, or an address that needs no signature: the publication returns that. */
export async function linkTo(
  context: OwnedContext,
  { destination }: CheckedCopyInputs,
  copy: Copy,
): Promise<CopyLinkOutputs | undefined> {
  const { link } = destinationOf(destination);
  if (!link || (!isLinkSigned(destination) && copy.address !== undefined)) return undefined;
  const signedAtMs = context.clock.now();
  return withScratchFolder(context, async (place) => linkOutputs(await link(copy, place), signedAtMs));
}
