import { join } from "node:path";
import { formatBytes } from "../../../runtime/messages/formatBytes";
import { transferLine } from "../../../runtime/messages/transferLine";
import { inParallel } from "../../../runtime/concurrency/inParallel";
import { DestinationError } from "../../../runtime/messages/errors";
import { ARCHIVE_FORMATS, ARCHIVE_NAME } from "../../../site/archive/format";
import type { Bundle } from "../../../site/inspection/bundle";
import { removedMeanwhile, type Ownership } from "../../ownership/ownership";
import type { Copy, CopyComparison, CopyContent, CopyLink, FoundCopy } from "../destination";
import { bucketOwnership } from "./bucketMarks";
import { CONCURRENCY, type Revision, type StoredObject } from "./objectStore";
import { downloadObject, listedAt } from "./readObject";
import { isSameContent, sendObject } from "./sendObject";
import type { BucketPlace } from "./bucketPlace";
import { clearUploads, isAbandoned } from "./unfinishedUploads";

/** An archive never changes under its name, and shared caches must not keep it. */
const CACHE_CONTROL = "private, max-age=31536000, immutable";

/** What the state stores of the object. */
interface ArchiveParts {
  readonly key: string;
  readonly size: number;
  /** The name that states have since S3 was the only store. */
  readonly etag: Revision;
}

/**
 * Uploads a bundle's archive, named by its digest, unless it exists already. Aborts the uploads of it that killed runs
 * left.
 */
export async function publishArchive(
  place: BucketPlace,
  bundle: Bundle,
  placing?: (copy: Copy) => void,
): Promise<Copy> {
  const { path, size, sha256, format } = bundle;
  const key = place.key(`${sha256}.${format}`);
  const { clock, reporter } = place.context;
  const file = `${sha256}.${format}`;
  const copyOf = async (stored: StoredObject | undefined): Promise<Copy> => ({
    sha256,
    ...(await storedCopy(place, key, stored ?? { size, revision: "" })),
  });
  const before = await place.objects.head(key);
  if (before !== undefined && !isSameContent(before, bundle)) throw otherContent(place, key);
  placing?.(await copyOf(before));
  const isThere = async (): Promise<boolean> => (await place.objects.head(key)) !== undefined;
  const stored = await ownershipOf(place).publish(file, isThere, async () => {
    // another owner may have removed it before it saw the mark
    if (before === undefined || !(await isThere())) {
      const headers = { contentType: ARCHIVE_FORMATS[format].mediaType, cacheControl: CACHE_CONTROL };
      reporter.progress(`uploading ${formatBytes(size)}`);
      const startedAt = clock.monotonic();
      await sendObject(place, { key, size, sha256, headers }, { path, offset: 0 }, true, {
        onProgress: (bytes) =>
          reporter.progress(transferLine("uploading", bytes, size, clock.monotonic() - startedAt)),
      });
    }
    return place.objects.head(key);
  });
  if (stored === undefined) throw removedMeanwhile(place.uriOf(key));
  if (!isSameContent(stored, bundle)) throw otherContent(place, key);
  const copy = await copyOf(stored);
  placing?.(copy);
  await clearArchiveUploads(place, new Set([key]));
  return copy;
}

function otherContent(place: BucketPlace, key: string): DestinationError {
  return new DestinationError(
    `${place.uriOf(key)} exists already, and its content does not match its name`,
    "It is unchanged. Find out who wrote it, remove it, and run `pulumi up` again.",
  );
}

/** The copy whose archive is this object. */
async function storedCopy(
  place: BucketPlace,
  key: string,
  { size, revision }: Pick<StoredObject, "size" | "revision">,
): Promise<Omit<Copy, "sha256">> {
  return {
    uri: place.uriOf(key),
    ...(place.linkLifeMs === undefined && { address: await place.objects.addressOf(key) }),
    parts: { key, size, etag: revision } satisfies ArchiveParts,
  };
}

/**
 * Finds an archive by its name, downloads it and verifies its digest.
 *
 * @throws DestinationError when it is not there or has other content
 */
export async function findArchive(place: BucketPlace, file: string): Promise<FoundCopy> {
  const key = place.key(file);
  const uri = place.uriOf(key);
  const stored = await place.objects.head(key);
  if (stored === undefined) {
    // the answer to HEAD has no error code, but that to the list has one
    await listedAt(place, key);
    throw new DestinationError(`there is no object ${uri}`, "Check its name, and `endpoint` and `region`.");
  }
  const [sha256 = ""] = file.split(".", 1);
  const archive = join(await place.context.scratch(), "archive");
  place.context.reporter.progress(`downloading ${formatBytes(stored.size)}`);
  const found = await downloadObject(place, key, archive);
  if (found !== sha256 || !isSameContent(stored, { size: stored.size, sha256 })) {
    throw new DestinationError(
      found === sha256
        ? `${uri} does not record its SHA-256, as copies of this package do`
        : `${uri} is not the archive that its name says: its SHA-256 is ${found}`,
      "It is unchanged. Import another copy, or make a new one.",
    );
  }
  return { copy: await storedCopy(place, key, stored), edition: sha256, sha256, archive };
}

