import { lstat, readFile, readlink, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { usingFolder } from "../../files/diskFailure";
import { beginDraft, removeDraft, removeDrafts, replaceFolder } from "../../files/drafts";
import { linkFolder, replaceLink } from "../../files/folderLink";
import { ignoreMissing } from "../../files/ignoreMissing";
import { compareFolder, removeListed, keptText, type Listing } from "../../files/listing";
import { makeFolder } from "../../files/makeFolder";
import { writeNewFile } from "../../files/writeFile";
import { DestinationError } from "../../messages/errors";
import type { Destination } from "../destination";
import { tryNames } from "./nameTrial";

/** The symbolic link to the newest site. */
const CURRENT = "current";

/**
 * Unpacked sites in a folder: each in `<sha256>/…`, with the digests of its files in `<sha256>.json`; `current` links to the
 * newest. One rename publishes a site, and one rename updates the link.
 */
export function siteFolder(folder: string): Destination {
  const here = (name: string): string => resolve(folder, name);
  const listingOf = (sha256: string): string => here(`${sha256}.json`);

  return {
    id: folder,

    begin: (bundle, { signal, reporter }, sha256 = bundle.sha256) =>
      usingFolder(folder, signal, async () => {
        await refuseForeignLink(here(CURRENT));
        const draft = await beginDraft(resolve(folder));
        const inDraft = (name: string): string => join(draft, name);
        const listing = new Map<string, string>();
        return {
          tryNames: (names) => usingFolder(folder, signal, () => tryNames(names, { folder, draft, signal })),
          sink: {
            file: ({ path }, content) =>
              usingFolder(folder, signal, async () => {
                signal.throwIfAborted();
                const target = join(draft, "site", path);
                await makeFolder(dirname(target));
                listing.set(path, (await writeNewFile(target, content, { flush: false })).sha256);
                reporter.progress(`unpacking to ${folder}: ${listing.size} files`);
              }),
          },
          publish: (placing) =>
            usingFolder(folder, signal, async () => {
              signal.throwIfAborted();
              const text = JSON.stringify(Object.fromEntries(listing));
              await writeFile(inDraft("listing"), text, { flag: "wx", flush: true });
              await linkFolder(sha256, inDraft("link"));
              const isThere = async (): Promise<boolean> =>
                (await compareFolder(here(sha256), listing, signal)) === "same";
              const sitePath = join(folder, CURRENT);
              const copy = { sha256, uri: join(folder, sha256), sitePath, parts: { site: sha256 } };
              placing?.(copy);
              // first: without the listing, the files of the site could not be distinguished from others
              await rename(inDraft("listing"), listingOf(sha256));
              await replaceFolder(inDraft("site"), here(sha256), draft, isThere);
              await replaceLink(inDraft("link"), here(CURRENT));
              await removeDraft(draft);
              return copy;
            }),
          abandon: () => removeDraft(draft),
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
        const current = await linkOf(here(CURRENT));
        if (current !== sha256) {
          throw new DestinationError(
            `the link ${here(CURRENT)} leads ${current === undefined ? "nowhere" : `to ${current}`}, not to this copy`,
            "Import the copy that web servers serve, or move the link.",
          );
        }
        const copy = { uri: join(folder, sha256), sitePath: join(folder, CURRENT), parts: { site: sha256 } };
        return { copy, edition: sha256, files };
      }),

    compare: ({ sha256 }, { signal }) =>
      usingFolder(folder, signal, async () => {
        const listing = await readListing(listingOf(sha256));
        const found = await compareFolder(here(sha256), listing ?? new Map(), signal);
        return found !== "same" || (listing && (await linkOf(here(CURRENT))) === sha256) ? found : "changed";
      }),

    read: ({ sha256 }, { signal }) =>
      usingFolder(folder, signal, async () => {
        const files = await readListing(listingOf(sha256));
        return files && { files };
      }),

    remove: (copies, kept, { signal, reporter }) =>
      usingFolder(folder, signal, async () => {
        for (const { sha256 } of copies) {
          signal.throwIfAborted();
          if (kept.some((copy) => copy.sha256 === sha256)) continue;
          if ((await linkOf(here(CURRENT))) === sha256) await rm(here(CURRENT));
          const listing = await readListing(listingOf(sha256));
          const left = await removeListed(here(sha256), listing ?? new Map(), signal);
          if (left.length > 0) reporter.warn(keptText(here(sha256), left, "copy"));
          if (listing) await rm(listingOf(sha256), { force: true });
        }
        await removeDrafts(resolve(folder));
      }),
  };
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

/** The target of a symbolic link; `undefined` if there is none. */
async function linkOf(path: string): Promise<string | undefined> {
  return (await lstat(path).catch(ignoreMissing))?.isSymbolicLink() ? readlink(path) : undefined;
}

/** @throws DestinationError if something else has the name of our link */
async function refuseForeignLink(path: string): Promise<void> {
  if (!(await lstat(path).catch(ignoreMissing)) || /^[0-9a-f]{64}$/.test((await linkOf(path)) ?? "")) return;
  throw new DestinationError(
    `${path} exists already, and is not a link to a copy`,
    "It is unchanged. Move it away, or give another folder.",
  );
}
