import { parseDuration } from "../../../runtime/time/duration";
import type { Bundle } from "../../../site/inspection/bundle";
import type {
  Copy,
  CopyComparison,
  CopyContent,
  CopyLink,
  Destination,
  DestinationContext,
  Draft,
  FoundCopy,
  Layout,
} from "../destination";
import {
  compareArchive,
  findArchive,
  linkToArchive,
  markArchives,
  publishArchive,
  readArchive,
  removeArchives,
} from "./archiveLayout";
import { BucketPlace, placeUri } from "./bucketPlace";
import { LONGEST_LINK_LIFE_MS } from "./inputs";
import type { ObjectStore } from "./objectStore";
import { SiteBuffer } from "./siteBuffer";
import { checkAccess, compareSite, findSite, markSites, readSite } from "./siteLayout";
import { publishSite } from "./sitePublication";
import { removeSites } from "./siteRemoval";

/** Where in a bucket copies are kept, and how; and the store behind it. */
export interface BucketPlan {
  /** See {@link ObjectStore.uri}. */
  readonly uri: string;
  readonly prefix?: string | undefined;
  readonly layout?: Layout | undefined;
  /** Whether pages are stored a second time, without their extension. @default true */
  readonly cleanUrls?: boolean | undefined;
  /** @default links are not signed */
  readonly linkLife?: string | undefined;
  /** Connects to the bucket, without a request. @throws ConfigurationError if a library is not installed */
  readonly open: (context: DestinationContext) => Promise<ObjectStore>;
}

type Within = <T>(work: (place: BucketPlace) => Promise<T>) => Promise<T>;

/** How copies of a layout are kept. */
interface BucketLayout {
  begin(
    within: Within,
    context: DestinationContext,
    bundle: Bundle,
    edition: string,
    hasCleanUrls: boolean,
  ): Promise<Draft>;
  find(place: BucketPlace, name: string): Promise<FoundCopy>;
  compare(place: BucketPlace, copy: Copy): Promise<CopyComparison>;
  mark(place: BucketPlace, copies: readonly Copy[]): Promise<void>;
  read(place: BucketPlace, copy: Copy): Promise<CopyContent | undefined>;
  remove(place: BucketPlace, copies: readonly Copy[], kept: readonly Copy[]): Promise<void>;
  readonly link?: (place: BucketPlace, copy: Copy) => Promise<CopyLink>;
}

const LAYOUTS: Readonly<Record<Layout, BucketLayout>> = {
  archive: {
    async begin(within, _context, bundle) {
      await within(() => Promise.resolve()); // fails without the store's library
      return { publish: (placing) => within((place) => publishArchive(place, bundle, placing)) };
    },
    find: findArchive,
    compare: compareArchive,
    mark: markArchives,
    read: readArchive,
    remove: removeArchives,
    link: linkToArchive,
  },
  site: {
    async begin(within, context, _bundle, edition, hasCleanUrls) {
      await within(checkAccess);
      const files = new SiteBuffer(await context.scratch());
      return {
        sink: files,
        publish: (placing) =>
          within((place) => publishSite(place, edition, files, hasCleanUrls, placing)).finally(() =>
            files.close(),
          ),
      };
    },
    find: findSite,
    compare: compareSite,
    mark: markSites,
    read: readSite,
    remove: removeSites,
  },
};

/** Copies in a bucket of any store. */
export function bucketDestination({
  uri,
  prefix = "",
  layout: name = "archive",
  cleanUrls = true,
  linkLife,
  open,
}: BucketPlan): Destination {
  const layout = LAYOUTS[name];
  const linkLifeMs = linkLife === undefined ? undefined : (parseDuration(linkLife) ?? LONGEST_LINK_LIFE_MS);
  const within =
    (context: DestinationContext): Within =>
    async (work) => {
      context.signal.throwIfAborted();
      const store = await open(context);
      try {
        return await work(new BucketPlace(store, prefix, linkLifeMs, context));
      } finally {
        store.close();
      }
    };
  const { link } = layout;
  return {
    id: placeUri(uri, prefix),
    begin: (bundle, context, edition = bundle.sha256) =>
      layout.begin(within(context), context, bundle, edition, cleanUrls),
    find: (copy, context) => within(context)((place) => layout.find(place, copy)),
    compare: (copy, context) => within(context)((place) => layout.compare(place, copy)),
    mark: (copies, context) => within(context)((place) => layout.mark(place, copies)),
    read: (copy, context) => within(context)((place) => layout.read(place, copy)),
    remove: (copies, kept, context) => within(context)((place) => layout.remove(place, copies, kept)),
    ...(link && { link: (copy, context) => within(context)((place) => link(place, copy)) }),
  };
}
