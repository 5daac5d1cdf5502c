import type { AdditionFacts, WantedAdditions } from "../additions/unpackSite";
import type { DigestingSink, SiteLimits } from "../archives/siteSink";
import type { Origin } from "../images/provenance/origin";
import type { RegistryContext } from "../images/registry/exchange";
import type { Signer } from "../images/signing/signer";
import type { Verifier } from "../images/signing/verifier";
import type { Bundle, Inspection } from "../inspection/bundle";
import type { Owner } from "../ownership/owner";

/** What a destination needs from the outside to read and write. */
export interface DestinationContext extends RegistryContext {
  /** Creates an empty folder on the local disk for this operation. It is removed when the operation ends or fails. */
  readonly scratch: () => Promise<string>;
  /** The resource that the operation is about. Its mark says that the destination, or what it published there, is its own. */
  readonly owner: Owner;
  /** Whether the resource has no state yet. @default false */
  readonly isCreate?: boolean;
  /** Whether the resource may take over what belongs to another stack or project. @default false */
  readonly takeOver?: boolean;
  /** The owner of the destination from which the resource was imported, by its ID: the first operation that writes takes it over. */
  readonly adopts?: string | undefined;
  /** Whether the running program declares another resource. Absent if that is not known. */
  readonly isDeclared?: (urn: string) => boolean;
}

/** A copy at a destination, as the state stores it, so that later runs can read and remove it. Plain values; no secret. */
export interface Copy {
  /** Identifies its content: SHA-256 of the archive that it was made from, or its edition. Hexadecimal digits. */
  readonly sha256: string;
  /** The address of the copy, with its digest: a file's or object's address, or `repository@sha256:…`. */
  readonly uri: string;
  /** The image in a registry: `repository@sha256:…`. */
  readonly image?: string;
  /** Where a browser or a pod fetches the archive or finds the site without a signature, if that is public. */
  readonly address?: string;
  /** For the layout `site`: root of the site for a web server, the same for every copy. A path, or a URL that ends with a slash. */
  readonly sitePath?: string;
  /** The public key of its signature, in PEM. Absent for a copy that is not signed. */
  readonly publicKey?: string;
  /** What the destination needs to recognise and remove the copy. Only the destination interprets it. */
  readonly parts: Readonly<Record<string, unknown>>;
}

/** A copy that was found by its address, without a state. */
export interface FoundCopy {
  readonly copy: Omit<Copy, "sha256">;
  /** What identifies its content, see {@link Copy.sha256}. Absent if the address does not contain it. */
  readonly edition?: string;
  /** SHA-256 of the archive that it was made from, if the copy records it or is the archive. */
  readonly sha256?: string;
  /** The archive as a local file. Absent for a site. */
  readonly archive?: string;
  /** SHA-256 of the content of each file of a site, by its path below the root. Absent for an archive. */
  readonly files?: ReadonlyMap<string, string>;
  /** Whether it has a signature by any key. Without a verifier, {@link copy} does not contain it. */
  readonly isSigned?: boolean;
  /** What the copy records about its source, as fields of the input `source`. */
  readonly source?: Readonly<Record<string, string>>;
  /** What the copy records about its destination, as fields of the input `destination`. */
  readonly destination?: Readonly<Record<string, string | boolean>>;
}

/** The files of a copied site, for a comparison. */
export interface CopiedFiles {
  /** SHA-256 of each file, by path below the site's root: hexadecimal digits. A destination may answer from its record. */
  readonly files: Pick<ReadonlyMap<string, string>, "get" | "keys">;
  /** Paths among them at which the destination adds files that it makes of others. @default none */
  readonly derived?: ReadonlySet<string>;
}

/** Files of a copied site that are read. */
export interface WantedFiles {
  /** @param path below the site's root */
  readonly isWanted: (path: string) => boolean;
  readonly take: (path: string, bytes: Buffer) => Promise<void>;
}

/** The content of a copy: the files of the site, or the path of the archive as a local file. */
export type CopyContent = CopiedFiles | { readonly archive: string };

/** A link to a copy. */
export interface CopyLink {
  /** A signed URL is a credential until it expires. */
  readonly url: string;
  /** When the signature expires: milliseconds since 1970. Absent without a signature. */
  readonly expiresAtMs?: number;
}

/**
 * The result of a comparison of a copy with what was published: `"unmarked"` is a copy that is as it was, without the owner's mark;
 * the place of a `"taken"` copy belongs to another resource.
 */
export type CopyComparison = "same" | "unmarked" | "changed" | "gone" | "taken";

/** How a copy is signed. Only a repository's copies are. */
export interface Signing {
  readonly signer: Signer;
  /** What the documents about the copy state: the destination adds the base. */
  readonly origin: Omit<Origin, "base">;
}

