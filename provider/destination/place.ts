import { isDeepStrictEqual } from "node:util";
import { isUnknown } from "../words/unknown";
import type { FieldProblem } from "./destination";
import { bucketProblem, normalBucketPlace, type BucketPlace } from "./bucket/place";
import { folderProblem, type FolderPlace } from "./folder/place";
import { repositoryPlaceProblem, type RepositoryPlace } from "./repository/place";

/** A place that copies are kept at, as the user writes it: the one of these fields that is given says of which kind it is. */
export type Place = FolderPlace | BucketPlace | RepositoryPlace;

/** What is wrong with a place. */
export interface PlaceProblem {
  /** The field. Absent: the place as a whole. */
  readonly at?: string;
  readonly problem: string;
}

/** All that there is to know of one kind of place. */
interface PlaceKind {
  /** Every field, the one that makes it this kind first. */
  readonly fields: readonly string[];
  /** Those of which a change is another place: its copies are others, and the old ones go. */
  readonly replacing: readonly string[];
  /** Those of which a change makes the same copy in another way. */
  readonly content: readonly string[];
  readonly defaults: Readonly<Record<string, unknown>>;
  /** The one spelling of the fields that are known. @default as they are */
  readonly normal?: (fields: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
  /** Judges the fields that are known. */
  readonly problem: (fields: Readonly<Record<string, unknown>>) => FieldProblem | undefined;
}

const KINDS: Readonly<Record<string, PlaceKind>> = {
  folder: {
    fields: ["folder", "layout"],
    replacing: ["folder", "layout"],
    content: [],
    defaults: { layout: "archive" },
    problem: folderProblem,
  },
  bucket: {
    fields: ["bucket", "prefix", "endpoint", "region", "layout", "linkLife"],
    replacing: ["bucket", "prefix", "endpoint", "layout"],
    content: [],
    defaults: { layout: "archive" },
    normal: normalBucketPlace,
    problem: bucketProblem,
  },
  repository: {
    fields: ["repository", "tag", "base", "plainHttp"],
    replacing: ["repository"],
    content: ["tag", "base"],
    defaults: {},
    problem: repositoryPlaceProblem,
  },
};

const NAMES = Object.keys(KINDS);

/** What a change of a place means for the copy that is there. */
export type PlaceChange =
  /** Another place. */
  | "replaces"
  /** The same place, and another copy. */
  | "content"
  /** Only the link to the copy. */
  | "link"
  /** Nothing. */
  | "none";

/** Judges a place, and gives it the one spelling that is stored: defaults filled in, nothing that is not given. */
export function checkPlace(value: unknown): { place: Place } | PlaceProblem {
  const oneOf = `must be an object with one of ${NAMES.join(", ")}`;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return { problem: oneOf };
  const given = Object.entries(value).filter(([, each]) => each !== null && each !== undefined);
  const kinds = NAMES.filter((name) => given.some(([field]) => field === name));
  const kind = KINDS[kinds[0] ?? ""];
  if (kind === undefined) return { problem: oneOf };
  if (kinds.length > 1) return { problem: `${oneOf}, not ${kinds.join(" and ")}: two places are two copies` };
  const foreign = given.find(([field]) => !kind.fields.includes(field));
  if (foreign) {
    return {
      at: foreign[0],
      problem: `there is no such field for a ${kinds[0] ?? ""}. Fields are: ${kind.fields.join(", ")}`,
    };
  }
  const written = { ...kind.defaults, ...Object.fromEntries(given) };
  const place = kind.normal?.(written) ?? written;
  const known = Object.fromEntries(Object.entries(place).filter(([, each]) => !isUnknown(each)));
  const wrong = kind.problem(known);
  return wrong ? { at: wrong.property, problem: wrong.reason } : { place: place as unknown as Place };
}

/** What makes it another place: of two places that differ in it, neither has the copies of the other. Plain values. */
export function placeKey(place: Place): unknown {
  if (isUnknown(place)) return place;
  const [name, kind] = kindOf(place);
  return [name, ...kind.replacing.map((field) => fieldsOf(place)[field] ?? null)];
}

/** What has to be done when a place is written in another way than before. */
export function placeChange(before: Place, now: Place): PlaceChange {
  if (!isDeepStrictEqual(placeKey(before), placeKey(now))) return "replaces";
  const [, kind] = kindOf(now);
  const [old, fresh] = [fieldsOf(before), fieldsOf(now)];
  const changed = kind.fields.filter((field) => !isDeepStrictEqual(old[field], fresh[field]));
  if (changed.some((field) => kind.content.includes(field))) return "content";
  return changed.includes("linkLife") ? "link" : "none";
}

const fieldsOf = (place: Place): Readonly<Record<string, unknown>> => ({ ...place });

function kindOf(place: Place): [name: string, kind: PlaceKind] {
  const found = Object.entries(KINDS).find(([name]) => Object.hasOwn(place, name));
  if (found === undefined) throw new Error("a place of no kind"); // the check refuses it
  return found;
}
