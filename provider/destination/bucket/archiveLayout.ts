import { open } from "node:fs/promises";
import { createHash } from "node:crypto";
import { DestinationError } from "../../words/errors";
import { formatBytes, transferLine } from "../../http/transferLine";
import type { Bundle, Copy, DestinationContext } from "../destination";
import { headObject, listObjects, putObject, removeObjects, type StoredObject } from "./objects";
import { addressOf, keyOf, type BucketPlace } from "./place";
import type { Store } from "./store";
import { compositeOfFile, LARGEST_WHOLE, readWhole, uploadInParts, uploadsOf } from "./uploadInParts";
import { abortUpload, listParts, openUploads } from "./uploads";

/** An archive never changes under its name, and is not for everybody who passes by. */
const CACHE_CONTROL = "private, max-age=31536000, immutable";
const TYPES = { "tar.gz": "application/gzip", zip: "application/zip" } as const;
/** An upload for another digest, on which nothing happened for so long, is nobody's any more, in milliseconds. */
const FORGOTTEN_AFTER_MS = 3_600_000;

/** What the state keeps of the object. */
interface ArchiveParts {
  readonly key: string;
  readonly size: number;
  readonly etag: string;
}

/** The key of a bundle's archive. */
function archiveKey(place: BucketPlace, { sha256, format }: Bundle): string {
  return keyOf(place, `${sha256}.${format}`);
}

/**
 * Puts a bundle's archive under the name of its digest, unless it is there already; what runs that were killed left of it is
 * cleared away.
 */
export async function publishArchive(
  store: Store,
  bundle: Bundle,
  context: DestinationContext,
): Promise<Copy> {
  const { place } = store;
  const key = archiveKey(place, bundle);
  const isLarge = bundle.size > LARGEST_WHOLE;
  if ((await headObject(store, key)) === undefined) await sendArchive(store, key, bundle, context);
  const stored = await headObject(store, key);
  if (stored === undefined || !(await isContent(stored, bundle, store.signal))) {
    throw new DestinationError(
      `s3://${place.bucket}/${key} is there already, with another content than its name says`,
      "It was left as it is. Find out who wrote it, remove it, and run `pulumi up` again.",
    );
  }
  if (isLarge) for (const upload of await uploadsOf(store, key)) await abortUpload(store, upload);
  await clearForgotten(store, context);
  const parts: ArchiveParts = { key, size: stored.size, etag: stored.etag };
  return {
    sha256: bundle.sha256,
    uri: `s3://${place.bucket}/${key}`,
    ...(place.linkLife === undefined && { address: addressOf(place, await store.region(), key) }),
    parts: { ...parts },
  };
}

async function sendArchive(
  store: Store,
  key: string,
  bundle: Bundle,
  context: DestinationContext,
): Promise<void> {
  const { path, size, sha256, format } = bundle;
  const { clock, reporter } = context;
  const object = { key, sha256, headers: { contentType: TYPES[format], cacheControl: CACHE_CONTROL } };
  if (size > LARGEST_WHOLE) {
    const startedAt = clock.monotonic();
    const onProgress = (bytes: number, sentBytes: number): void => {
      reporter.progress(transferLine("uploading", bytes, size, clock.monotonic() - startedAt, sentBytes));
    };
    await uploadInParts(
      store,
      object,
      { path, offset: 0, size },
      { isNamedByContent: true, onlyNew: true, onProgress },
    );
    return;
  }
  reporter.progress(`uploading ${formatBytes(size)}`);
  const file = await open(path);
  try {
    const content = await readWhole(file, 0, size);
    if (createHash("sha256").update(content).digest("hex") !== sha256) {
      throw new DestinationError(`${path} was changed before it was sent`, "Run `pulumi up` again.");
    }
    await putObject(store, object, content, true);
  } finally {
    await file.close();
  }
}

/** By the store's own checksum, where it has one that can be compared; else by size and by the digest that was sent with it. */
async function isContent(stored: StoredObject, bundle: Bundle, signal: AbortSignal): Promise<boolean> {
  const { path, size, sha256 } = bundle;
  if (stored.size !== size || stored.sha256 !== sha256) return false;
  if (stored.composite === undefined) return true;
  const expected = await compositeOfFile({ path, offset: 0, size }, signal);
  // sent in parts of another size: that cannot be compared
  return stored.composite === expected || partsIn(stored.composite) !== partsIn(expected);
}

function partsIn(composite: string): string | undefined {
  return composite.split("-")[1];
}

/**
 * Uploads for other digests here that runs left which were killed. Whoever may not list them clears none.
 */
async function clearForgotten(store: Store, { clock, reporter }: DestinationContext): Promise<void> {
  const prefix = keyOf(store.place, "");
  const isForgotten = (atMs: number): boolean => clock.now() - atMs > FORGOTTEN_AFTER_MS;
  try {
    for (const upload of await openUploads(store, prefix)) {
      const isArchive = /^[0-9a-f]{64}\.(?:tar\.gz|zip)$/.test(upload.key.slice(prefix.length));
      if (!isArchive || !isForgotten(upload.startedAtMs)) continue;
      const parts = await listParts(store, upload);
      if (parts === undefined || ![...parts.values()].every((part) => isForgotten(part.modifiedAtMs)))
        continue;
      await abortUpload(store, upload);
    }
  } catch (error) {
    if (!(error instanceof DestinationError)) throw error;
    reporter.debug(
      `unfinished uploads below ${store.place.bucket}/${prefix} were not looked for: ${error.message}`,
    );
  }
}

/** Whether an archive is there as it was put. */
export async function lookAtArchive(store: Store, copy: Copy): Promise<"same" | "changed" | "gone"> {
  const { key, size, etag } = partsOf(copy);
  const stored = await headObject(store, key);
  // the answer to HEAD has no words: it may be the bucket that is not there, or the access key
  if (stored === undefined) return (await listObjects(store, key)).has(key) ? "changed" : "gone";
  return stored.size === size && stored.etag === etag && stored.sha256 === copy.sha256 ? "same" : "changed";
}

/** Removes archives that no kept copy is. */
export async function removeArchives(
  store: Store,
  copies: readonly Copy[],
  kept: readonly Copy[],
): Promise<void> {
  const staying = new Set(kept.map((copy) => partsOf(copy).key));
  const keys = new Set(copies.map((copy) => partsOf(copy).key).filter((key) => !staying.has(key)));
  await removeObjects(store, [...keys]);
}

/** The key of a copy's archive. */
export function archiveKeyOf(copy: Copy): string {
  return partsOf(copy).key;
}

function partsOf({ uri, parts }: Copy): ArchiveParts {
  const { key, size, etag } = parts;
  if (typeof key === "string" && typeof size === "number" && typeof etag === "string")
    return { key, size, etag };
  throw new DestinationError(
    `the state does not tell where ${uri} is`,
    "Run `pulumi refresh`, or import it again.",
  );
}