/** A copy that is not published yet: none of it is visible before `publish`. */
export interface Draft {
  /** Receives the site's files, if the destination needs them one by one. */
  readonly sink?: DigestingSink;
  /**
   * Tries whether the destination can hold names that not every file system holds. Absent where it holds all names.
   *
   * @param names by their folder below the site's root
   * @throws DestinationError that names those it cannot hold; the signal's reason
   */
  tryNames?(names: ReadonlyMap<string, ReadonlySet<string>>): Promise<void>;
  /**
   * Makes the whole copy visible. Content that the destination already has is not sent again.
   *
   * @param placing called just before a rename makes the copy visible, or as soon as a store has accepted a part of it: a later
   *   failure may leave the copy there, whole or in part. Every call passes the same address, and the last one the whole copy
   * @param signing signs the copy: everything is there and signed before a tag points at it
   * @throws DestinationError; the signal's reason
   */
  publish(placing?: (copy: Copy) => void, signing?: Signing): Promise<Copy>;
  /** Removes what is not published, unless a later run resumes from it. Best effort: it never throws. */
  abandon?(): Promise<void>;
}

/** Files of a site that changed in one way. */
export interface ChangedFiles {
  /** Number of files. */
  readonly count: number;
  /** Paths below the site's root, such as `guide/index.html`, sorted: the first 100. */
  readonly paths: readonly string[];
}

/** How the site of a copy differs from the site of the copy before. */
export interface SiteChanges {
  /** URI of the copy before, with its digest. */
  readonly since: string;
  /** Files that only this copy has. */
  readonly added: ChangedFiles;
  /** Files with other content. */
  readonly changed: ChangedFiles;
  /** Files that only the copy before has. */
  readonly removed: ChangedFiles;
}

/** An inspected bundle that is published as a copy. */
export interface NewCopy {
  readonly bundle: Bundle;
  readonly inspection: Inspection;
  readonly limits: SiteLimits;
  readonly additions: WantedAdditions;
  /** Identifies the content that is published, see `editionOf`. */
  readonly edition: string;
  /** The copy before: what the changes are since. @default none */
  readonly before?: Copy | undefined;
  /** The copies whose files an image may also have for open pages, newest first. @default none */
  readonly earlier?: readonly Copy[];
  /** The key that signs the copy. Only a repository's copies are signed. @default not signed */
  readonly signer?: Signer | undefined;
  /** Base URL of the service that exported the bundle. @default a bundle file */
  readonly serviceUrl?: string | undefined;
}

/** A copy that was published, and what became known of its site. */
export interface PublishedCopy {
  readonly copy: Copy;
  /** About what was added to the site. Empty for an archive. */
  readonly facts: AdditionFacts;
  /** How the site differs from that of the copy before. Absent without one, and if that cannot be read. */
  readonly changes?: SiteChanges | undefined;
}

/** Where copies are stored: a folder, a bucket or a registry's repository. */
export interface Destination {
  /** The destination without the parts that differ between copies: Pulumi's ID of the resource. */
  readonly id: string;
  /**
   * Publishes a copy as a whole.
   *
   * @param placing called as soon as a part of the copy may be visible, see {@link Draft.publish}
   * @throws BundleRefusedError; DestinationError; the signal's reason
   */
  publish(
    wanted: NewCopy,
    context: DestinationContext,
    placing?: (published: PublishedCopy) => void,
  ): Promise<PublishedCopy>;
  /**
   * Finds a copy of this package that no state contains, and verifies it by its name.
   *
   * @param name what follows the destination in the copy's address: the file's name, or the digest
   * @param verifier of the copy's signature. The found copy has a `publicKey` only if this key signed it and the documents about it
   * @throws DestinationError when it is not there or is not as it was published; the signal's reason
   */
  find(name: string, context: DestinationContext, verifier?: Verifier): Promise<FoundCopy>;
  /**
   * Compares a copy with what was published.
   *
   * @throws DestinationError when the comparison is not possible; the signal's reason
   */
  compare(copy: Copy, context: DestinationContext): Promise<CopyComparison>;
  /**
   * Refuses a destination that belongs to another resource, before the bundle is fetched. Writes nothing.
   *
   * @param copies that the resource has there
   * @throws DestinationError; the signal's reason
   */
  check(copies: readonly Copy[], context: DestinationContext): Promise<void>;
  /**
   * Writes the owner's mark: at the destination, or at copies that are there. Sends nothing else. A publication does it itself.
   *
   * @throws DestinationError when the destination belongs to another resource; the signal's reason
   */
  claim(copies: readonly Copy[], context: DestinationContext): Promise<void>;
  /**
   * The owner of the destination, by its ID: "" for none; `undefined` if that cannot be read. Of a repository, the owner of its tag.
   */
  ownerNow?(context: DestinationContext): Promise<string | undefined>;
  /**
   * Reads the content of a copy; `undefined` when it is gone. An archive is not verified.
   *
   * @throws DestinationError; the signal's reason
   */
  read(copy: Copy, context: DestinationContext): Promise<CopyContent | undefined>;
  /**
   * Reads some files of a copied site. What is gone is left out, and nothing is verified.
   *
   * @throws DestinationError; what `take` throws; the signal's reason
   */
  readFiles(copy: Copy, wanted: WantedFiles, context: DestinationContext): Promise<void>;
  /**
   * Removes copies, and keeps others; a copy that is already gone is not an error. Content of others and content shared with a kept copy
   * stay. Nothing is removed from a destination that is not the owner's: a line says so.
   *
   * @param kept the copies that stay, newest first
   * @throws DestinationError when a copy could not be removed; the signal's reason
   */
  prune(copies: readonly Copy[], kept: Kept<Copy>, context: DestinationContext): Promise<void>;
  /**
   * Gives the destination up: removes everything of the owner, also what an interrupted run left, and its marks last. Otherwise as
   * {@link prune}.
   *
   * @param copies that the resource has there
   */
  release(copies: readonly Copy[], context: DestinationContext): Promise<void>;
  /**
   * A link to the copy, for destinations that have links: signed if the destination's inputs request it.
   *
   * @throws DestinationError
   */
  readonly link?: (copy: Copy, context: DestinationContext) => Promise<CopyLink>;
}

