import { lstat } from "node:fs/promises";
import { resolve } from "node:path";
import { ignoreMissing } from "../../../runtime/files/ignoreMissing";
import { folderOwnership } from "../../ownership/folderMarks";
import type { DestinationContext } from "../destination";

/** A folder with copies, during one operation. */
export type FolderPlace = ReturnType<typeof folderPlace>;

/** @param folder as the user wrote it: addresses of copies and messages have it so */
export function folderPlace(folder: string, context: DestinationContext) {
  /** The path of a name in the folder; without a name, the folder's. */
  const path = (name = ""): string => resolve(folder, name);
  return {
    ...{ folder, context, path },
    ownership: folderOwnership(folder, context),
    /** Whether anything has a name in the folder. */
    has: async (name: string): Promise<boolean> =>
      (await lstat(path(name)).catch(ignoreMissing)) !== undefined,
  };
}
