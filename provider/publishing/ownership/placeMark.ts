import { parseJson } from "../../base/http/reply";
import { isOwnerId, type Owner, stackIn } from "./owner";

/** The folder at a place with its mark and with records of its content. */
export const RECORDS_FOLDER = ".docs-hosting";

/** The name of the mark in {@link RECORDS_FOLDER}. */
export const MARK_NAME = "owner.json";

/** The longest text of a mark that is read, in bytes. */
export const LONGEST_MARK: number = 64 * 1024;

const FORMAT = 1;
/** More than any URN has, in characters: a longer text is not shown. */
const LONGEST_URN = 1_000;

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

/** The text of a mark. @param nowMs milliseconds since 1970 */
export function placeMarkText({ id, urn }: Owner, nowMs: number): string {
  const date = new Date(nowMs).toISOString();
  const text = { format: FORMAT, owner: id, stack: urn && stackIn(urn), urn, date };
  return `${JSON.stringify(text, null, 2)}\n`;
}

/** Reads the text of a mark. It is untrusted. */
export function markIn(text: string): FoundMark {
  const { format, owner, urn, date } = Object(parseJson(text)) as Record<string, unknown>;
  if (text.trim() === "") return { kind: "unreadable", reason: "it is empty" };
  if (format !== FORMAT || !isOwnerId(owner)) {
    return { kind: "unreadable", reason: "it does not have the format of a mark" };
  }
  return {
    kind: "mark",
    mark: { owner, urn: isUrn(urn) ? urn : undefined, date: isDate(date) ? date : undefined },
  };
}

function isUrn(value: unknown): value is string {
  return typeof value === "string" && value.length <= LONGEST_URN && /^urn:pulumi:\P{Cc}+$/u.test(value);
}

const isDate = (value: unknown): value is string =>
  typeof value === "string" && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value);
