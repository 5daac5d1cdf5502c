import { type CopyLayout, layoutDestination } from "../copyLayout";
import type { DestinationContext, DraftingDestination, Layout } from "../destination";
import { ARCHIVES_IN_BUCKET } from "./archive/archiveLayout";
import { OwnedPlace } from "./bucketMark";
import { type BucketFields, placeUri } from "./bucketPlace";
import type { ObjectStore } from "./objectStore";
import { SITES_IN_BUCKET } from "./site/siteLayout";

const LAYOUTS: Readonly<Record<Layout, CopyLayout<OwnedPlace>>> = {
  archive: ARCHIVES_IN_BUCKET,
  site: SITES_IN_BUCKET,
};

/**
 * Copies in a bucket of any store.
 *
 * @param uri see {@link ObjectStore.uri}
 * @param open connects to the bucket, without a request. It throws a ConfigurationError if a library is not installed
 */
export function bucketDestination<Inputs extends BucketFields>(
  inputs: Inputs,
  uri: string,
  open: (inputs: Inputs, context: DestinationContext) => Promise<ObjectStore>,
): DraftingDestination {
  const { prefix, layout = "archive" } = inputs;
  return layoutDestination(placeUri(uri, prefix), LAYOUTS, layout, async (context, work) => {
    context.signal.throwIfAborted();
    const store = await open(inputs, context);
    try {
      return await work(new OwnedPlace(store, inputs, context));
    } finally {
      store.close();
    }
  });
}
