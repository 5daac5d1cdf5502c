import { DestinationError } from "../../../runtime/messages/errors";
import { isEdition, type CopyLayout } from "../copyLayout";
import { RECORDS_FOLDER } from "./inputs";
import { reportArchived } from "./archivedFiles";
import { changedHeaders, sentHeaders, type SentFile } from "./changedHeaders";
import { SiteBuffer } from "./siteBuffer";
import { lacksCleanUrls, secondPaths } from "./siteObjects";
import { listSite } from "./siteInventory";
import { copyOf, publishSite } from "./sitePublication";
import { recordPath, type SiteRecord } from "./siteRecord";
import { removeRecords } from "./siteRemoval";
import { findRecord } from "./storedRecords";
import type { OwnedPlace } from "./bucketMarks";

/** Sites in a bucket: their files at their own paths, and a record of each copy. */
export const SITES_IN_BUCKET: CopyLayout<OwnedPlace> = {
  itemOf: ({ sha256 }) => sha256,
  isItem: isEdition,
  exists: async (place, edition) => (await findRecord(place, edition)) !== undefined,

  async begin(place, _bundle, edition) {
    // fails if the bucket cannot be used at all
    await place.objects.list(place.key(`${RECORDS_FOLDER}/`), () => undefined);
    const buffer = new SiteBuffer(await place.context.scratch());
    return {
      sink: buffer,
      publish: (at, placing) => publishSite(at, edition, buffer, placing).finally(() => buffer.close()),
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
    if (record === undefined) return "gone";
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

  /** Files that another copy also has stay, and with a warning those that others wrote since. */
  remove: (place, editions, _copies, isLast) =>
    place.ownership.release(
      editions,
      (edition) => SITES_IN_BUCKET.exists(place, edition),
      (gone) =>
        removeRecords(place, ({ sha256, isWhole }, { marks, others }) => {
          // incomplete copies of versions without marks: no run follows the last removal
          const isLeftover = isLast && !isWhole && !marks.has(sha256) && others.size === 0;
          return gone.includes(sha256) || isLeftover;
        }),
    ),
};

function digestsOf(files: SiteRecord["files"]): Map<string, string> {
  return new Map([...files].map(([path, { sha256 }]) => [path, sha256]));
}
