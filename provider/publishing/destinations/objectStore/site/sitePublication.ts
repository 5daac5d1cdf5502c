import { hash } from "node:crypto";
import { inParallel } from "../../../../base/runtime/concurrency/inParallel";
import { DestinationError } from "../../../../base/runtime/messages/errors";
import { firstOf } from "../../../../base/runtime/messages/firstOf";
import { transferLine } from "../../../../base/runtime/messages/transferLine";
import type { Placing } from "../../copyLayout";
import type { Copy } from "../../destination";
import type { OwnedPlace } from "../bucketMark";
import { CONCURRENCY } from "../objectStore";
import { changedOnDisk, sendObject } from "../sendObject";
import { ABANDONED_AFTER_MS } from "../unfinishedUploads";
import { NewestFiles } from "./changedHeaders";
import { type ExistingContents, existingContents, lookAt } from "./existingContents";
import { checkNames } from "./nameRules";
import { reportFalseHashes } from "./revalidatedFiles";
import type { SiteBuffer } from "./siteBuffer";
import { listObjects, SiteInventory } from "./siteInventory";
import { type BufferedFile, conflictingPaths, type SiteObject } from "./siteObjects";
import { recordPath } from "./siteRecord";
import { clearSiteUploads, removeRecords } from "./siteRemoval";
import { type NewRecord, putRecord, putUnprotected } from "./storedRecords";
import { type WantedSite, wantedSite } from "./wantedSite";

/** Maximum memory that concurrent transfers of files may use, in bytes. */
const HEAVIEST = 32 * 1024 * 1024;
/** Files up to this size are read as a whole, in bytes. */
const LARGEST_READ = 4 * 1024 * 1024;

/** The copy of an edition. */
export async function copyOf(place: OwnedPlace, edition: string, hasStartPage: boolean): Promise<Copy> {
  const sitePath = await place.objects.addressOf(place.key(""));
  return {
    sha256: edition,
    uri: place.itemUri(edition),
    address: `${sitePath}${hasStartPage ? "index.html" : ""}`,
    sitePath,
    parts: { record: place.key(recordPath(edition)) },
  };
}

/** A site that is published. */
interface NewSite {
  readonly edition: string;
  /** The copies that the resource has at the place. */
  readonly earlier: readonly Copy[];
  readonly buffer: SiteBuffer;
}

/** A record whose files get their revisions while they are sent. */
interface SentRecord extends NewRecord {
  readonly files: ReadonlyMap<string, SiteObject>;
  readonly derived: readonly string[];
}

/** What a publication found, and what it does. */
interface SitePlan {
  readonly inventory: SiteInventory;
  readonly wanted: WantedSite;
  readonly existing: ExistingContents;
  /** The record of the whole copy, without what is surplus. */
  readonly record: SentRecord;
  /** What is sent, in its order. */
  readonly missing: readonly (readonly SiteObject[])[];
  /** Objects that this copy had, and has no more: pages at a second address. */
  readonly surplus: NewRecord["files"];
  /** Paths that make room for those of the site, in a store in which a name is either a file or a folder. */
  readonly conflicting: readonly string[];
  /** Everything is there. */
  readonly isUnchanged: boolean;
}

/** A record that also has what is surplus. */
function withSurplus(record: SentRecord, surplus: NewRecord["files"]): NewRecord {
  if (surplus.size === 0) return record;
  return {
    ...record,
    files: new Map([...surplus, ...record.files]),
    derived: [...record.derived, ...surplus.keys()],
  };
}

/**
 * One publication of a site below a prefix. It writes the files in an order in which no page is visible before what it loads. Existing
 * content is not sent again; objects that no copy wrote are never overwritten. The files of earlier copies stay, for pages that are still
 * open.
 */
export class SitePublication {
  readonly #place: OwnedPlace;
  readonly #site: NewSite;

  constructor(place: OwnedPlace, site: NewSite) {
    this.#place = place;
    this.#site = site;
  }

