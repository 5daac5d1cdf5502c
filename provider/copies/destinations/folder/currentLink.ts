import { lstat, readlink, rm, stat } from "node:fs/promises";
import { draftPath, removeDraft } from "../../../runtime/files/drafts";
import { linkFolder, replaceLink } from "../../../runtime/files/folderLink";
import { ignoreMissing } from "../../../runtime/files/ignoreMissing";
import { DestinationError } from "../../../runtime/messages/errors";
import { isEdition } from "../copyLayout";
import type { FolderPlace } from "./folderPlace";

/** The symbolic link to the site that was published last. It belongs to the owner who published that. */
export const CURRENT = "current";

/** How often the link is moved again because another run moved it at the same time. */
const MAX_TRIES = 20;

/** The site that the link leads to; `undefined` if there is no link. */
export async function currentSite(place: FolderPlace): Promise<string | undefined> {
  const path = place.path(CURRENT);
  const stats = await lstat(path).catch(ignoreMissing);
  return stats?.isSymbolicLink() ? readlink(path).catch(ignoreMissing) : undefined;
}

/** @throws DestinationError if something else has the name of our link */
export async function refuseForeignLink(place: FolderPlace): Promise<void> {
  const path = place.path(CURRENT);
  const stats = await lstat(path).catch(ignoreMissing);
  if (!stats) return;
  const target = stats.isSymbolicLink() ? await readlink(path).catch(ignoreMissing) : "";
  // another run may just have removed it
  if (target === undefined || isEdition(target)) return;
  throw new DestinationError(
    `${path} exists already, and is not a link to a copy`,
    "It is unchanged. Move it away, or give another folder.",
  );
}

/** Moves the link to a site that is published now. A warning names the other owners of the site that it led to. */
export async function takeLink(place: FolderPlace, site: string): Promise<void> {
  const before = await currentSite(place);
  if (before !== undefined && before !== site) {
    const others = await place.ownership.otherOwners(before);
    if (others !== undefined) {
      place.context.reporter.warn(
        `${place.path(CURRENT)} led to a copy of ${others}: it leads to this copy now. Give each resource a folder of its own`,
      );
    }
  }
  for (let tries = 1; tries <= MAX_TRIES && (await currentSite(place)) !== site; tries++)
    await moveTo(place, site);
}

/**
 * Moves the link from a site that its owner leaves to the newest whole site that another owner has, or removes it. A link to
 * another site stays.
 */
export async function giveLinkAway(place: FolderPlace, site: string): Promise<void> {
  for (let from: string | undefined = site, tries = 1; tries <= MAX_TRIES; tries++) {
    if ((await currentSite(place)) !== from) return;
    const heir = await newestWhole(place);
    if (heir === from || heir === site) return; // whoever publishes the site again takes the link
    if (heir === undefined) await rm(place.path(CURRENT), { force: true });
    else await moveTo(place, heir);
    from = heir; // look again: whoever published meanwhile may have looked at the link before
  }
}

async function newestWhole(place: FolderPlace): Promise<string | undefined> {
  for (const item of await place.ownership.newestFirst()) {
    const stats = await stat(place.path(item)).catch(ignoreMissing);
    if (stats?.isDirectory() && (await place.has(`${item}.json`))) return item;
  }
  return undefined;
}

async function moveTo(place: FolderPlace, site: string): Promise<void> {
  const draft = draftPath(place.path());
  try {
    await linkFolder(site, draft);
    await replaceLink(draft, place.path(CURRENT));
  } finally {
    await removeDraft(draft);
  }
}
