import { join } from "node:path";
import { formatBytes } from "../../../runtime/messages/formatBytes";
import { transferLine } from "../../../runtime/messages/transferLine";
import { inParallel } from "../../../runtime/concurrency/inParallel";
import { DestinationError } from "../../../runtime/messages/errors";
import type { Bundle } from "../../../site/inspection/bundle";
import { removedMeanwhile, type Ownership } from "../../ownership/ownership";
import type { Copy, CopyComparison, CopyContent, FoundCopy } from "../destination";
import { bucketOwnership } from "./bucketMarks";
import {
  CONCURRENCY,
  downloadObject,
  headObject,
  isSameContent,
  listObjects,
  removeObjects,
  type StoredObject,
} from "./objects";
import type { Store } from "./store";
import { clearUploads, isAbandoned, sendObject } from "./uploads";

/** An archive never changes under its name, and shared caches must not keep it. */
const CACHE_CONTROL = "private, max-age=31536000, immutable";
const TYPES = { "tar.gz": "application/gzip", zip: "application/zip" } as const;

/** What the state stores of the object. */
interface ArchiveParts {
  readonly key: string;
  readonly size: number;
  readonly etag: string;
}

/**
 * Uploads a bundle's archive, named by its digest, unless it exists already. Aborts the uploads of it that killed runs
 * left.
 */
export async function publishArchive(
  store: Store,
  bundle: Bundle,
  placing?: (copy: Copy) => void,
): Promise<Copy> {
  const { path, size, sha256, format } = bundle;
  const key = store.key(`${sha256}.${format}`);
  const { clock, reporter } = store.context;
  const file = `${sha256}.${format}`;
  const copyOf = async (stored: StoredObject | undefined): Promise<Copy> => ({
    sha256,
    ...(await storedCopy(store, key, stored ?? { size, etag: "" })),
  });
  const before = await headObject(store, key);
  if (before !== undefined && !isSameContent(before, bundle)) throw otherContent(store, key);
  placing?.(await copyOf(before));
  const isThere = async (): Promise<boolean> => (await headObject(store, key)) !== undefined;
  const stored = await ownershipOf(store).publish(file, isThere, async () => {
    // another owner may have removed it before it saw the mark
    if (before === undefined || !(await isThere())) {
      const headers = { contentType: TYPES[format], cacheControl: CACHE_CONTROL };
      reporter.progress(`uploading ${formatBytes(size)}`);
      const startedAt = clock.monotonic();
      await sendObject(store, { key, size, sha256, headers }, { path, offset: 0 }, true, (bytes) => {
        reporter.progress(transferLine("uploading", bytes, size, clock.monotonic() - startedAt));
      });
    }
    return headObject(store, key);
  });
  if (stored === undefined) throw removedMeanwhile(store.uriOf(key));
  if (!isSameContent(stored, bundle)) throw otherContent(store, key);
  const copy = await copyOf(stored);
  placing?.(copy);
  await clearArchiveUploads(store, new Set([key]));
  return copy;
}

function otherContent(store: Store, key: string): DestinationError {
  return new DestinationError(
    `${store.uriOf(key)} exists already, and its content does not match its name`,
    "It is unchanged. Find out who wrote it, remove it, and run `pulumi up` again.",
  );
}

/** The copy whose archive is this object. */
async function storedCopy(
  store: Store,
  key: string,
  { size, etag }: Pick<StoredObject, "size" | "etag">,
): Promise<Omit<Copy, "sha256">> {
  return {
    uri: store.uriOf(key),
    ...(store.destination.linkLife === undefined && { address: await store.addressOf(key) }),
    parts: { key, size, etag } satisfies ArchiveParts,
  };
}

/**
 * Finds an archive by its name, downloads it and verifies its digest.
 *
 * @throws DestinationError when it is not there or has other content
 */
export async function findArchive(store: Store, file: string): Promise<FoundCopy> {
  const key = store.key(file);
  const uri = store.uriOf(key);
  const stored = await headObject(store, key);
  if (stored === undefined) {
    // the answer to HEAD has no error code, but that to the list has one
    await listObjects(store, key);
    throw new DestinationError(`there is no object ${uri}`, "Check its name, and `endpoint` and `region`.");
  }
  const [sha256 = ""] = file.split(".", 1);
  const archive = join(await store.context.scratch(), "archive");
  store.context.reporter.progress(`downloading ${formatBytes(stored.size)}`);
  const found = await downloadObject(store, key, archive);
  if (found !== sha256 || !isSameContent(stored, { size: stored.size, sha256 })) {
    throw new DestinationError(
      found === sha256
        ? `${uri} does not record its SHA-256, as copies of this package do`
        : `${uri} is not the archive that its name says: its SHA-256 is ${found}`,
      "It is unchanged. Import another copy, or make a new one.",
    );
  }
  return { copy: await storedCopy(store, key, stored), edition: sha256, sha256, archive };
}

