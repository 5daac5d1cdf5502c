import { lstat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { ignoreMissing } from "../../../base/runtime/files/ignoreMissing";
import { folderOwner, type FolderRecords, folderRecords } from "../../ownership/folderMark";
import type { PlaceContext, PlaceOwner } from "../../ownership/placeOwner";
import type { DestinationContext } from "../destination";

/** What an operation on copies in a folder needs from the outside. */
export type FolderContext = PlaceContext & Pick<DestinationContext, "signal">;

/** A folder with copies, during one operation. */
export interface FolderPlace {
  /** As the user wrote it: addresses of copies and messages have it so. */
  readonly folder: string;
  readonly context: FolderContext;
  readonly owner: PlaceOwner;
  readonly records: FolderRecords;
  /** The path of a name in the folder; without a name, the folder's. */
  readonly path: (name?: string) => string;
  /** Whether anything has a name in the folder. */
  readonly has: (name: string) => Promise<boolean>;
  readonly itemUri: (item: string) => string;
}

export function folderPlace(folder: string, context: FolderContext): FolderPlace {
  const path = (name = ""): string => resolve(folder, name);
  return {
    folder,
    context,
    owner: folderOwner(folder, context),
    records: folderRecords(folder),
    path,
    has: async (name) => (await lstat(path(name)).catch(ignoreMissing)) !== undefined,
    itemUri: (item) => join(folder, item),
  };
}
