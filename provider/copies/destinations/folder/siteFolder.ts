import { lstat, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { usingFolder } from "../../../runtime/files/diskFailure";
import {
  beginDraft,
  removeDraft,
  removeDrafts,
  removeEndedDraft,
  replaceFolder,
} from "../../../runtime/files/drafts";
import { FolderWriter } from "../../../runtime/files/folderWriter";
import { linkFolder } from "../../../runtime/files/folderLink";
import { ignoreMissing } from "../../../runtime/files/ignoreMissing";
import {
  compareFolder,
  differenceOf,
  foreignText,
  keptText,
  removeListed,
  type Listing,
} from "../../../runtime/files/listing";
import { DestinationError } from "../../../runtime/messages/errors";
import { firstOf } from "../../../runtime/messages/firstOf";
import { removedMeanwhile } from "../../ownership/ownership";
import type { Destination, DestinationContext } from "../destination";
import { CURRENT, CurrentLink, linkTarget, refuseForeignLink } from "./currentLink";
import { folderOwnership } from "./folderOwnership";
import { tryNames } from "./nameTrial";

/**
 * Unpacked sites in a folder: each in `<sha256>/…`, with the digests of its files in `<sha256>.json`; `current` links to the
 * newest. One rename publishes a site, and one rename updates the link.
 */
export function siteFolder(folder: string): Destination {
  const here = (name: string): string => resolve(folder, name);
  const listingOf = (sha256: string): string => here(`${sha256}.json`);

  return {
    id: folder,

    begin: (bundle, context, sha256 = bundle.sha256) =>
      usingFolder(folder, context.signal, async () => {
        const { signal, reporter } = context;
        await refuseForeignLink(here(CURRENT));
        const draft = await beginDraft(resolve(folder));
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
          publish: (placing) =>
            usingFolder(folder, signal, async () => {
              signal.throwIfAborted();
              await site.end();
              const text = JSON.stringify(Object.fromEntries(listing));
              await writeFile(inDraft("listing"), text, { flag: "wx", flush: true });
              await linkFolder(sha256, inDraft("link")); // fails before anything is visible
              await refuseForeignSite(here(sha256));
              const sitePath = join(folder, CURRENT);
              const copy = { sha256, uri: join(folder, sha256), sitePath, parts: { site: sha256 } };
              placing?.(copy);
              const ownership = folderOwnership(folder, context);
              const earlier = await readListing(listingOf(sha256));
              await ownership.publish(
                sha256,
                () => isStarted(sha256),
                async () => {
                  // first: without the listing, the files of the site could not be distinguished from others
                  await rename(inDraft("listing"), listingOf(sha256));
                  await replaceFolder(inDraft("site"), here(sha256), draft, {
                    isDone: async () => (await compareFolder(here(sha256), listing, signal)) === "same",
                    foreignIn: (site) =>
                      foreignFiles(site, new Map([...(earlier ?? []), ...listing]), context),
                  });
                  await currentLink(folder, context).take(sha256);
                  if (!(await isWhole(sha256))) throw removedMeanwhile(here(sha256));
                },
              );
              await removeDraft(draft);
              return copy;
            }),
          abandon: async () => {
            await site.settle(); // a file that is still written would stay
            await removeEndedDraft(draft);
          },
        };
      }),

    find: (sha256, { signal }) =>
      usingFolder(folder, signal, async () => {
        const files = await readListing(listingOf(sha256));
        const found = await compareFolder(here(sha256), files ?? new Map(), signal);
        if (found === "gone") {
          throw new DestinationError(`there is no folder ${here(sha256)}`, "Check the path and the digest.");
        }
        if (files === undefined) {
          throw new DestinationError(
            `${here(sha256)} has no list of its files beside it, ${sha256}.json`,
            "It is no copy of this package. Make a new copy in another folder.",
          );
        }
        if (found === "changed") {
          throw new DestinationError(
            `the files in ${here(sha256)} are not those of its list, ${sha256}.json`,
            "They are unchanged. Import another copy, or make a new one.",
          );
        }
        const current = await linkTarget(here(CURRENT));
        if (current !== sha256) {
          throw new DestinationError(
            `the link ${here(CURRENT)} leads ${current === undefined ? "nowhere" : `to ${current}`}, not to this copy`,
            "Import the copy that web servers serve, or move the link.",
          );
        }
        const copy = { uri: join(folder, sha256), sitePath: join(folder, CURRENT), parts: { site: sha256 } };
        return { copy, edition: sha256, files };
      }),

    compare: ({ sha256 }, context) =>
      usingFolder(folder, context.signal, async () => {
        const listing = await readListing(listingOf(sha256));
        const found = await differenceOf(here(sha256), listing ?? new Map(), context.signal);
        if (found === undefined) return "gone";
        if (found === "no folder" || !listing || found.altered.length + found.missing.length > 0)
          return "changed";
        if (found.foreign.length > 0) context.reporter.warn(foreignText(here(sha256), found.foreign, "copy"));
        if (!(await currentLink(folder, context).isAt(sha256))) return "changed";
        return folderOwnership(folder, context).compared(sha256);
      }),

    mark: (copies, context) =>
      usingFolder(folder, context.signal, async () => {
        const ownership = folderOwnership(folder, context);
        for (const { sha256 } of copies) {
          if (await lstat(here(sha256)).catch(ignoreMissing)) await ownership.claim(sha256);
        }
      }),

    read: ({ sha256 }, { signal }) =>
      usingFolder(folder, signal, async () => {
        const files = await readListing(listingOf(sha256));
        return files && { files };
      }),

    remove: (copies, kept, context) =>
      usingFolder(folder, context.signal, async () => {
        await removeDrafts(resolve(folder)); // a killed run may have moved a site there
        const ownership = folderOwnership(folder, context);
        const names = new Set(copies.map(({ sha256 }) => sha256));
        if (kept.length === 0)
          for (const name of await ownership.ownItems()) if (SITE.test(name)) names.add(name);
        for (const { sha256 } of kept) names.delete(sha256);
        // the newest last: the link leads to an existing site as long as there is one
        for (const sha256 of [...names].reverse()) {
          await ownership.release([sha256], isStarted, async () => {
            await currentLink(folder, context).giveAway(sha256);
            await removeSite(sha256, context);
          });
          // another owner keeps this copy, but has published a later one
          if (kept.length === 0) await currentLink(folder, context).giveAway(sha256);
        }
        await removeDrafts(resolve(folder));
      }),
  };

  /** Which of the site's folder and its listing are there. */
  async function partsOf(sha256: string): Promise<boolean[]> {
    const stats = [here(sha256), listingOf(sha256)].map((path) => lstat(path).catch(ignoreMissing));
    return (await Promise.all(stats)).map((each) => each !== undefined);
  }

  async function isWhole(sha256: string): Promise<boolean> {
    return (await partsOf(sha256)).every(Boolean);
  }

  async function isStarted(sha256: string): Promise<boolean> {
    return (await partsOf(sha256)).some(Boolean);
  }

  async function removeSite(sha256: string, { signal, reporter }: DestinationContext): Promise<void> {
    const listing = await readListing(listingOf(sha256));
    const left = await removeListed(here(sha256), listing ?? new Map(), signal);
    if (left.length > 0) reporter.warn(keptText(here(sha256), left, "copy"));
    if (listing) await rm(listingOf(sha256), { force: true });
  }
}

