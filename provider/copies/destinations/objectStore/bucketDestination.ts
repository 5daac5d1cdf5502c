import { layoutDestination, type CopyLayout } from "../copyLayout";
import type { Destination, DestinationContext, Layout } from "../destination";
import { ARCHIVES_IN_BUCKET } from "./archiveLayout";
import { OwnedPlace } from "./bucketMarks";
import { placeUri, type BucketFields } from "./bucketPlace";
import type { ObjectStore } from "./objectStore";
import { SITES_IN_BUCKET } from "./siteLayout";

/** Copies in a bucket, and the store behind it. */
export interface BucketPlan extends BucketFields {
  /** See {@link ObjectStore.uri}. */
  readonly uri: string;
  /** Connects to the bucket, without a request. @throws ConfigurationError if a library is not installed */
  readonly open: (context: DestinationContext) => Promise<ObjectStore>;
}

const LAYOUTS: Readonly<Record<Layout, CopyLayout<OwnedPlace>>> = {
  archive: ARCHIVES_IN_BUCKET,
  site: SITES_IN_BUCKET,
};

/** Copies in a bucket of any store. */
export function bucketDestination(plan: BucketPlan): Destination {
  const { uri, prefix, layout = "archive", open } = plan;
  return layoutDestination(placeUri(uri, prefix), LAYOUTS[layout], async (context, work) => {
    context.signal.throwIfAborted();
    const store = await open(context);
    try {
      return await work(new OwnedPlace(store, plan, context));
    } finally {
      store.close();
    }
  });
}
