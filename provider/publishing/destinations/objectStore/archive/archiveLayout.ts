import { join } from "node:path";
import { basename } from "node:path/posix";
import { inParallel } from "../../../../base/runtime/concurrency/inParallel";
import { writeNewFile } from "../../../../base/runtime/files/writeFile";
import { DestinationError } from "../../../../base/runtime/messages/errors";
import { formatBytes } from "../../../../base/runtime/messages/formatBytes";
import { transferLine } from "../../../../base/runtime/messages/transferLine";
import { parseDuration } from "../../../../base/runtime/time/duration";
import { ARCHIVE_FORMATS, ARCHIVE_NAME } from "../../../archives/format";
import type { Bundle } from "../../../inspection/bundle";
import { RECORDS_FOLDER } from "../../../ownership/placeMark";
import type { CopyLayout, Placing } from "../../copyLayout";
import type { Copy } from "../../destination";
import { removedMeanwhile } from "../../removedMeanwhile";
import type { OwnedPlace } from "../bucketMark";
import { LONGEST_LINK_LIFE_MS } from "../inputs";
import { CONCURRENCY, type ListedObject, type StoredObject } from "../objectStore";
import { listedAt } from "../readObject";
import { isSameContent, sendObject, sendText } from "../sendObject";
import { clearUploads } from "../unfinishedUploads";

/** An archive never changes under its name, and shared caches must not keep it. */
const CACHE_CONTROL = "private, max-age=31536000, immutable";

/** A larger archive is not sent to find that it is there, in bytes. */
const SMALL = 4 * 1024 * 1024;

const RECORD_HEADERS = { contentType: "application/json", cacheControl: "no-store" };

/** What the state keeps of an archive. */
interface ArchiveParts {
  readonly key: string;
  /** In bytes. */
  readonly size: number;
  /** The revision, by the name that states have since S3 was the only store. */
  readonly etag: string;
}

/** Archives in a bucket, each named by its digest. */
export const ARCHIVES_IN_BUCKET: CopyLayout<OwnedPlace> = {
  hasDrafts: false,
  itemOf: (copy) => basename(archivePartsOf(copy).key),

  async recorded(place) {
    const prefix = place.key(`${RECORDS_FOLDER}/`);
    const names: string[] = [];
    await place.objects.list(prefix, ({ key }) => {
      const name = key.slice(prefix.length).replace(/\.json$/, "");
      if (key === place.key(recordPath(name)) && ARCHIVE_NAME.test(name)) names.push(name);
    });
    return names;
  },

  exists: async (place, name) => (await lookAt(place, place.key(name))) !== undefined,

  begin: (_place, bundle) =>
    Promise.resolve({ publish: (place, placing) => publishArchive(place, bundle, placing) }),

  /** Downloads an archive and verifies its digest. */
  async find(place, file) {
    const key = place.key(file);
    const uri = place.uriOf(key);
    const stored = await place.objects.head(key);
    if (stored === undefined) {
      // the reply to HEAD has no error code, but that to the list has one
      await listedAt(place, key);
      throw new DestinationError(`there is no object ${uri}`, "Check its name, and `endpoint` and `region`.");
    }
    const [sha256 = ""] = file.split(".", 1);
    place.context.reporter.progress(`downloading ${formatBytes(stored.size)}`);
    const { archive, digest } = await downloadArchive(place, key);
    if (digest !== sha256 || !isSameContent(stored, { size: stored.size, sha256 })) {
      throw new DestinationError(
        digest === sha256
          ? `${uri} does not record its SHA-256, as copies of this package do`
          : `${uri} is not the archive that its name says: its SHA-256 is ${digest}`,
        "It is unchanged. Import another copy, or make a new one.",
      );
    }
    return { copy: await storedCopy(place, key, stored), edition: sha256, sha256, archive };
  },

  async compare(place, copy) {
    const { key, size, etag } = archivePartsOf(copy);
    const stored = await place.objects.head(key);
    // the reply to HEAD has no error code: the bucket may be missing, or the access key may be wrong
    if (stored === undefined) return (await listedAt(place, key)) ? "changed" : "gone";
    return stored.revision === etag && isSameContent(stored, { ...copy, size }) ? "same" : "changed";
  },

  async read(place, copy) {
    const { archive, digest } = await downloadArchive(place, archivePartsOf(copy).key);
    return digest === undefined ? undefined : { archive };
  },

  /** An archive that others wrote since stays, with a warning that names it. */
  async remove(place, names, copies, kept) {
    const known = new Map(copies.map(archivePartsOf).map((parts) => [parts.key, parts]));
    const own: string[] = [];
    await inParallel(names, CONCURRENCY, async (name) => {
      if (await isOwnArchive(place, name, known.get(place.key(name)))) own.push(name);
    });
    await place.removeOwn(own);
    await place.removeOwn(names.map(recordPath));
    // no run follows the removal of the last copy
    if (kept.length === 0) await clearArchiveUploads(place, names);
  },

  async link({ objects, fields: { linkLife } }, copy) {
    const { key } = archivePartsOf(copy);
    if (linkLife === undefined) return { url: await objects.addressOf(key) };
    return objects.sign(key, parseDuration(linkLife) ?? LONGEST_LINK_LIFE_MS);
  },
};

