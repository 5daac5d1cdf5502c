import { lstat } from "node:fs/promises";
import { resolve } from "node:path";
import { ignoreMissing } from "../../../runtime/files/ignoreMissing";
import { folderMarks } from "../../ownership/folderMarks";
import { Ownership } from "../../ownership/ownership";
import type { DestinationContext } from "../destination";

/** A folder with copies, during one operation. */
export class FolderPlace {
  /** As the user wrote it, for addresses of copies and messages. */
  readonly folder: string;
  readonly context: DestinationContext;
  readonly ownership: Ownership;

  constructor(folder: string, context: DestinationContext) {
    this.folder = folder;
    this.context = context;
    this.ownership = new Ownership(folderMarks(folder), context, (item) => this.path(item));
  }

  /** The path of a name in the folder; without a name, the folder's. */
  path(name = ""): string {
    return resolve(this.folder, name);
  }

  /** Whether anything has a name in the folder. */
  async has(name: string): Promise<boolean> {
    return (await lstat(this.path(name)).catch(ignoreMissing)) !== undefined;
  }
}
