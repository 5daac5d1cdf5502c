import { wantedIn } from "../additions/additions";
import { type AdditionFacts, unpackSite } from "../additions/unpackSite";
import { SiteDigests } from "../inspection/siteDigests";
import type {
  DestinationContext,
  DraftingDestination,
  NewCopy,
  PublishedCopy,
  SiteChanges,
} from "./destination";
import { changesSince, noChanges } from "./siteChanges";

/** See {@link Destination.publish}: begins a draft, passes the site's files to it with what is added, and publishes it. */
export async function publishCopy(
  destination: Pick<DraftingDestination, "begin" | "read">,
  wanted: NewCopy,
  context: DestinationContext,
  placing?: (published: PublishedCopy) => void,
): Promise<PublishedCopy> {
  const { bundle, inspection, limits, additions, edition, before, earlier, signer, serviceUrl } = wanted;
  const { signal } = context;
  const draft = await destination.begin(bundle, context, edition, earlier);
  const other = before?.sha256 === edition ? undefined : before;
  // an archive is read only for a comparison
  const sink = draft.sink ?? (other && new SiteDigests());
  let facts: AdditionFacts = {};
  let changes: SiteChanges | undefined;
  try {
    await draft.tryNames?.(inspection.doubtfulNames);
    if (sink) facts = await unpackSite(bundle, limits, sink, { ...inspection, signal }, additions);
    if (other && sink) changes = await changesSince(other, sink.digests(), destination, context);
    else if (before) changes = noChanges(before.uri);
    const origin = { bundle, serviceUrl, additions: wantedIn(additions), fetched: facts.fetchedAssets };
    const copy = await draft.publish(
      (placed) => placing?.({ copy: placed, facts, changes }),
      signer && { signer, origin },
    );
    return { copy, facts, changes };
  } catch (error) {
    await draft.abandon?.();
    throw error;
  }
}
