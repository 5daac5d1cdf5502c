import type { BundleFile } from "../archive/bundle";
import type { SiteSink } from "../archive/site";
import type { RegistryContext } from "../registry/exchange";
import type { SiteFacts } from "../siteImage/siteImage";

/** What asking a destination, or writing to it, gets from the outside. */
export interface DestinationContext extends RegistryContext {
  /** Makes an empty folder of this operation's own on this machine's disk. It is removed when the operation ends, however it does. */
  readonly scratch: () => Promise<string>;
}

/** A bundle on this machine, of which the digest is known, and which is not published before it was looked through. */
export interface Bundle extends BundleFile, SiteFacts {
  /** Of the archive, in bytes. */
  readonly size: number;
}

/** A copy at a destination: what the state keeps of it, so that it can be asked for and removed again. Plain values; no secret. */
export interface Copy {
  /** Of the archive that it was made from: hexadecimal digits. */
  readonly sha256: string;
  /** Where it is, with its digest: a file's or object's address, or `repository@sha256:…`. */
  readonly uri: string;
  /** The image, in a registry: `repository@sha256:…`. */
  readonly image?: string;
  /** Where a browser or a pod fetches the archive, or finds the site, when anybody may: without a signature. */
  readonly address?: string;
  /** Of the layout `site`: what a web server serves, the same for every copy at this place. A path, or a URL with a slash at its end. */
  readonly sitePath?: string;
  /** What the destination needs to know it again, and to remove it: its own business. */
  readonly parts: Readonly<Record<string, unknown>>;
}

/** A link to a copy. */
export interface CopyLink {
  /** A credential until it ends, where it is signed. */
  readonly url: string;
  /** When the signature ends: milliseconds since 1970. Absent without a signature. */
  readonly expiresAtMs?: number;
}

/** A copy in the making: nobody sees anything of it before `publish`. */
export interface Draft {
  /** Takes the site's files, where the destination needs them one by one. */
  readonly sink?: SiteSink;
  /**
   * Makes it visible, as a whole; what is there already is not sent again.
   *
   * @param placing called just before a rename makes it visible, or as soon as a store has accepted something of it: what
   *   fails later may leave it there, whole or in part. Called again, it is the same copy
   * @throws DestinationError; the signal's reason
   */
  publish(placing?: (copy: Copy) => void): Promise<Copy>;
  /** Removes what is not published, where a later run does not go on from it. Best effort: it never throws. */
  abandon?(): Promise<void>;
}

/** A place where copies are kept. */
export interface Destination {
  /** The place, without what changes from copy to copy: Pulumi's id of the resource. */
  readonly id: string;
  /**
   * Begins a copy. A draft that is never published leaves nothing behind but what a later run goes on from.
   *
   * @throws DestinationError; the signal's reason
   */
  begin(bundle: Bundle, context: DestinationContext): Promise<Draft>;
  /**
   * Whether a copy is still there as it was made.
   *
   * @throws DestinationError when that cannot be said; the signal's reason
   */
  compare(copy: Copy, context: DestinationContext): Promise<"same" | "changed" | "gone">;
  /**
   * Removes copies; one that is gone already is no error. What others keep there, and what a kept copy shares, stays.
   *
   * @param kept the copies that stay
   * @throws DestinationError when one is left; the signal's reason
   */
  remove(copies: readonly Copy[], kept: readonly Copy[], context: DestinationContext): Promise<void>;
  /**
   * A link to the copy, in places that have links: signed where the destination was told to.
   *
   * @throws DestinationError
   */
  readonly link?: (copy: Copy, context: DestinationContext) => Promise<CopyLink>;
}

/** What a change of a destination means for the copy that is there: the gravest of its fields counts. */
export type DestinationChange =
  /** Another place: its copies are others, and the old ones go. */
  | "replaces"
  /** The same place, and another copy. */
  | "content"
  /** Only the link to the copy. */
  | "link"
  /** Nothing. */
  | "none";

/** A field of a destination, as the user writes it. */
export interface DestinationField {
  readonly change: DestinationChange;
  readonly default?: unknown;
  /** The one spelling of a value. @default as it is */
  readonly normal?: (value: unknown) => unknown;
  /** What is wrong with a value that is known, beside the other fields that are known. */
  readonly problem: (value: unknown, fields: Readonly<Record<string, unknown>>) => string | undefined;
}

/** All fields of one kind of destination, the one that makes it this kind first. */
export type FieldsOfKind<Inputs> = Readonly<Record<keyof Inputs, DestinationField>>;

/** The row of the field `layout`. */
export const LAYOUT: DestinationField = {
  change: "replaces",
  default: "archive",
  problem: (value) => (value === "archive" || value === "site" ? undefined : 'must be "archive" or "site"'),
};
