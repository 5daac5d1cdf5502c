import { DestinationError } from "../../../../base/runtime/messages/errors";
import { RECORDS_FOLDER } from "../../../ownership/placeMark";
import type { CopyLayout } from "../../copyLayout";
import type { OwnedPlace } from "../bucketMark";
import { reportArchived } from "./archivedFiles";
import { changedHeaders, type SentFile, sentHeaders } from "./changedHeaders";
import { SiteBuffer } from "./siteBuffer";
import { listSite, SiteInventory } from "./siteInventory";
import { lacksCleanUrls, secondPaths } from "./siteObjects";
import { copyOf, SitePublication } from "./sitePublication";
import { editionAt, isRecordPath, recordPath, type SiteRecord } from "./siteRecord";
import { removeRecords } from "./siteRemoval";
import { findRecord } from "./storedRecords";

/** Sites in a bucket: their files at their own paths, and a record of each copy. */
export const SITES_IN_BUCKET: CopyLayout<OwnedPlace> = {
  hasDrafts: false,
  itemOf: ({ sha256 }) => sha256,
  exists: async (place, edition) =>
    (await findRecord(place, edition)) !== undefined || (await hasFiles(place)),

  async recorded(place) {
    const editions: string[] = [];
    await place.objects.list(place.key(`${RECORDS_FOLDER}/`), ({ key }) => {
      const path = key.slice(place.key("").length);
      if (isRecordPath(path)) editions.push(editionAt(path));
    });
    return editions;
  },

  async begin(place, _bundle, edition, earlier) {
    // fails if the bucket cannot be used at all
    await place.objects.list(place.key(`${RECORDS_FOLDER}/`), () => undefined);
    const buffer = new SiteBuffer(await place.context.scratch());
    return {
      sink: buffer,
      publish: (at, placing) =>
        new SitePublication(at, { edition, earlier, buffer }).publish(placing).finally(() => buffer.close()),
    };
  },

  async find(place, edition) {
    const record = await findRecord(place, edition);
    if (record === undefined) {
      throw new DestinationError(
        `there is no record of this copy, ${place.uriOf(place.key(recordPath(edition)))}`,
        "Check the address, and `endpoint`; for S3 also `region`.",
      );
    }
    const { files, derived } = record;
    const copy = await copyOf(place, edition, files.has("index.html"));
    if ((await SITES_IN_BUCKET.compare(place, copy)) !== "same") {
      throw new DestinationError(
        `the objects below ${place.uri} are not those of this copy: it is incomplete, or another one replaced it`,
        "They are unchanged. Import the newest copy, or make a new one.",
      );
    }
    const isBare = derived !== undefined && lacksCleanUrls(files, derived);
    return { copy, edition, files: digestsOf(files), ...(isBare && { destination: { cleanUrls: false } }) };
  },

  /** Compares all of its files: none of them is replaced by another copy's file. */
  async compare(place, { sha256 }) {
    const record = await findRecord(place, sha256);
    // without its record, the files of the copy may be there
    if (record === undefined) return (await hasFiles(place)) ? "changed" : "gone";
    if (!record.isWhole) return "changed";
    const { objects, records } = await listSite(place);
    const isSame = [...record.files].every(
      ([path, { revision }]) => objects.get(path)?.revision === revision,
    );
    if (!isSame || reportArchived(place, objects, record.files.keys())) return "changed";
    const recordedAtMs = records.find(({ key }) => key === place.key(recordPath(sha256)))?.modifiedAtMs;
    const headersOfPath = sentHeaders(record);
    const files = [...record.files.keys()].flatMap((path): SentFile[] => {
      const headers = headersOfPath(path);
      return headers === undefined || recordedAtMs === undefined ? [] : [{ path, headers, recordedAtMs }];
    });
    const changed = await changedHeaders(place, sha256, objects, files);
    return changed.length === 0 ? "same" : "changed";
  },

  /** Reads the files from the record. */
  async read(place, { sha256 }) {
    const record = await findRecord(place, sha256);
    if (record === undefined) return undefined;
    const { files, derived = secondPaths(digestsOf(files)) } = record;
    // no second map: that of a large site has megabytes
    return {
      files: { get: (path) => files.get(path)?.sha256, keys: () => files.keys() },
      derived: new Set(derived),
    };
  },

  async readFiles(place, { sha256 }, { isWanted, take }) {
    const record = await findRecord(place, sha256);
    for (const path of [...(record?.files.keys() ?? [])].filter(isWanted)) {
      const bytes = await place.objects.read(place.key(path), async (content) =>
        Buffer.concat(await Array.fromAsync(content)),
      );
      if (bytes) await take(path, bytes);
    }
  },

  /** Files that another copy also has stay, and with a warning those that others wrote since. */
  remove: (place, editions, _copies, kept) =>
    removeRecords(place, {
      leaving: editions,
      kept,
      // incomplete copies of versions without marks: no run follows the last removal
      isLeftover: ({ isWhole }) => kept.length === 0 && !isWhole,
    }),
};

/** Whether there is anything below the prefix that may be a file of a site, and no record which says whose. */
async function hasFiles(place: OwnedPlace): Promise<boolean> {
  return (await SiteInventory.take(place, [])).unrecorded().length > 0;
}

function digestsOf(files: SiteRecord["files"]): Map<string, string> {
  return new Map([...files].map(([path, { sha256 }]) => [path, sha256]));
}