  /** @throws DestinationError for a site that cannot be below the prefix; the signal's reason */
  async publish(placing?: Placing): Promise<Copy> {
    const files = await this.#site.buffer.files();
    checkNames(
      this.#place,
      files.map(({ path }) => path),
    );
    const hasStartPage = files.some(({ path }) => path === "index.html");
    const copy = await copyOf(this.#place, this.#site.edition, hasStartPage);
    placing?.(copy);
    const plan = await this.#plan(files);
    if (!plan.isUnchanged) {
      await this.#begin(plan);
      await this.#makeRoom(plan);
      await this.#send(plan);
      await this.#removeSurplus(plan);
      await this.#complete(plan);
    }
    await this.#removeAbandoned(plan.inventory);
    return copy;
  }

  async #plan(files: readonly BufferedFile[]): Promise<SitePlan> {
    const { edition, earlier, buffer } = this.#site;
    const inventory = await SiteInventory.take(
      this.#place,
      earlier.map(({ sha256 }) => sha256),
    );
    const takenPaths = (await this.#place.objects.hasKeysBesideFolders())
      ? undefined
      : [...inventory.objects.keys()];
    const wanted = await wantedSite(this.#place, files, buffer, takenPaths, inventory.records);
    const objects = wanted.stages.flat();
    const existing = await existingContents(inventory, objects, inventory.lost.length > 0);
    this.#warnOfLostRecords(this.#lostBy(inventory));
    const byPath = new Map(objects.values().map((object) => [object.path, object] as const));
    const before = inventory.recordOf(edition);
    const surplus = new Map(before?.files.entries().filter(([path]) => !byPath.has(path)));
    const missing = wanted.stages.map((stage) =>
      stage.filter(({ path }) => !inventory.objects.has(path) || existing.differing.has(path)),
    );
    return {
      inventory,
      wanted,
      existing,
      record: {
        sha256: edition,
        isWhole: false,
        files: byPath,
        derived: objects.filter(({ isDerived }) => isDerived).map(({ path }) => path),
        revalidated: wanted.revalidated.length > 0 ? wanted.revalidated : undefined,
      },
      missing,
      surplus,
      conflicting: takenPaths === undefined ? [] : conflictingPaths(takenPaths, objects),
      isUnchanged: before?.isWhole === true && surplus.size === 0 && missing.flat().length === 0,
    };
  }

  /** Writes the record before the first file: what is removed belongs to the copy until it is gone. */
  async #begin({ record, surplus, inventory, wanted, existing }: SitePlan): Promise<void> {
    const { uri, context } = this.#place;
    await putUnprotected(this.#place, withSurplus(record, surplus));
    if (existing.altered.length > 0) {
      context.reporter.warn(
        `below ${uri} there are objects that were changed since they were copied. They are written again: ${firstOf(existing.altered)}`,
      );
    }
    reportFalseHashes(uri, wanted.falseHashes, context.reporter);
    await clearSiteUploads(this.#place, [record, ...inventory.records]);
  }

  async #makeRoom({ inventory, conflicting, missing }: SitePlan): Promise<void> {
    const { own } = await inventory.writersOf(inventory.records, conflicting);
    await this.#place.remove(own);
    if (this.#place.objects.keepsTier !== true) return;
    const sent = missing.flat().map(({ path }) => path);
    await this.#place.remove(sent.filter((path) => inventory.objects.get(path)?.archiveTier !== undefined));
  }

  async #send({ inventory, missing }: SitePlan): Promise<void> {
    const { clock, reporter } = this.#place.context;
    const total = missing.flat().reduce((sum, { size }) => sum + size, 0);
    const startedAt = clock.monotonic();
    let done = 0;
    const report = (bytes: number): void => {
      reporter.progress(transferLine("uploading", bytes, total, clock.monotonic() - startedAt));
    };
    const send = async (object: SiteObject): Promise<void> => {
      await this.#sendFile(object, !inventory.objects.has(object.path), (bytes) => report(done + bytes));
      done += object.size;
      report(done);
    };
    for (const stage of missing) await inParallel(stage, CONCURRENCY, send, ({ size }) => size, HEAVIEST);
  }

  /** @param onProgress gets the number of bytes of a large file that arrived */
  async #sendFile(object: SiteObject, isNew: boolean, onProgress: (bytes: number) => void): Promise<void> {
    const { buffer } = this.#site;
    const { path, size, sha256, offset } = object;
    const isLarge = size > LARGEST_READ;
    const content = isLarge ? { path: buffer.path, offset } : await buffer.read(object);
    const isUnverified = Buffer.isBuffer(content) && this.#place.objects.verifiesContent !== true;
    if (isUnverified && hash("sha256", content) !== sha256) throw changedOnDisk(buffer.path);
    const isSent = await sendObject(this.#place, { ...object, key: this.#place.key(path) }, content, isNew, {
      onProgress: isLarge ? onProgress : undefined,
      onStored: (revision) => {
        object.revision = revision;
      },
    });
    if (!isSent) throw this.#changedMeanwhile(path);
  }

  /** Without the records of all earlier copies, nobody knows whether these need it: it stays the copy's. */
  async #removeSurplus({ inventory, surplus, record }: SitePlan): Promise<void> {
    if (surplus.size === 0 || this.#lostBy(inventory).length > 0) return;
    const others = inventory.records.filter(({ sha256 }) => sha256 !== record.sha256);
    const unshared = [...surplus.keys()].filter((path) => !others.some(({ files }) => files.has(path)));
    const { own } = await inventory.writersOf(inventory.records, unshared);
    await this.#place.removeOwn(own);
  }

