import { parseDuration } from "../../../runtime/time/duration";
import type { Destination, DestinationContext } from "../destination";
import {
  archivePartsOf,
  compareArchive,
  findArchive,
  markArchives,
  publishArchive,
  readArchive,
  removeArchives,
} from "./archiveLayout";
import { signObject } from "./objects";
import { LONGEST_LINK_LIFE_MS, bucketUri, type BucketInputs } from "./inputs";
import { loadSdk } from "./sdk";
import { checkAccess, compareSite, findSite, markSites, publishSite, readSite } from "./siteLayout";
import { removeSites } from "./siteRemoval";
import { Spool } from "./spool";
import { Store } from "./store";

/**
 * Copies in a bucket of S3 or of a compatible store. The AWS SDK finds the credentials as AWS's own tools do:
 * environment, profiles, single sign-on, the role of a pod or machine.
 *
 * @param place one that `bucketProblem` accepts
 */
export function bucketDestination(destination: BucketInputs): Destination {
  const isSite = destination.layout === "site";
  const withStore = async <T>(
    context: DestinationContext,
    work: (store: Store) => Promise<T>,
  ): Promise<T> => {
    context.signal.throwIfAborted();
    const store = new Store(destination, await loadSdk(), context);
    try {
      return await work(store);
    } finally {
      store.client.destroy();
    }
  };

  return {
    id: bucketUri(destination),

    async begin(bundle, context, edition = bundle.sha256) {
      if (!isSite) {
        await loadSdk();
        return {
          publish: (placing) => withStore(context, (store) => publishArchive(store, bundle, placing)),
        };
      }
      await withStore(context, checkAccess);
      const spool = new Spool(await context.scratch());
      return {
        sink: spool,
        publish: (placing) => withStore(context, (store) => publishSite(store, edition, spool, placing)),
      };
    },

    find: (name, context) =>
      withStore(context, (store) => (isSite ? findSite(store, name) : findArchive(store, name))),

    compare: (copy, context) =>
      withStore(context, (store) => (isSite ? compareSite(store, copy) : compareArchive(store, copy))),

    mark: (copies, context) =>
      withStore(context, (store) => (isSite ? markSites(store, copies) : markArchives(store, copies))),

    read: (copy, context) =>
      withStore(context, (store) => (isSite ? readSite(store, copy) : readArchive(store, copy))),

    remove: (copies, kept, context) =>
      withStore(context, (store) =>
        isSite ? removeSites(store, copies, kept) : removeArchives(store, copies, kept),
      ),

    ...(!isSite && {
      link: (copy, context) =>
        withStore(context, async (store) => {
          const { key } = archivePartsOf(copy);
          if (destination.linkLife === undefined) return { url: await store.addressOf(key) };
          return signObject(store, key, parseDuration(destination.linkLife) ?? LONGEST_LINK_LIFE_MS);
        }),
    }),
  };
}
