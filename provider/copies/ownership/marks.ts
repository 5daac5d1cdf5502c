import type { Owner } from "./owner";

/** How the names of marks end that are files or objects: after the owner's ID. */
export const STAYING = ".json";
export const LEAVING = ".leaving";

/** The owner whose mark has a name. */
export const ownerOf = (name: string): string => name.replace(/\.(?:json|leaving)$/, "");

/** The mark of an owner at an item, as a list shows it. */
export interface Mark {
  /** The owner's ID; any other text for a mark that this package did not write. */
  readonly owner: string;
  /** The owner is removing the item, or its mark: it no longer counts as an owner. */
  readonly isLeaving: boolean;
  /** When it was written, by the clock of the place alone. Only compared with other marks of the place. */
  readonly writtenAt: number;
}

/**
 * The marks at one place: beside each item, one for each resource that the item belongs to. An item is the name of what is
 * published and removed as a whole: a file, a folder, a record, an image.
 */
export interface Marks {
  /** The marks of an item; `undefined` if the place does not allow to list them. */
  list(item: string): Promise<readonly Mark[] | undefined>;
  /** The text of a mark; `undefined` when it is gone or unreadable. */
  read(item: string, owner: string): Promise<string | undefined>;
  /** Writes the owner's mark, and takes back that it is leaving. */
  write(item: string, owner: Owner): Promise<void>;
  /** Announces that the owner is leaving. Its mark stays. */
  leave(item: string, owner: Owner): Promise<void>;
  /** Takes back what an owner announced: its run was stopped. */
  stay(item: string, owner: string): Promise<void>;
  /** Removes everything that an owner wrote about an item. @param isShared whether the item stays, for other owners */
  remove(item: string, owner: string, isShared?: boolean): Promise<void>;
  /** The marks of all items; none if the place does not allow to list them. */
  all(): Promise<ReadonlyMap<string, readonly Mark[]>>;
  /** Where people find a mark. */
  nameOf(item: string, owner: string): string;
}
