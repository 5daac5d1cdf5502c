import { resolve } from "node:path";
import { folderMarks } from "../../ownership/folderMarks";
import { Ownership, type OwnershipContext } from "../../ownership/ownership";

/** The rights of the operation's owner at the items of a folder. */
export function folderOwnership(folder: string, context: OwnershipContext): Ownership {
  return new Ownership(folderMarks(folder), context, (item) => resolve(folder, item));
}
