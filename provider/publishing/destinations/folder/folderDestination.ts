import { usingFolder } from "../../../base/runtime/files/diskFailure";
import { type CopyLayout, layoutDestination } from "../copyLayout";
import type { DraftingDestination, Layout } from "../destination";
import { ARCHIVES_IN_FOLDER } from "./archiveFolder";
import { type FolderContext, type FolderPlace, folderPlace } from "./folderPlace";
import type { FolderInputs } from "./inputs";
import { SITES_IN_FOLDER } from "./siteFolder";

const LAYOUTS: Readonly<Record<Layout, CopyLayout<FolderPlace>>> = {
  archive: ARCHIVES_IN_FOLDER,
  site: SITES_IN_FOLDER,
};

/** Copies in a folder of this machine. */
export function folderDestination({ folder, layout = "archive" }: FolderInputs): DraftingDestination {
  return layoutDestination(folder, LAYOUTS, layout, (context, work) =>
    usingFolder(folder, context.signal, () => work(folderPlace(folder, context))),
  );
}

/** Removes the copies that are recorded in a folder of another kind of resource, which took it over. */
export async function removeRecordedCopies(folder: string, context: FolderContext): Promise<void> {
  const place = folderPlace(folder, context);
  for (const layout of Object.values(LAYOUTS)) {
    const recorded = await layout.recorded(place);
    if (recorded.length > 0) await layout.remove(place, recorded, [], []);
  }
}