/** Uploads a bundle's archive, unless it exists already. Aborts the uploads of it that killed runs left. */
async function publishArchive(place: OwnedPlace, bundle: Bundle, placing?: Placing): Promise<Copy> {
  const { path, size, sha256, format } = bundle;
  const file = `${sha256}.${format}`;
  const key = place.key(file);
  const { clock, reporter } = place.context;
  const look = async (): Promise<StoredObject | undefined> => {
    const stored = await place.objects.head(key);
    if (stored === undefined || isSameContent(stored, bundle)) return stored;
    throw new DestinationError(
      `${place.uriOf(key)} exists already, and its content does not match its name`,
      "It is unchanged. Find out who wrote it, remove it, and run `pulumi up` again.",
    );
  };
  // the conditional write finds an archive that is there, too
  const before = place.owner.wasFree && size <= SMALL ? undefined : await look();
  placing?.({ sha256, ...(await storedCopy(place, key, before ?? { size, revision: "" })) });
  let stored = before;
  // first: the last removal finds it, whatever happens to this run
  await sendText(place, place.key(recordPath(file)), "{}\n", RECORD_HEADERS);
  if (before === undefined) {
    const headers = { contentType: ARCHIVE_FORMATS[format].mediaType, cacheControl: CACHE_CONTROL };
    reporter.progress(`uploading ${formatBytes(size)}`);
    const startedAt = clock.monotonic();
    const onProgress = (bytes: number): void =>
      reporter.progress(transferLine("uploading", bytes, size, clock.monotonic() - startedAt));
    try {
      await sendObject(place, { key, size, sha256, headers }, { path, offset: 0 }, true, { onProgress });
      stored = await look();
    } catch (error) {
      if (await isNotOurs(place, key, bundle)) await forget(place, file);
      throw error;
    }
  }
  if (stored === undefined) throw removedMeanwhile(place.uriOf(key));
  const copy = { sha256, ...(await storedCopy(place, key, stored)) };
  placing?.(copy);
  // before the mark, no other run could begin one; of a large archive, this one may have, and the reply was lost
  if (!place.owner.wasFree || size > SMALL) await clearArchiveUploads(place, [file]);
  return copy;
}

/** The record of an archive: an object for each one of which nothing was removed. */
const recordPath = (file: string): string => `${RECORDS_FOLDER}/${file}.json`;

/** What is at the key of an archive: the store describes it, or only lists it. `undefined` if it is in no list either. */
async function lookAt(place: OwnedPlace, key: string): Promise<StoredObject | ListedObject | undefined> {
  return (await place.objects.head(key)) ?? listedAt(place, key);
}

const isDescribed = (found: StoredObject | ListedObject): found is StoredObject => !("key" in found);

/** Whether a store says that it has no such archive. */
async function isNotOurs(place: OwnedPlace, key: string, bundle: Bundle): Promise<boolean> {
  try {
    const found = await lookAt(place, key);
    return found === undefined || (isDescribed(found) && !isSameContent(found, bundle));
  } catch {
    return false;
  }
}

/** Removes the record of an archive that is not there. Best effort. */
const forget = (place: OwnedPlace, file: string): Promise<void> =>
  place.remove([recordPath(file)]).catch(() => undefined);

/** The copy whose archive is this object. */
async function storedCopy(
  place: OwnedPlace,
  key: string,
  { size, revision }: Pick<StoredObject, "size" | "revision">,
): Promise<Omit<Copy, "sha256">> {
  return {
    uri: place.uriOf(key),
    ...(place.fields.linkLife === undefined && { address: await place.objects.addressOf(key) }),
    parts: { key, size, etag: revision } satisfies ArchiveParts,
  };
}

/** @returns where it is, and its SHA-256; `undefined` when the store reports that it does not exist */
async function downloadArchive({ objects, context }: OwnedPlace, key: string) {
  const archive = join(await context.scratch(), "archive");
  const written = await objects.read(key, (content) => writeNewFile(archive, content, { flush: false }));
  return { archive, digest: written?.sha256 };
}

/**
 * Aborts uploads of archives that killed runs left.
 *
 * @param names archives whose uploads are all obsolete; for other archives, a run may still be in progress
 */
async function clearArchiveUploads(place: OwnedPlace, names: readonly string[]): Promise<void> {
  await clearUploads(
    place,
    (name) => ARCHIVE_NAME.test(name),
    (name) => !names.includes(name),
  );
}

/**
 * Whether there is an archive, and it is what its name says. A warning names any other: it stays.
 *
 * @throws DestinationError if the store does not say what it is
 */
async function isOwnArchive(place: OwnedPlace, name: string, known?: ArchiveParts): Promise<boolean> {
  const found = await lookAt(place, place.key(name));
  if (found === undefined) return false;
  if (found.revision === known?.etag) return true;
  if (!isDescribed(found)) {
    throw new DestinationError(
      `nothing is removed from ${place.uri}: the store lists ${place.itemUri(name)}, and answers that it is not there`,
      "Run the command again. If the store says so each time, find out whose that object is, and remove it by hand.",
    );
  }
  const [, sha256 = ""] = ARCHIVE_NAME.exec(name) ?? [];
  if (isSameContent(found, { size: known?.size ?? found.size, sha256 })) return true;
  place.context.reporter.warn(`${place.itemUri(name)} is not removed: someone else overwrote it`);
  return false;
}

/** What the state stores of a copy's archive. @throws DestinationError when it does not */
function archivePartsOf({ uri, parts }: Copy): ArchiveParts {
  const { key, size, etag } = parts;
  if (typeof key === "string" && typeof size === "number" && typeof etag === "string") {
    return { key, size, etag };
  }
  throw new DestinationError(
    `the state does not contain the location of ${uri}`,
    "Run `pulumi state delete` with the URN of this resource, then `pulumi up`: it finds the archive in the bucket and adopts it.",
  );
}
