import type { Fetch } from "../../../provider/base/http/attempt.ts";
import type { Copy } from "../../../provider/publishing/destinations/destination.ts";
import type { Content } from "./contents.ts";
import type { Operation } from "./operation.ts";

/** Where the destination of a resource is, seen from that of the others. */
export const SPOTS = ["same", "same", "same", "another spelling", "nested", "parent", "separate"] as const;
export type Spot = (typeof SPOTS)[number];

/** A kind of destination, read and changed from outside of the package. */
export interface Place {
  /** The `destination` of a resource. @param variant of what the kind has: layouts, tags */
  destination(spot: Spot, variant: number): Readonly<Record<string, unknown>>;
  readonly fetch: Fetch;
  readonly environment: Readonly<Record<string, string>>;
  /** The owner in the mark of a destination: its ID and URN. Absent where several resources have copies. */
  owner?(destination: object): { readonly owner: string; readonly urn: string } | undefined;
  /** What is missing of a copy, its mark included; `undefined` if it is whole. */
  missing(copy: Copy, content: Content, owner: string, destination: object): string | undefined;
  /** The digest of the copy that the readers of a destination get; `undefined` if there is none; `"no pointer"` if it has none. */
  pointer(destination: object): string | undefined;
  /** How {@link pointer} names a copy. */
  nameOf(copy: Copy): string;
  /** Two destinations have the same pointer. */
  pointerKey(destination: object): string;
  /**
   * Somebody puts something of their own into the place.
   *
   * @returns how to see that it is still there, where a killed run has put it aside. Every run that follows puts it back: `isSettled`
   */
  addForeign(
    number: number,
    destination: object,
    copy: Copy | undefined,
  ): ((isSettled: boolean) => boolean) | undefined;
  /** Somebody changes what the copy published. @returns whether that was possible */
  alter(number: number, copy: Copy): boolean;
  /** What is there and belongs to nobody else. */
  left(): string[];
  /** Somebody puts a link to something elsewhere in the place of a name. */
  putLink?(path: string): void;
  /** Takes those links away again. @returns what changed elsewhere */
  takeLinks?(): string[];
  /** Time has passed since the last run: what it wrote is seen by all. */
  settle?(): void;
  /** The process of an operation has ended. */
  killed(operation: Operation): void;
  /** The history is over. */
  close?(): void;
}