/** What stays when others are removed: at least the newest. */
export type Kept<Item> = readonly [Item, ...Item[]];

/** A destination, as its implementation offers it: {@link Destination.publish} begins a draft, fills it and publishes it. */
export interface DraftingDestination extends Destination {
  /**
   * Starts a copy. A draft that is never published leaves nothing behind except what a later run resumes from.
   *
   * @param edition identifies the content that is published: hexadecimal digits. Default: the digest of the archive
   * @param earlier the copies that are there, newest first: an image also gets files of the version before. @default none
   * @throws DestinationError; the signal's reason
   */
  begin(
    bundle: Bundle,
    context: DestinationContext,
    edition?: string,
    earlier?: readonly Copy[],
  ): Promise<Draft>;
}

/** What a change of a destination means for the existing copy: the field with the greatest effect counts. */
export type DestinationChange =
  /** Another destination: it gets new copies, and the old copies are removed. */
  | "replaces"
  /** The same destination, and another copy. */
  | "content"
  /** Another link to the same copy. */
  | "link"
  /** Nothing. */
  | "none";

/** A field of a destination in the user's program. */
export interface DestinationField {
  readonly change: DestinationChange;
  readonly default?: unknown;
  /** Whether it must be given, beside the field that identifies the kind. @default false */
  readonly isRequired?: true;
  /** In the ID of an import, its value is JSON, not text. @default false */
  readonly isJson?: true;
  /** Normalises a value. @default unchanged */
  readonly normal?: (value: unknown) => unknown;
  /** Makes all spellings of a known value equal, also that of a field that is absent. @default the value */
  readonly key?: (value: unknown) => unknown;
  /** Identifies the place behind a known value, as far as this machine can tell. May read the file system. @default `key` */
  readonly place?: (value: unknown) => unknown;
  /** The problem of a known value, given the other known fields. */
  readonly problem: (value: unknown, fields: DestinationFields) => string | undefined;
}

/** The known fields of a destination, unchecked. */
export type DestinationFields = Readonly<Record<string, unknown>>;

/** All fields of one kind of destination; the first field identifies the kind. */
export type FieldsOfKind<Inputs> = {
  readonly [Name in keyof Inputs]-?: DestinationField &
    (Inputs[Name] extends string | undefined ? unknown : { readonly isJson: true });
};

/** What a copy consists of: the archive (`"archive"`), or the files of the site (`"site"`). */
export type Layout = "archive" | "site";

/** Whether a copy of a layout is the bundle's archive, unchanged. Otherwise it is the files of the site. */
export const LAYOUTS: Readonly<Record<Layout, { readonly isArchive: boolean }>> = {
  archive: { isArchive: true },
  site: { isArchive: false },
};

/** The definition of the field `layout`. */
export const LAYOUT: DestinationField = {
  change: "replaces",
  default: "archive" satisfies Layout,
  problem: (value) => (isCopyLayout(value) ? undefined : `must be ${LAYOUT_NAMES.join(" or ")}`),
};

const LAYOUT_NAMES = Object.keys(LAYOUTS).map((layout) => `"${layout}"`);

/** Whether a value is a layout, as a checked destination has it. */
export const isCopyLayout = (value: unknown): value is Layout =>
  typeof value === "string" && Object.hasOwn(LAYOUTS, value);
