import type { Readable } from "node:stream";
import { inParallel } from "../../../runtime/concurrency/inParallel";
import { formatBytes } from "../../../runtime/messages/formatBytes";
import { writeNewFile } from "../../../runtime/files/writeFile";
import { DestinationError } from "../../../runtime/messages/errors";
import type { CopyLink } from "../destination";
import { isOfUnknownHeader, withChecksums } from "./checksums";
import type { FileHeaders } from "./fileHeaders";
import type { Store } from "./store";

/** User metadata of an object: the digest of its content, for objects that were sent in parts. */
export const DIGEST_NAME = "sha256";
/** How many small requests run concurrently. */
export const CONCURRENCY = 16;
/** Pages of a list, usually of a thousand entries. More means a list without an end, or a bucket that is not for copies. */
const MAX_PAGES = 1_000;

/** The longest text that is read, in bytes: the record of the largest accepted site is shorter. */
const LONGEST_TEXT = 256 * 1024 * 1024;

/** An object as HEAD describes it. */
export interface StoredObject {
  readonly size: number;
  readonly etag: string;
  /** SHA-256 of its content, from the store's checksum or from the metadata it was sent with: hexadecimal digits. */
  readonly sha256?: string | undefined;
  readonly headers: { readonly [Name in keyof FileHeaders]: string | undefined };
}

/** An object as a list describes it. */
export interface ListedObject {
  readonly key: string;
  readonly size: number;
  readonly etag: string;
  readonly modifiedAtMs: number;
}

export interface NewObject {
  readonly key: string;
  readonly size: number;
  /** SHA-256 of the content: hexadecimal digits. */
  readonly sha256: string;
  readonly headers: FileHeaders;
}

/**
 * Reads an object's metadata with one request. `undefined` does not prove absence: the answer to a wrong request looks the same.
 */
export async function headObject(store: Store, key: string): Promise<StoredObject | undefined> {
  const which = locate(store, key);
  const found = await withChecksums(store.destination.endpoint, "read", (areUsed, isTrial) =>
    store.run(
      "s3:GetObject",
      key,
      (options) =>
        store.client.headObject({ ...which, ...(areUsed && { ChecksumMode: "ENABLED" as const }) }, options),
      { "404": undefined, NoSuchKey: undefined },
      {
        // the answer to HEAD has no body, and so no reason
        reason: async (options, status) => {
          if (isTrial && isOfUnknownHeader(status)) return;
          const { Body } = await store.client.getObject(which, options);
          (Body as Readable | undefined)?.destroy();
        },
      },
    ),
  );
  if (found === undefined) return undefined;
  const { ChecksumSHA256: checksum } = found;
  // a checksum with a hyphen is of the parts' checksums
  const isOfContent = checksum?.includes("-") === false;
  return {
    size: found.ContentLength ?? -1,
    etag: found.ETag ?? "",
    sha256: isOfContent ? Buffer.from(checksum, "base64").toString("hex") : found.Metadata?.[DIGEST_NAME],
    headers: {
      contentType: found.ContentType,
      cacheControl: found.CacheControl,
      ...(found.ContentEncoding && { contentEncoding: found.ContentEncoding }),
    },
  };
}

export function isSameContent(
  stored: StoredObject,
  { size, sha256 }: Pick<NewObject, "size" | "sha256">,
): boolean {
  return stored.size === size && stored.sha256 === sha256;
}

/**
 * Downloads an object into a new file.
 *
 * @returns the SHA-256 of what arrived, hexadecimal digits; `undefined` when the store reports that it does not exist
 * @throws DestinationError when its content ends early
 */
export async function downloadObject(store: Store, key: string, path: string): Promise<string | undefined> {
  return getObject(
    store,
    key,
    async (content) => (await writeNewFile(path, content, { flush: false })).sha256,
  );
}

/**
 * Reads an object's text; `undefined` when the store reports that it does not exist.
 *
 * @throws DestinationError for an object of more than {@link LONGEST_TEXT} bytes
 */
export async function readObject(store: Store, key: string): Promise<string | undefined> {
  return getObject(store, key, async (content) => {
    const pieces: Uint8Array[] = [];
    let size = 0;
    for await (const piece of content) {
      size += piece.length;
      if (size > LONGEST_TEXT) {
        throw new DestinationError(
          `${store.uriOf(key)} has more than ${formatBytes(LONGEST_TEXT)}, which no record of a copy has`,
          "Nothing was changed. Find out who wrote it, remove it, and run `pulumi up` again.",
        );
      }
      pieces.push(piece);
    }
    return Buffer.concat(pieces).toString();
  });
}

