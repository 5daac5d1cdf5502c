import { resolve } from "node:path";
import { folderMarks } from "../../copies/ownership/folderMarks";
import { Ownership, type OwnershipContext } from "../../copies/ownership/ownership";
import type { SearchFacts } from "../../site/offlineSearch/unpackSite";

/** What the state stores of a kit, so that later runs can find, compare and remove it. */
export interface WrittenKit {
  /** Name of its folder. */
  readonly name: string;
  /** SHA-256 of its `SHA256SUMS`. */
  readonly sha256: string;
  /**
   * The list of the files in its folder, and the digest of that list: of a kit in parts, the list of the parts.
   */
  readonly list: { readonly file: string; readonly sha256: string };
  /** Size of all files in its folder, in bytes. */
  readonly size: number;
  /** Number of files in its folder. */
  readonly files: number;
  readonly signed: boolean;
  /** ISO 8601. */
  readonly createdAt: string;
  /** About the search in the site's image. */
  readonly search?: SearchFacts;
}

/** The rights of the operation's owner at the kits of a folder. */
export function kitOwnership(folder: string, context: OwnershipContext): Ownership {
  return new Ownership(folderMarks(folder), context, (name) => resolve(folder, name));
}
