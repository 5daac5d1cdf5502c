import type { CopyLink } from "../destination";
import type { FileHeaders, StoredHeaders } from "./fileHeaders";

/** An object as the store describes it. */
export interface StoredObject {
  readonly size: number;
  /** See {@link Revision}. */
  readonly revision: Revision;
  /** SHA-256 of its content, from the store's checksum or from the metadata it was sent with: hexadecimal digits. */
  readonly sha256?: string | undefined;
  readonly headers: StoredHeaders;
}

/**
 * Identifies what one write to a key left: every further write changes it. Only its store interprets it. Empty if it is not known.
 */
export type Revision = string;

/** An object as a list describes it. */
export interface ListedObject {
  readonly key: string;
  readonly size: number;
  readonly revision: Revision;
  readonly modifiedAtMs: number;
  /** Where the store lists them. */
  readonly headers?: StoredHeaders;
  /** The tier that it is in, if the store serves nothing from that before it was moved back. */
  readonly archiveTier?: string;
}

/** An object that is sent. The store keeps {@link sha256}, and returns it in {@link StoredObject}. */
export interface NewObject {
  readonly key: string;
  readonly size: number;
  /** SHA-256 of the content: hexadecimal digits. */
  readonly sha256: string;
  readonly headers: FileHeaders;
}

/** Name of the metadata with an object's {@link NewObject.sha256}. */
export const DIGEST_NAME = "sha256";

/** The content of an object: in memory, or read anew for each attempt. An error while it is read ends the attempt unchanged. */
export type ObjectContent = Buffer | (() => AsyncIterable<Uint8Array>);

export interface SendOptions {
  /** Keeps an object that is at the key: the store checks it in the same step. @default it is replaced */
  readonly onlyIf?: "absent" | undefined;
  /** Gets the number of bytes that arrived. */
  readonly onProgress?: ((bytes: number) => void) | undefined;
  /** Gets the revision of the new object, where the store's reply has it. */
  readonly onStored?: ((revision: Revision) => void) | undefined;
  /** Gets what protects the new object from being replaced or removed, where the store's reply has it. */
  readonly onProtected?: ((by: string) => void) | undefined;
}

/** An upload of several requests that was neither completed nor aborted. Its object does not exist. */
export interface UnfinishedUpload {
  readonly key: string;
  readonly startedAtMs: number;
  /** When it last received content: milliseconds since 1970. Not before {@link startedAtMs}. */
  lastActiveMs(): Promise<number>;
  /** Removes it. One that is already gone is not an error. */
  abort(): Promise<void>;
}

/** How many small requests run concurrently. */
export const CONCURRENCY = 16;

/**
 * One bucket (container) of a store, as copies use it: each protocol implements it in a folder of its own. Keys are whole, with the prefix.
 *
 * Every method retries temporary failures itself, stops with the operation's signal, and throws its reason or a `StoreError`.
 */
export interface ObjectStore {
  /** The bucket in messages and addresses of copies: an object's is this, a slash and its key. */
  readonly uri: string;
  /** The longest key that the store accepts, in bytes. */
  readonly longestKeyBytes: number;
  /** The rule of the store that a key breaks, as a sentence. Such an object would be refused, or kept under another name. @default none */
  brokenRule?(key: string): string | undefined;
  /** Whether a key may be the folder of others: `guide` beside `guide/index.html`. Stores that keep objects as files have no such keys. */
  hasKeysBesideFolders(): Promise<boolean>;
  /** Whether an object that replaces one with an {@link ListedObject.archiveTier} stays in that tier, or is refused. */
  readonly keepsTier?: boolean;
  /** Whether a change of an object's headers changes its {@link Revision}. @default a list has the headers, or the time shows it */
  readonly revisionCoversHeaders?: boolean;
  /** Whether {@link send} refuses content in memory that has not the SHA-256 of its object. Otherwise its caller verifies it. */
  readonly verifiesContent?: boolean;
  /** Where an object is fetched without a signature. */
  addressOf(key: string): Promise<string>;
  /** Describes an object. `undefined` does not prove absence: without the right to list, some stores answer the same. */
  head(key: string): Promise<StoredObject | undefined>;
  /**
   * Lists the objects whose keys begin with a prefix.
   *
   * @param onObject gets each of them: there may be too many to hold them twice
   * @param atMost ends the list after so many. @default all
   */
  list(prefix: string, onObject: (object: ListedObject) => void, atMost?: number): Promise<void>;
  /**
   * Passes the content of an object to a function, and its revision where the store's reply has it. Returns the function's result;
   * `undefined` when there is no such object.
   */
  read<T>(
    key: string,
    use: (content: AsyncIterable<Uint8Array>, revision?: Revision) => Promise<T>,
  ): Promise<T | undefined>;
  /**
   * Writes an object as a whole: content that does not arrive, or not unchanged, is not an object, and its upload is aborted.
   *
   * @throws StoreError with the failure `"conflict"` where {@link SendOptions.onlyIf} does not hold
   */
  send(object: NewObject, content: ObjectContent, options?: SendOptions): Promise<void>;
  /** Removes objects, in as few requests as the store allows. One that is already gone is not an error. */
  remove(keys: readonly string[]): Promise<void>;
  /** Signs a link to an object. It expires no later than the credentials that sign it, and is registered as a secret. */
  sign(key: string, lifeMs: number): Promise<CopyLink>;
  /** The unfinished uploads of keys with a prefix; none from a store that does not list them. */
  unfinishedUploads(prefix: string): Promise<UnfinishedUpload[]>;
  /** Closes its connections. */
  close(): void;
}
