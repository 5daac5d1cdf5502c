import { DestinationError } from "../../base/runtime/messages/errors";
import { describeOwner } from "./markText";
import { type Owner, stackIn } from "./owner";
import type { FoundMark, PlaceMark } from "./placeMark";

/** The resource that wants to write to a place, or to remove what it wrote there. */
export interface Claimant {
  readonly owner: Owner;
  /** Whether the resource has no state yet. */
  readonly isCreate: boolean;
  /** The input `takeOver`. */
  readonly takeOver: boolean;
  /** The owner whose place the resource was imported from, by its ID. */
  readonly adopts?: string | undefined;
  /** Whether the running program declares another resource. */
  readonly isDeclared: (urn: string) => boolean;
}

/** Whose a place is, for a resource. */
type Relation =
  | "nobody's"
  | "own"
  /** Of the owner whose place was imported. */
  | "imported"
  /** Another owner ID, but the same stack and URN. */
  | "same resource"
  /** Of another resource of the stack, which the program does not declare any more. */
  | "undeclared"
  /** Of another resource of the stack, which the program declares. */
  | "declared"
  | "another's"
  | "unreadable";

/** What a publication does about the mark of its place. */
export type ClaimAction =
  /** The place has no mark: it is made. */
  | "make"
  | "goOn"
  /** The resource becomes the owner. A line says so. */
  | "takeOver"
  /** The same, with a warning. */
  | "takeOverWarned"
  | "refuse";

/** What a removal does, also of earlier items, and a move of the pointer to the newest. */
type RemovalAction =
  | "remove"
  /** Nothing is touched, and a line names the owner. */
  | "leave"
  /** Nothing is removed, and a warning names what stays. */
  | "warn";

interface PlaceActions {
  readonly claim: (claimant: Claimant) => ClaimAction;
  readonly removal: (claimant: Claimant) => RemovalAction;
}

const asAnother: PlaceActions = {
  claim: ({ takeOver }) => (takeOver ? "takeOverWarned" : "refuse"),
  removal: () => "leave",
};

/** What happens at a place, by whose it is. */
const ROWS: Readonly<Record<Relation, PlaceActions>> = {
  // a state of a version without marks has none
  "nobody's": { claim: () => "make", removal: ({ owner }) => (owner.hasMarks ? "warn" : "remove") },
  own: { claim: () => "goOn", removal: () => "remove" },
  imported: { claim: () => "takeOver", removal: () => "leave" },
  "same resource": {
    claim: (claimant) => (claimant.isCreate ? "takeOver" : asAnother.claim(claimant)),
    removal: () => "leave",
  },
  undeclared: { claim: () => "takeOver", removal: () => "leave" },
  declared: { claim: () => "refuse", removal: () => "leave" },
  "another's": asAnother,
  unreadable: { claim: () => "refuse", removal: () => "warn" },
};

/** Decides what a publication does about the mark that it found. Pure. */
export const claimAction = (found: FoundMark, claimant: Claimant): ClaimAction =>
  ROWS[relationOf(found, claimant)].claim(claimant);

/** Decides what a removal does. Pure. */
export const removalAction = (found: FoundMark, claimant: Claimant): RemovalAction =>
  ROWS[relationOf(found, claimant)].removal(claimant);

/** Whose a place is. */
export function relationOf(found: FoundMark, claimant: Claimant): Relation {
  switch (found.kind) {
    case "none":
      return "nobody's";
    case "unreadable":
      return "unreadable";
    case "mark":
      return relationTo(found.mark, claimant);
    case "earlier": {
      const isOwn = (mark: PlaceMark): boolean =>
        mark.owner === claimant.owner.id || isSameResource(mark, claimant.owner);
      return found.marks.every(isOwn) ? "own" : "another's";
    }
  }
}

function relationTo(mark: PlaceMark, { owner, adopts, isDeclared }: Claimant): Relation {
  if (mark.owner === owner.id) return "own";
  if (mark.owner === adopts) return "imported";
  if (isSameResource(mark, owner)) return "same resource";
  const { urn } = mark;
  if (urn === undefined || owner.urn === undefined || stackIn(urn) !== stackIn(owner.urn)) return "another's";
  return isDeclared(urn) ? "declared" : "undeclared";
}

const isSameResource = ({ urn }: PlaceMark, owner: Owner): boolean => urn !== undefined && urn === owner.urn;

/** The owner that a mark names, in messages: "URN (stack website/prod), since 2026-01-01". */
export function nameOfOwner({ urn, owner, date }: PlaceMark): string {
  const name = describeOwner(urn, `the owner ${owner}, whose mark names no resource`);
  return date === undefined ? name : `${name}, since ${date}`;
}

/** The mark that a message names: of several, the first one that is not this resource's. */
export function namedMark(found: FoundMark, owner: Owner): PlaceMark | undefined {
  if (found.kind === "mark") return found.mark;
  if (found.kind !== "earlier") return undefined;
  return found.marks.find((mark) => !isSameResource(mark, owner)) ?? found.marks[0];
}

/** A place in messages. */
export interface NamedPlace {
  /** The folder, or the bucket with its prefix: "public", "s3://docs/site". */
  readonly uri: string;
  /** The address of its mark. */
  readonly markUri: string;
  /** A place of its own, for a stack or a resource: "a folder of its own, for example `public-prod`". */
  readonly ownFor: (name: string) => string;
}

/** What a program writes for the name of its stack. */
const THIS_STACK = "${pulumi.getStack()}";

/** The error for a place that a resource must not write to. */
export function placeRefusal(found: FoundMark, claimant: Claimant, place: NamedPlace): DestinationError {
  if (found.kind === "unreadable") {
    return new DestinationError(
      `whose place ${place.uri} is cannot be read from ${place.markUri}: ${found.reason}`,
      found.remedy ??
        "Allow this stack to read and to list it. If it is no mark, find out who wrote it, remove it, and run `pulumi up` again.",
    );
  }
  if (found.kind === "none") {
    return new DestinationError(
      `the mark of ${place.uri}, ${place.markUri}, was removed by somebody else while this run published`,
      "Run `pulumi up` again.",
    );
  }
  const mark = namedMark(found, claimant.owner);
  const name = mark ? nameOfOwner(mark) : "another resource";
  switch (relationOf(found, claimant)) {
    case "same resource":
      return new DestinationError(
        `${place.uri} belongs to ${name}, whose owner ID is not that of this state`,
        "A stack of the same name in another backend may publish there, or this state is an earlier one, such as from a backup, or a run with `--replace` was killed: then repeat that run. " +
          `If there is another stack, give this one ${place.ownFor(THIS_STACK)}; if this state is to have the place, set \`takeOver: true\`.`,
      );
    case "declared":
      return new DestinationError(
        `${place.uri} belongs to ${name}, which this program declares, too`,
        `Give each resource ${place.ownFor("NAME")}.`,
      );
    default:
      return new DestinationError(
        `${place.uri} belongs to ${name}`,
        `Give this stack ${place.ownFor(THIS_STACK)}, or, if that stack no longer needs it, set \`takeOver: true\`.`,
      );
  }
}
