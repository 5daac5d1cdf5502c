import { randomUUID } from "node:crypto";

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

/** The stack in a URN, with its project: "website/prod". */
export function stackIn(urn: string): string | undefined {
  const [, stack, project] = /^urn:pulumi:([^:]+)::([^:]+)::/.exec(urn) ?? [];
  return stack === undefined || project === undefined ? undefined : `${project}/${stack}`;
}
