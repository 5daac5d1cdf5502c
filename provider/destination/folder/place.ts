import type { FieldProblem } from "../destination";

/** A folder of the machine that runs `pulumi up`. */
export interface FolderPlace {
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

/** What is wrong with the fields that are known. */
export function folderProblem({
  folder,
  layout,
}: Readonly<Record<string, unknown>>): FieldProblem | undefined {
  if (folder !== undefined && (typeof folder !== "string" || folder.trim() === "" || folder.includes("\0"))) {
    return { property: "folder", reason: 'must be the path of a folder, such as "./bundles"' };
  }
  if (layout !== undefined && layout !== "archive" && layout !== "site") {
    return { property: "layout", reason: 'must be "archive" or "site"' };
  }
  return undefined;
}
