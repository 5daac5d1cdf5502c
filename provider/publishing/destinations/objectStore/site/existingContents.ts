import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { inParallel } from "../../../../base/runtime/concurrency/inParallel";
import { DestinationError } from "../../../../base/runtime/messages/errors";
import { firstOf } from "../../../../base/runtime/messages/firstOf";
import { isInOtherPlace } from "../bucketMark";
import type { BucketPlace } from "../bucketPlace";
import { hasHeaders } from "../fileHeaders";
import { CONCURRENCY } from "../objectStore";
import { isSameContent } from "../sendObject";
import { changedHeaders, type SentFile, sentHeaders } from "./changedHeaders";
import type { SiteInventory } from "./siteInventory";
import type { SiteObject } from "./siteObjects";

/** What a publication finds of the objects that it wants. */
export interface ExistingContents {
  /** Paths of objects with other content: what is listed at any other path of the site is as it should be. */
  readonly differing: ReadonlySet<string>;
  /** Paths of objects that copies wrote and somebody changed since: they will be overwritten. */
  readonly altered: readonly string[];
}

/**
 * Finds which of these objects already exist, and whether each has the right content. Where records are gone, the site's own files are
 * recognised by their content, and by the digest that this package sent with them.
 *
 * @param lacksRecords whether a record of a copy that the resource has there is gone: what this package sent is a copy's
 * @throws DestinationError when an object exists that no copy wrote
 */
export async function existingContents(
  { place, records, objects: listed, inner }: SiteInventory,
  objects: readonly SiteObject[],
  lacksRecords: boolean,
): Promise<ExistingContents> {
  const differing = new Set<string>();
  const foreign: string[] = [];
  const altered: string[] = [];
  const unsure: SiteObject[] = [];
  const unknown: SiteObject[] = [];
  const sent = new Map(records.map((record) => [record, sentHeaders(record)] as const));
  const unchanged: SentFile[] = [];
  for (const object of objects) {
    const { path, size, sha256, headers } = object;
    const found = listed.get(path);
    if (found === undefined) continue;
    const known = records.filter(({ files }) => files.has(path));
    const written = known.filter(({ files }) => files.get(path)?.revision === found.revision);
    const isSame = written.some(
      (record) =>
        record.files.get(path)?.sha256 === sha256 && isDeepStrictEqual(sent.get(record)?.(path), headers),
    );
    const isFinal = known.every(({ isWhole }) => isWhole);
    const isOfOthers = inner.some((each) => path.startsWith(each));
    const isServed = found.archiveTier === undefined;
    if (known.length === 0 && isOfOthers) foreign.push(path);
    else if (known.length === 0) unknown.push(object);
    else if (written.length === 0 && found.size === size && !isFinal) unsure.push(object);
    else if (!isSame || !isServed) {
      differing.add(path);
      if ((written.length === 0 && isFinal) || (isSame && !isServed)) altered.push(path);
    } else {
      const recordedAtMs = Math.max(
        ...written.map(({ isWhole, modifiedAtMs }) => (isWhole ? modifiedAtMs : -Infinity)),
      );
      if (recordedAtMs > -Infinity) unchanged.push({ path, headers, recordedAtMs });
    }
  }
  if (unknown.length > 0 && (await isInOtherPlace(place))) foreign.push(...unknown.map(({ path }) => path));
  else {
    await inParallel(unknown, CONCURRENCY, async (object) => {
      const { isSame, hasContent, isSent } = await lookAt(place, object);
      // somebody else may have the same content: two of three say that a copy sent it
      const isOurs = [hasContent, isSent, lacksRecords].filter(Boolean).length >= 2;
      if (!isOurs) return void foreign.push(object.path);
      if (isSame) return;
      differing.add(object.path);
      if (!hasContent) altered.push(object.path);
    });
  }
  if (foreign.length > 0) {
    throw new DestinationError(
      `below ${place.uri} there are objects that no copy of a site wrote: ${firstOf(foreign.sort())}`,
      "Nothing was written. Give the destination a prefix of its own, or remove these objects.",
    );
  }
  // a killed run may have sent them
  await inParallel(unsure, CONCURRENCY, async (object) => {
    if (!(await lookAt(place, object)).isSame) differing.add(object.path);
  });
  const [witness] = records.filter(({ isWhole }) => isWhole);
  if (witness !== undefined) {
    for (const path of await changedHeaders(place, witness.sha256, listed, unchanged)) {
      differing.add(path);
      altered.push(path);
    }
  }
  return { differing, altered };
}

/** What is at the path of an object. */
interface FoundContent {
  /** It has the object's content and headers. */
  readonly isSame: boolean;
  readonly hasContent: boolean;
  /** A copy of this package sent it. */
  readonly isSent: boolean;
}

/** Looks at the object that is at the path of another. */
export async function lookAt(place: BucketPlace, object: SiteObject): Promise<FoundContent> {
  const key = place.key(object.path);
  const stored = await place.objects.head(key);
  if (stored === undefined) return { isSame: false, hasContent: false, isSent: false };
  const isSent = stored.sha256 !== undefined;
  const sha256 = stored.sha256 ?? (stored.size === object.size ? await digestAt(place, key) : undefined);
  const hasContent = isSameContent({ ...stored, sha256 }, object);
  const isSame = isSent && hasContent && hasHeaders(stored.headers, object.headers);
  return { isSame, hasContent, isSent };
}

/** SHA-256 of an object of which the store knows none: hexadecimal digits. */
async function digestAt(place: BucketPlace, key: string): Promise<string | undefined> {
  return place.objects.read(key, async (content) => {
    const digest = createHash("sha256");
    for await (const bytes of content) digest.update(bytes);
    return digest.digest("hex");
  });
}