function currentLink(folder: string, context: DestinationContext): CurrentLink {
  return new CurrentLink(folder, folderOwnership(folder, context), context);
}

/** Names of sites. */
const SITE = /^[0-9a-f]{64}$/;

/** @throws DestinationError if something else has the name of our site */
async function refuseForeignSite(site: string): Promise<void> {
  const stats = await lstat(site).catch(ignoreMissing);
  if (stats && !stats.isDirectory()) throw noSite(site);
}

function noSite(site: string): DestinationError {
  return new DestinationError(
    `${site} exists already, and is not a folder that a copy made`,
    "It is unchanged. Move it away, or give another folder.",
  );
}

/** The files of others in a site that is about to be replaced: they stay, and a line names them. */
async function foreignFiles(
  site: string,
  listing: Listing,
  { signal, reporter }: DestinationContext,
): Promise<readonly string[]> {
  const found = await differenceOf(site, listing, signal);
  if (found === "no folder") throw noSite(site);
  const { foreign = [], altered = [] } = found ?? {};
  if (foreign.length > 0) reporter.warn(foreignText(site, foreign, "copy"));
  if (altered.length > 0)
    reporter.warn(
      `${site} has files that were changed since they were copied. They are written again: ${firstOf(altered)}`,
    );
  return foreign;
}

/** @returns `undefined` for a missing file, and for one that others wrote */
async function readListing(path: string): Promise<Listing | undefined> {
  const text = await readFile(path, "utf8").catch(ignoreMissing);
  try {
    return text === undefined ? undefined : new Map(Object.entries(JSON.parse(text) as object));
  } catch {
    return undefined;
  }
}