async function getObject<T>(
  store: Store,
  key: string,
  read: (content: AsyncIterable<Uint8Array>) => Promise<T>,
): Promise<T | undefined> {
  return store.run(
    "s3:GetObject",
    key,
    async (options) => {
      const { Body } = await store.client.getObject(locate(store, key), options);
      return read((Body ?? []) as AsyncIterable<Uint8Array>);
    },
    { NoSuchKey: undefined },
  );
}

/** Lists all objects whose keys begin with a prefix, by key. */
export async function listObjects(store: Store, prefix: string): Promise<Map<string, ListedObject>>;
/** The same; `undefined` for credentials that may not list. */
export async function listObjects(
  store: Store,
  prefix: string,
  options: { readonly isOptional: true },
): Promise<Map<string, ListedObject> | undefined>;
export async function listObjects(
  store: Store,
  prefix: string,
  { isOptional = false }: { readonly isOptional?: boolean } = {},
): Promise<Map<string, ListedObject> | undefined> {
  const found = new Map<string, ListedObject>();
  const denied: unknown[] = [];
  await readPages(store, async (ContinuationToken) => {
    const which = { Bucket: store.destination.bucket, Prefix: prefix, ContinuationToken };
    const page = await store.run(
      "s3:ListBucket",
      undefined,
      (options) => store.client.listObjectsV2(which, options),
      isOptional ? NOT_ALLOWED : {},
    );
    if (page === undefined) denied.push(page);
    for (const { Key: key = "", Size: size = -1, ETag: etag = "", LastModified } of page?.Contents ?? []) {
      found.set(key, { key, size, etag, modifiedAtMs: LastModified?.getTime() ?? 0 });
    }
    return page?.IsTruncated === true ? (page.NextContinuationToken ?? "") : undefined;
  });
  return denied.length > 0 ? undefined : found;
}

/** The store's answers to credentials without the right. */
const NOT_ALLOWED = { AccessDenied: undefined, AllAccessDisabled: undefined, "403": undefined } as const;

/**
 * Reads a list of the store page by page.
 *
 * @param read reads one page and returns the marker of the next; `undefined` after the last
 * @throws DestinationError when the list does not end
 */
export async function readPages(
  { uri }: Pick<Store, "uri">,
  read: (marker: string | undefined) => Promise<string | undefined>,
): Promise<void> {
  const endless = (reason: string): DestinationError =>
    new DestinationError(
      `the store's list of ${uri} does not end: ${reason}`,
      "Give the destination a prefix of its own. If it has one, the store does not implement S3's protocol as Amazon does.",
    );
  let marker: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const next = await read(marker);
    if (next === undefined) return;
    if (next === marker) throw endless("a page leads to itself");
    marker = next;
  }
  throw endless(`it has more than ${MAX_PAGES} pages`);
}

/** Removes objects; one that is already gone is not an error. One request each: stores differ in the checksum of a list. */
export async function removeObjects(store: Store, keys: Iterable<string>): Promise<void> {
  await inParallel(keys, CONCURRENCY, async (key) => {
    await store.run(
      "s3:DeleteObject",
      key,
      (options) => store.client.deleteObject(locate(store, key), options),
      { NoSuchKey: undefined },
    );
  });
}

/**
 * Copies an object within the store, with its headers.
 *
 * @returns the ETag of the copy; `undefined` when the object does not exist
 */
export async function copyObject(store: Store, from: string, to: string): Promise<string | undefined> {
  const { bucket } = store.destination;
  const source = [bucket, ...from.split("/")].map(encodeURIComponent).join("/");
  const copied = await store.run(
    "s3:PutObject",
    to,
    (options) => store.client.copyObject({ ...locate(store, to), CopySource: source }, options),
    { NoSuchKey: undefined },
  );
  return copied === undefined ? undefined : (copied.CopyObjectResult?.ETag ?? "");
}

/** Signs a link to an object. It expires no later than the credentials that sign it. */
export async function signObject(store: Store, key: string, lifeMs: number): Promise<CopyLink> {
  return store.run("s3:GetObject", key, async () => {
    const nowMs = store.context.clock.now();
    const { expiration } = await store.client.config.credentials();
    const expiresIn = Math.floor(lifeMs / 1_000);
    const url = await store.sdk.presigner.getSignedUrl(
      store.client,
      new store.sdk.s3.GetObjectCommand(locate(store, key)),
      { expiresIn, signingDate: new Date(nowMs) },
    );
    store.context.secrets.addLink(url);
    // signatures have no milliseconds
    const endMs = Math.floor(nowMs / 1_000) * 1_000 + expiresIn * 1_000;
    return { url, expiresAtMs: Math.min(endMs, expiration?.getTime() ?? Infinity) };
  });
}

/** The parameters with which requests name an object. */
export function locate({ destination }: Store, key: string): { Bucket: string; Key: string } {
  return { Bucket: destination.bucket, Key: key };
}
