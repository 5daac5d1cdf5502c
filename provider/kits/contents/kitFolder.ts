import { lstat } from "node:fs/promises";
import { resolve } from "node:path";
import { ignoreMissing } from "../../runtime/files/ignoreMissing";
import { filesBelow } from "../../runtime/files/listing";
import { folderMarks } from "../../copies/ownership/folderMarks";
import { Ownership, type OwnershipContext } from "../../copies/ownership/ownership";

/** The rights of the operation's owner at the kits of a folder. */
export function kitOwnership(folder: string, context: OwnershipContext): Ownership {
  return new Ownership(folderMarks(folder), context, (name) => resolve(folder, name));
}

/** The paths of files in a kit's folder that no kit wrote. */
export async function foreignInKit(kit: string, written: ReadonlySet<string>): Promise<string[]> {
  const stats = await lstat(kit).catch(ignoreMissing);
  if (!stats?.isDirectory()) return [];
  return (await filesBelow(kit)).filter((path) => !written.has(path));
}
