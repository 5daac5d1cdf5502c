import { readMarkText } from "./markText";

/** The folder at a place with its mark and with records of its content. */
export const RECORDS_FOLDER = ".docs-hosting";

/** The name of the mark in {@link RECORDS_FOLDER}. */
export const MARK_NAME = "owner.json";

/** The longest text of a mark that is read, in bytes. */
export const LONGEST_MARK: number = 64 * 1024;

/** Whose a place is, as its mark says. */
export interface PlaceMark {
  /** The owner's ID: 32 hexadecimal digits. */
  readonly owner: string;
  /** The owner's URN. Absent where the owner did not know it. */
  readonly urn?: string | undefined;
  /** When the mark was made, ISO 8601. */
  readonly date?: string | undefined;
}

/** What is known of the mark of a place. */
export type FoundMark =
  | { readonly kind: "mark"; readonly mark: PlaceMark }
  /** Marks at the items, of versions that were not released: of every owner. */
  | { readonly kind: "earlier"; readonly marks: readonly [PlaceMark, ...PlaceMark[]] }
  /** The place says that it has no mark. */
  | { readonly kind: "none" }
  /** There is something, or the place did not say. */
  | {
      readonly kind: "unreadable";
      readonly reason: string;
      /** What helps, if a store refused to say. */
      readonly remedy?: string | undefined;
    };

/** Reads the mark of a place from its text, which is untrusted. */
export function markIn(text: string): FoundMark {
  const { hasFormat, owner, urn, date } = readMarkText(text);
  if (text.trim() === "") return { kind: "unreadable", reason: "it is empty" };
  if (!hasFormat || owner === undefined) {
    return { kind: "unreadable", reason: "it does not have the format of a mark" };
  }
  return { kind: "mark", mark: { owner, urn, date } };
}