/** Downloads a copy's archive; `undefined` when it is gone. */
export async function readArchive(place: BucketPlace, copy: Copy): Promise<CopyContent | undefined> {
  const { key } = archivePartsOf(copy);
  const archive = join(await place.context.scratch(), "archive");
  return (await downloadObject(place, key, archive)) === undefined ? undefined : { archive };
}

/**
 * Aborts uploads of archives that killed runs left.
 *
 * @param keys archives whose uploads are all obsolete; for other archives, a run may still be in progress
 */
async function clearArchiveUploads(place: BucketPlace, keys: ReadonlySet<string>): Promise<void> {
  await clearUploads(place, (path, upload) => {
    return keys.has(upload.key) || (ARCHIVE_NAME.test(path) && isAbandoned(place, upload));
  });
}

/** A link to an archive. */
export async function linkToArchive({ objects, linkLifeMs }: BucketPlace, copy: Copy): Promise<CopyLink> {
  const { key } = archivePartsOf(copy);
  return linkLifeMs === undefined ? { url: await objects.addressOf(key) } : objects.sign(key, linkLifeMs);
}

/** Compares an archive with what was published. */
export async function compareArchive(place: BucketPlace, copy: Copy): Promise<CopyComparison> {
  const { key, size, etag } = archivePartsOf(copy);
  const stored = await place.objects.head(key);
  // the answer to HEAD has no error code: the bucket may be missing, or the access key may be wrong
  if (stored === undefined) return (await listedAt(place, key)) ? "changed" : "gone";
  if (stored.revision !== etag || !isSameContent(stored, { ...copy, size })) return "changed";
  return ownershipOf(place).compared(nameIn(place, key));
}

/** Writes the owner's mark at archives that are there. */
export async function markArchives(place: BucketPlace, copies: readonly Copy[]): Promise<void> {
  for (const copy of copies) {
    const { key } = archivePartsOf(copy);
    if ((await place.objects.head(key)) !== undefined) await ownershipOf(place).claim(nameIn(place, key));
  }
}

function ownershipOf(place: BucketPlace): Ownership {
  return bucketOwnership(place, (item) => place.uriOf(place.key(item)));
}

/** The name of an archive below the prefix. */
const nameIn = (place: BucketPlace, key: string): string => key.slice(place.key("").length);

/**
 * Removes the owner's marks at archives, and the archives that no other owner has. One that others wrote since stays, with a warning
 * that names it.
 */
export async function removeArchives(
  place: BucketPlace,
  copies: readonly Copy[],
  kept: readonly Copy[],
): Promise<void> {
  const ownership = ownershipOf(place);
  const removed = new Map<string, ArchiveParts | undefined>();
  if (kept.length === 0) {
    // what an interrupted run left
    for (const name of await ownership.ownItems())
      if (ARCHIVE_NAME.test(name)) removed.set(place.key(name), undefined);
  }
  for (const copy of copies) removed.set(archivePartsOf(copy).key, archivePartsOf(copy));
  for (const copy of kept) removed.delete(archivePartsOf(copy).key);
  await ownership.release(
    [...removed.keys()].map((key) => nameIn(place, key)),
    async (name) => (await place.objects.head(place.key(name))) !== undefined,
    (names) =>
      inParallel(names, CONCURRENCY, (name) => {
        const key = place.key(name);
        return removeArchive(place, key, removed.get(key));
      }),
  );
  // no run follows the removal of the last copy
  if (kept.length === 0) await clearArchiveUploads(place, new Set(removed.keys()));
}

/** Removes an archive, unless its content is not what its name says. */
async function removeArchive(
  place: BucketPlace,
  key: string,
  known: ArchiveParts | undefined,
): Promise<void> {
  const stored = await place.objects.head(key);
  const [, sha256 = ""] = ARCHIVE_NAME.exec(nameIn(place, key)) ?? [];
  // if HEAD finds nothing, the removal reports what is wrong, if anything
  if (
    stored === undefined ||
    stored.revision === known?.etag ||
    isSameContent(stored, { size: known?.size ?? stored.size, sha256 })
  )
    return place.objects.remove([key]);
  place.context.reporter.warn(`${place.uriOf(key)} is not removed: someone else overwrote it`);
}

/** What the state stores of a copy's archive. @throws DestinationError when it does not */
function archivePartsOf({ uri, parts }: Copy): ArchiveParts {
  const { key, size, etag } = parts;
  if (typeof key === "string" && typeof size === "number" && typeof etag === "string")
    return { key, size, etag };
  throw new DestinationError(
    `the state does not contain the location of ${uri}`,
    "Run `pulumi state delete` with the URN of this resource, then `pulumi up`: it finds the archive in the bucket and adopts it.",
  );
}
