import { parseJson } from "../../base/runtime/values/json";
import { isOwnerId, type Owner, stackIn } from "./owner";

/** The format of marks that this version writes. */
const FORMAT = 1;
/** More than any URN has, in characters: a longer text is not shown. */
const LONGEST_URN = 1_000;

/**
 * The text of a mark, for people too.
 *
 * @param madeAtMs milliseconds since 1970, unless the mark has its time elsewhere
 */
export function markText({ id, urn }: Owner, madeAtMs?: number): string {
  const date = madeAtMs === undefined ? undefined : new Date(madeAtMs).toISOString();
  const text = { format: FORMAT, owner: id, stack: urn && stackIn(urn), urn, date };
  return `${JSON.stringify(text, null, 2)}\n`;
}

/** What the text of a mark says. A field is absent if the text does not have it in its form. */
interface MarkFields {
  /** Whether it has the format that this version writes. */
  readonly hasFormat: boolean;
  /** The owner's ID: 32 hexadecimal digits. */
  readonly owner: string | undefined;
  /** The owner's URN. */
  readonly urn: string | undefined;
  /** When the mark was made, ISO 8601. */
  readonly date: string | undefined;
}

/** Reads the text of a mark. It is untrusted. */
export function readMarkText(text: string): MarkFields {
  const { format, owner, urn, date } = Object(parseJson(text)) as Record<string, unknown>;
  return {
    hasFormat: format === FORMAT,
    owner: isOwnerId(owner) ? owner : undefined,
    urn: isUrn(urn) ? urn : undefined,
    date: isDate(date) ? date : undefined,
  };
}

/**
 * The owner that a mark names, in messages: "URN (stack website/prod)".
 *
 * @param unnamed the same for a mark without a URN
 */
export function describeOwner(urn: string | undefined, unnamed: string): string {
  return urn === undefined ? unnamed : `${urn} (stack ${stackIn(urn) ?? "unknown"})`;
}

const isUrn = (value: unknown): value is string =>
  typeof value === "string" && value.length <= LONGEST_URN && /^urn:pulumi:\P{Cc}+$/u.test(value);

const isDate = (value: unknown): value is string =>
  typeof value === "string" && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value);
