import type { Destination } from "../destination";
import { archiveFolder } from "./archiveFolder";
import type { FolderPlace } from "./place";
import { siteFolder } from "./siteFolder";

/** A folder as a place of copies. */
export function folderDestination({ folder, layout }: FolderPlace): Destination {
  return layout === "site" ? siteFolder(folder) : archiveFolder(folder);
}