/** Downloads a copy's archive; `undefined` when it is gone. */
export async function readArchive(store: Store, copy: Copy): Promise<CopyContent | undefined> {
  const { key } = archivePartsOf(copy);
  const archive = join(await store.context.scratch(), "archive");
  return (await downloadObject(store, key, archive)) === undefined ? undefined : { archive };
}

/**
 * Aborts uploads of archives that killed runs left.
 *
 * @param keys archives whose uploads are all obsolete; for other archives, a run may still be in progress
 */
async function clearArchiveUploads(store: Store, keys: ReadonlySet<string>): Promise<void> {
  await clearUploads(store, (upload) => {
    return keys.has(upload.key) || (ARCHIVE.test(upload.path) && isAbandoned(store, upload));
  });
}

/** Compares an archive with what was published. */
export async function compareArchive(store: Store, copy: Copy): Promise<CopyComparison> {
  const { key, size, etag } = archivePartsOf(copy);
  const stored = await headObject(store, key);
  // the answer to HEAD has no error code: the bucket may be missing, or the access key may be wrong
  if (stored === undefined) return (await listObjects(store, key)).has(key) ? "changed" : "gone";
  if (stored.etag !== etag || !isSameContent(stored, { ...copy, size })) return "changed";
  return ownershipOf(store).compared(nameIn(store, key));
}

/** Writes the owner's mark at archives that are there. */
export async function markArchives(store: Store, copies: readonly Copy[]): Promise<void> {
  for (const copy of copies) {
    const { key } = archivePartsOf(copy);
    if ((await headObject(store, key)) !== undefined) await ownershipOf(store).claim(nameIn(store, key));
  }
}

function ownershipOf(store: Store): Ownership {
  return bucketOwnership(store, (item) => store.uriOf(store.key(item)));
}

/** The name of an archive below the prefix. */
const nameIn = (store: Store, key: string): string => key.slice(store.key("").length);

/**
 * Removes the owner's marks at archives, and the archives that no other owner has. One that others wrote since stays, with a warning
 * that names it.
 */
export async function removeArchives(
  store: Store,
  copies: readonly Copy[],
  kept: readonly Copy[],
): Promise<void> {
  const ownership = ownershipOf(store);
  const removed = new Map<string, ArchiveParts | undefined>();
  if (kept.length === 0) {
    // what an interrupted run left
    for (const name of await ownership.ownItems())
      if (ARCHIVE.test(name)) removed.set(store.key(name), undefined);
  }
  for (const copy of copies) removed.set(archivePartsOf(copy).key, archivePartsOf(copy));
  for (const copy of kept) removed.delete(archivePartsOf(copy).key);
  await ownership.release(
    [...removed.keys()].map((key) => nameIn(store, key)),
    async (name) => (await headObject(store, store.key(name))) !== undefined,
    (names) =>
      inParallel(names, CONCURRENCY, (name) => {
        const key = store.key(name);
        return removeArchive(store, key, removed.get(key));
      }),
  );
  // no run follows the removal of the last copy
  if (kept.length === 0) await clearArchiveUploads(store, new Set(removed.keys()));
}

/** Removes an archive, unless its content is not what its name says. */
async function removeArchive(store: Store, key: string, known: ArchiveParts | undefined): Promise<void> {
  const stored = await headObject(store, key);
  const [, sha256 = ""] = ARCHIVE.exec(nameIn(store, key)) ?? [];
  // if HEAD finds nothing, the removal reports what is wrong, if anything
  if (
    stored === undefined ||
    stored.etag === known?.etag ||
    isSameContent(stored, { size: known?.size ?? stored.size, sha256 })
  )
    return removeObjects(store, [key]);
  store.context.reporter.warn(`${store.uriOf(key)} is not removed: someone else overwrote it`);
}

/** Names of archives: the digest, and the format. */
const ARCHIVE = /^([0-9a-f]{64})\.(?:tar\.gz|zip)$/;

/** What the state stores of a copy's archive. @throws DestinationError when it does not */
export function archivePartsOf({ uri, parts }: Copy): ArchiveParts {
  const { key, size, etag } = parts;
  if (typeof key === "string" && typeof size === "number" && typeof etag === "string")
    return { key, size, etag };
  throw new DestinationError(
    `the state does not contain the location of ${uri}`,
    "Run `pulumi state delete` with the URN of this resource, then `pulumi up`: it finds the archive in the bucket and adopts it.",
  );
}
