import { lstat, readlink, rm } from "node:fs/promises";
import { draftPath, removeDraft } from "../../../base/runtime/files/drafts";
import { linkFolder, replaceLink } from "../../../base/runtime/files/folderLink";
import { ignoreMissing } from "../../../base/runtime/files/ignoreMissing";
import { DestinationError } from "../../../base/runtime/messages/errors";
import { isEdition } from "../copyLayout";
import type { FolderPlace } from "./folderPlace";

/** The symbolic link to the site that was published last. */
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

/** Moves the link to a site that is there, if the folder still belongs to the resource, and nothing else has the name. */
export async function moveLink(place: FolderPlace, site: string): Promise<void> {
  await place.owner.confirm();
  for (let tries = 1; tries <= MAX_TRIES && (await currentSite(place)) !== site; tries++) {
    await moveTo(place, site);
  }
}

/** Removes the link, if it leads to a site. */
export async function removeLink(place: FolderPlace, site: string): Promise<void> {
  if ((await currentSite(place)) === site) await rm(place.path(CURRENT), { force: true });
}

async function moveTo(place: FolderPlace, site: string): Promise<void> {
  const draft = draftPath(place.path());
  try {
    await linkFolder(site, draft);
    await refuseForeignLink(place);
    await replaceLink(draft, place.path(CURRENT));
  } finally {
    await removeDraft(draft);
  }
}
