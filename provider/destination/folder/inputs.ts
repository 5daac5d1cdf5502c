import { LAYOUT, type FieldsOfKind } from "../destination";

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
  layout?: "archive" | "site";
}

export const FOLDER_FIELDS: FieldsOfKind<FolderInputs> = {
  folder: {
    change: "replaces",
    problem: (value) =>
      typeof value === "string" && value.trim() !== "" && !value.includes("\0")
        ? undefined
        : 'must be the path of a folder, such as "./bundles"',
  },
  layout: LAYOUT,
};
