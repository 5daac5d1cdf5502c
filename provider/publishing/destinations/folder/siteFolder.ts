import { lstat, mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { usingFolder } from "../../../base/runtime/files/diskFailure";
import {
  beginDraft,
  removeDraft,
  removeDrafts,
  removeEndedDraft,
  replaceFolder,
} from "../../../base/runtime/files/drafts";
import { linkFolder } from "../../../base/runtime/files/folderLink";
import { FolderWriter } from "../../../base/runtime/files/folderWriter";
import { ignoreMissing } from "../../../base/runtime/files/ignoreMissing";
import {
  compareFolder,
  differenceOf,
  foreignText,
  keptText,
  type Listing,
  removeListed,
} from "../../../base/runtime/files/listing";
import { readRecord } from "../../../base/runtime/files/regularFile";
import { DestinationError } from "../../../base/runtime/messages/errors";
import { firstOf } from "../../../base/runtime/messages/firstOf";
import { type CopyLayout, isEdition } from "../copyLayout";
import type { Copy } from "../destination";
import { removedMeanwhile } from "../removedMeanwhile";
import { CURRENT, currentSite, moveLink, refuseForeignLink, removeLink } from "./currentLink";
import type { FolderPlace } from "./folderPlace";
import { tryNames } from "./nameTrial";

/**
 * Unpacked sites in a folder: each in `<sha256>/…`, with the digests of its files in `<sha256>.json`; `current` links to the
 * newest. One rename publishes a site, and one rename updates the link.
 */
export const SITES_IN_FOLDER: CopyLayout<FolderPlace> = {
  hasDrafts: true,
  itemOf: ({ sha256 }) => sha256,
  recorded: async (place) => {
    const names = (await readdir(place.path()).catch(ignoreMissing)) ?? [];
    const editions = names
      .filter((name) => name.endsWith(".json"))
      .map((name) => basename(name, ".json"))
      .filter(isEdition);
    const listings = await Array.fromAsync(editions, (each) => readListing(place, each)); // one after the other
    return editions.filter((_, at) => listings[at] !== undefined);
  },
  exists: async (place, sha256) => (await place.has(sha256)) || place.has(listingOf(sha256)),

  async begin(drafted, _bundle, sha256, copies) {
    const { folder, context } = drafted;
    const { signal, reporter } = context;
    const isOfState = copies.some((each) => each.sha256 === sha256);
    await refuseForeignLink(drafted);
    if (!isOfState) await refuseForeignListing(drafted, sha256);
    const draft = await beginDraft(drafted.path(), reporter);
    const inDraft = (name: string): string => join(draft, name);
    const listing = new Map<string, string>();
    const site = new FolderWriter(inDraft("site"));
    return {
      tryNames: (names) => usingFolder(folder, signal, () => tryNames(names, { folder, draft, signal })),
      sink: {
        digests: () => listing,
        file: ({ path, size }, content) =>
          usingFolder(folder, signal, async () => {
            signal.throwIfAborted();
            listing.set(path, await site.write(path, size, content));
            reporter.progress(`unpacking to ${folder}: ${listing.size} files`);
          }),
      },
      async publish(place, placing) {
        signal.throwIfAborted();
        await site.end();
        const text = JSON.stringify(Object.fromEntries(listing));
        await writeFile(inDraft("listing"), text, { flag: "wx", flush: true });
        await mkdir(inDraft("trial"));
        await linkFolder(sha256, inDraft("trial/link")); // fails before anything is visible
        const path = place.path(sha256);
        const stats = await lstat(path).catch(ignoreMissing);
        if (stats && !stats.isDirectory()) throw noSite(path);
        // again: unpacking takes its time
        await refuseForeignLink(place);
        if (!isOfState) await refuseForeignListing(place, sha256);
        const copy = { sha256, ...copyOf(place, sha256) };
        placing?.(copy);
        const earlier = await readListing(place, sha256);
        // first: without the listing, the files of the site could not be distinguished from others
        await rename(inDraft("listing"), place.path(listingOf(sha256)));
        await replaceFolder(inDraft("site"), path, draft, {
          isDone: async () => (await compareFolder(path, listing, signal)) === "same",
          foreignIn: () => foreignFiles(place, path, new Map([...(earlier ?? []), ...listing])),
        });
        await moveLink(place, sha256);
        if (!(await place.has(sha256)) || !(await place.has(listingOf(sha256)))) throw removedMeanwhile(path);
        await removeDraft(draft);
        return copy;
      },
      abandon: async () => {
        await site.settle(); // a file that is still written would stay
        await removeEndedDraft(draft, reporter);
      },
    };
  },

  async find(place, sha256) {
    const path = place.path(sha256);
    const files = await readListing(place, sha256);
    const found = await compareFolder(path, files ?? new Map(), place.context.signal);
    if (found === "gone") {
      throw new DestinationError(`there is no folder ${path}`, "Check the path and the digest.");
    }
    if (files === undefined) {
      throw new DestinationError(
        `${path} has no list of its files beside it, ${sha256}.json`,
        "It is no copy of this package. Make a new copy in another folder.",
      );
    }
    if (found === "changed") {
      throw new DestinationError(
        `the files in ${path} are not those of its list, ${sha256}.json`,
        "They are unchanged. Import another copy, or make a new one.",
      );
    }
    const current = await currentSite(place);
    if (current !== sha256) {
      throw new DestinationError(
        `the link ${place.path(CURRENT)} leads ${current === undefined ? "nowhere" : `to ${current}`}, not to this copy`,
        "Import the copy that web servers serve, or move the link.",
      );
    }
    return { copy: copyOf(place, sha256), edition: sha256, files };
  },

  async compare(place, { sha256 }) {
    const { signal, reporter } = place.context;
    const path = place.path(sha256);
    const listing = await readListing(place, sha256);
    const found = await differenceOf(path, listing ?? new Map(), signal);
    if (found === undefined) return "gone";
    if (found === "no folder" || !listing || found.altered.length + found.missing.length > 0) {
      return "changed";
    }
    if (found.foreign.length > 0) reporter.warn(foreignText(path, found.foreign, "copy"));
    return (await currentSite(place)) === sha256 ? "same" : "changed";
  },

  async read(place, { sha256 }) {
    const files = await readListing(place, sha256);
    return files && { files };
  },

  async readFiles(place, { sha256 }, { isWanted, take }) {
    const files = await readListing(place, sha256);
    for (const path of [...(files?.keys() ?? [])].filter(isWanted)) {
      place.context.signal.throwIfAborted();
      const bytes = await readRecord(join(place.path(sha256), path));
      if (bytes) await take(path, bytes);
    }
  },

  async remove(place, sites, _copies, kept) {
    await removeDrafts(place.path(), place.context.reporter); // a killed run may have moved a site there
    const [newest] = kept;
    // the newest last: the link leads to an existing site as long as there is one
    for (const site of sites.toReversed()) {
      place.context.signal.throwIfAborted();
      await place.owner.confirm();
      if (newest === undefined) await removeLink(place, site);
      else if ((await currentSite(place)) === site) await moveLink(place, newest);
      await removeSite(place, site);
    }
    await removeDrafts(place.path(), place.context.reporter);
  },
};

function copyOf({ folder }: FolderPlace, sha256: string): Omit<Copy, "sha256"> {
  return { uri: join(folder, sha256), sitePath: join(folder, CURRENT), parts: { site: sha256 } };
}

async function removeSite(place: FolderPlace, sha256: string): Promise<void> {
  const { signal, reporter } = place.context;
  const path = place.path(sha256);
  const listing = await readListing(place, sha256);
  const left = await removeListed(path, listing ?? new Map(), signal);
  if (left.length > 0) reporter.warn(keptText(path, left, "copy"));
  await place.owner.confirm();
  if (listing) await rm(place.path(listingOf(sha256)), { force: true });
}

function noSite(site: string): DestinationError {
  return new DestinationError(
    `${site} exists already, and is not a folder that a copy made`,
    "It is unchanged. Move it away, or give another folder.",
  );
}

/** The files of others in a site that is about to be replaced: they stay, and a line names them. */
async function foreignFiles(
  { context: { signal, reporter } }: FolderPlace,
  site: string,
  listing: Listing,
): Promise<readonly string[]> {
  const found = await differenceOf(site, listing, signal);
  if (found === "no folder") throw noSite(site);
  const { foreign = [], altered = [] } = found ?? {};
  if (foreign.length > 0) reporter.warn(foreignText(site, foreign, "copy"));
  if (altered.length > 0) {
    reporter.warn(
      `${site} has files that were changed since they were copied. They are written again: ${firstOf(altered)}`,
    );
  }
  return foreign;
}

/** The name of the list of a site's files. */
const listingOf = (sha256: string): string => `${sha256}.json`;

/** @returns `undefined` for a missing file, and for one that others wrote, also in JSON */
async function readListing(place: FolderPlace, sha256: string): Promise<Listing | undefined> {
  const text = await readRecord(place.path(listingOf(sha256)));
  try {
    const listed: unknown = JSON.parse(String(text));
    if (Array.isArray(listed)) return undefined;
    const listing = new Map<string, unknown>(Object.entries(listed as object));
    return isListing(listing) ? listing : undefined;
  } catch {
    return undefined;
  }
}

/** Whether these are the files of a site, which has at least one, each by its path. */
function isListing(entries: ReadonlyMap<string, unknown>): entries is Listing {
  const isDigest = (value: unknown): boolean => typeof value === "string" && isEdition(value);
  const isPath = (path: string): boolean => !path.split("/").some((each) => ["", ".", ".."].includes(each));
  return entries.size > 0 && [...entries].every(([path, value]) => isPath(path) && isDigest(value));
}

/** @throws DestinationError if something else has the name of a copy's list */
async function refuseForeignListing(place: FolderPlace, sha256: string): Promise<void> {
  const name = listingOf(sha256);
  if (!(await place.has(name)) || (await readListing(place, sha256)) !== undefined) return;
  throw new DestinationError(
    `${place.path(name)} exists already, and is not the list of a copy's files`,
    "It is unchanged. Move it away, or give another folder.",
  );
}
