import { resolve } from "node:path";
import { pathProblem } from "../../../base/runtime/files/pathProblem";
import { folderIdentity } from "../../../base/runtime/files/samePlace";
import { isUnknown } from "../../../base/runtime/messages/plainText";
import { type FieldsOfKind, LAYOUT, type Layout } from "../destination";

/** A folder of the machine that runs `pulumi up`. */
export interface FolderInputs {
  /** Its path, from the program's folder. Made when it is not there. */
  folder: string;
  /**
   * `"archive"`: the bundle as it is, `<sha256>.tar.gz`. `"site"`: its files, `<sha256>/…`, for any web server; the symbolic link
   * `current` leads to the newest, and is moved to it by one rename.
   *
   * @default "archive"
   */
  layout?: Layout;
}

/** The rows of {@link FolderInputs}. */
export const FOLDER_FIELDS: FieldsOfKind<FolderInputs> = {
  folder: {
    change: "replaces",
    // `copies`, `./copies` and its absolute path are one folder
    key: (value) => resolve(String(value)),
    place: (value) => folderIdentity(String(value)),
    problem: (value) => pathProblem(typeof value === "string" ? value : "", "a folder", "./bundles"),
  },
  layout: LAYOUT,
};

/** Identifies a folder as a place: its path, and what is there now. None for a folder that is not known yet. */
export function folderPlaces(folder: string): string[] {
  if (isUnknown(folder)) return [];
  return [resolve(folder), folderIdentity(folder)].map((each) => JSON.stringify(["folder", each]));
}