  /** Writes the record after the last file. @throws DestinationError for a missing or changed object */
  async #complete(plan: SitePlan): Promise<void> {
    if (!this.#isKnown(plan)) {
      const sentMs = this.#place.context.clock.monotonic();
      const newest = await this.#confirm(plan);
      await newest.recordLater(this.#place, sentMs);
    }
    const left = this.#lostBy(plan.inventory).length > 0 ? plan.surplus : new Map();
    await putRecord(this.#place, { ...withSurplus(plan.record, left), isWhole: true });
  }

  /**
   * Completes the files of the record by the list of before, if nothing was sent since. Returns whether that is enough: a store may
   * confirm an object and lose it, which only a new list shows.
   */
  #isKnown({ inventory, missing, existing, record }: SitePlan): boolean {
    const isFirst = !inventory.records.some(({ isWhole }) => isWhole);
    if (isFirst || missing.some((stage) => stage.length > 0)) return false;
    for (const [path, file] of record.files) {
      const listed = inventory.objects.get(path);
      if (listed !== undefined && !existing.differing.has(path)) file.revision = listed.revision;
      if (file.revision === "") return false;
    }
    return true;
  }

  /**
   * Completes the files of the record by a new list. A record that the store has confirmed and lost is written again: what is there would
   * be nobody's without it. An object that was to get other content and still has its revision is looked at: it may be lost, too.
   *
   * @returns the newest files
   */
  async #confirm({ record, inventory, existing }: SitePlan): Promise<NewestFiles> {
    const { files, sha256 } = record;
    for (const file of files.values()) file.revision = "";
    const hadContent = (file: SiteObject, revision: string): boolean =>
      inventory.records.some((each) => {
        const before = each.files.get(file.path);
        return before?.revision === revision && before.sha256 === file.sha256;
      });
    const unsure: SiteObject[] = [];
    const found = { record: false };
    const newest = new NewestFiles();
    await listObjects(this.#place, (path, listed) => {
      const { size, revision } = listed;
      found.record ||= path === recordPath(sha256);
      const file = files.get(path);
      if (file?.size !== size) return;
      newest.add(listed);
      file.revision = revision;
      const isAsBefore = existing.differing.has(path) && inventory.objects.get(path)?.revision === revision;
      if (isAsBefore && !hadContent(file, revision)) unsure.push(file);
    });
    if (!found.record) await putRecord(this.#place, record);
    await inParallel(unsure, CONCURRENCY, async (file) => {
      if (!(await lookAt(this.#place, file)).isSame) file.revision = "";
    });
    for (const [path, { revision }] of files) if (revision === "") throw this.#changedMeanwhile(path);
    return newest;
  }

  /** Removes what other runs began more than an hour ago, and never completed. */
  async #removeAbandoned(inventory: SiteInventory): Promise<void> {
    const { edition, earlier } = this.#site;
    const nowMs = this.#place.context.clock.now();
    const isAbandoned = ({ isWhole, sha256, modifiedAtMs }: SiteInventory["records"][number]): boolean =>
      !isWhole && sha256 !== edition && nowMs - modifiedAtMs > ABANDONED_AFTER_MS;
    const leaving = inventory.records.filter(isAbandoned).map(({ sha256 }) => sha256);
    // a later run removes it, when the resource has no copy without a record
    if (leaving.length === 0 || this.#lostBy(inventory).length > 0) return;
    const kept = [edition, ...earlier.map(({ sha256 }) => sha256)].filter((each) => !leaving.includes(each));
    await removeRecords(this.#place, { leaving: [], kept, isLeftover: isAbandoned });
  }

  /** The other copies of the resource that have no record. */
  #lostBy({ lost }: SiteInventory): readonly string[] {
    return lost.filter((each) => each !== this.#site.edition);
  }

  #warnOfLostRecords(editions: readonly string[]): void {
    if (editions.length === 0) return;
    const uris = editions.map(this.#place.itemUri);
    this.#place.context.reporter.warn(
      `the records of ${firstOf(uris)} are gone: files that only these copies had stay below ${this.#place.uri}`,
    );
  }

  #changedMeanwhile(path: string): DestinationError {
    return new DestinationError(
      `${this.#place.uriOf(this.#place.key(path))} was written by somebody else at the same time, or the store has lost what was sent`,
      "Run `pulumi up` again. Two sites cannot be published below one prefix at the same time: give each its own.",
    );
  }
}
