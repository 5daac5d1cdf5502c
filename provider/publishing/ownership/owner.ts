import { randomUUID } from "node:crypto";
import { parseJson } from "../../base/http/reply";

/**
 * The owner of items at a destination: one resource in one stack. Its create makes the ID, and its state keeps it: updates, aliases
 * and renamed stacks do not change it.
 */
export interface Owner {
  /** 32 hexadecimal digits. */
  readonly id: string;
  /** The resource's URN, for people. */
  readonly urn?: string | undefined;
  /** Whether its items have its marks: those in a state of a version without marks have none. */
  readonly hasMarks: boolean;
}

const ID = /^[0-9a-f]{32}$/;

/** A new owner. @param urn the resource's */
export function newOwner(urn: string | undefined): Owner {
  return { id: randomUUID().replaceAll("-", ""), urn, hasMarks: true };
}

export function isOwnerId(value: unknown): value is string {
  return typeof value === "string" && ID.test(value);
}

const FORMAT = 1;
/** More than any URN has, in characters: a longer text is not shown. */
const LONGEST_URN = 1_000;

/** The text of an owner's mark, for people. */
export function markText({ id, urn }: Owner): string {
  const text = { format: FORMAT, owner: id, stack: urn && stackIn(urn), urn };
  return `${JSON.stringify(text, null, 2)}\n`;
}

/** The owner's ID in the text of a mark. */
export function ownerIdIn(text: string | undefined): string | undefined {
  const { owner } = Object(parseJson(text ?? "")) as Record<string, unknown>;
  return isOwnerId(owner) ? owner : undefined;
}

/** The URN in the text of a mark. A text of others says nothing about the owner. */
export function urnIn(text: string | undefined): string | undefined {
  const { urn } = Object(parseJson(text ?? "")) as Record<string, unknown>;
  return typeof urn === "string" && /^urn:pulumi:\P{Cc}+$/u.test(urn) && urn.length <= LONGEST_URN
    ? urn
    : undefined;
}

/** An owner in messages: "docs (BundleCopy) of the stack prod of website". @param name of the mark, if the text is unreadable */
export function describeOwner(urn: string | undefined, name: string): string {
  if (urn === undefined) return `an owner whose mark ${name} names no resource`;
  return `${urn} (stack ${stackIn(urn) ?? "unknown"})`;
}

/** The stack in a URN, with its project: "website/prod". */
export function stackIn(urn: string): string | undefined {
  const [, stack, project] = /^urn:pulumi:([^:]+)::([^:]+)::/.exec(urn) ?? [];
  return stack === undefined || project === undefined ? undefined : `${project}/${stack}`;
}
