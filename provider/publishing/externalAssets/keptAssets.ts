import { hash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { hasFields } from "../../base/runtime/values/fields";
import { parseJson } from "../../base/runtime/values/json";
import { ASSETS_FOLDER } from "./assetNames";
import type { FetchedAsset } from "./fetchedAsset";
import type { Digests } from "./integrity";

/** The record of what was fetched, in the copy itself: whoever has the copy has what its references gave. */
export const RECORD_PATH: string = `${ASSETS_FOLDER}/fetched.json`;

/** A fetched file in the record of a copy. */
export interface RecordedAsset extends FetchedAsset {
  /** SHA-256 of the whole address: a query may be a secret. */
  readonly id: string;
  /** The media type that the host gave it. */
  readonly type: string;
  /** Of what was fetched, as `integrity` has them. */
  readonly digests: Digests;
  /** SHA-256 of what is stored: addresses in it may be replaced. */
  readonly stored: string;
}

/** The record of a copy. It says nothing about the site: the same files give the same record. */
interface FetchRecord {
  /** See `FETCH_VERSION`. */
  readonly version: string;
  /** Identifies the options. */
  readonly options: string;
  readonly files: readonly RecordedAsset[];
}

/** The text of a record. */
export const recordText = (record: FetchRecord): string => `${JSON.stringify(record, null, 1)}\n`;

/** Reads the files of a copy that are wanted. */
export type ReadCopy = (wanted: {
  readonly isWanted: (path: string) => boolean;
  readonly take: (path: string, bytes: Buffer) => Promise<void>;
}) => Promise<void>;

/** What an earlier copy of the same site has of other hosts. */
export class KeptAssets {
  readonly #folder: string;
  readonly #files: ReadonlyMap<string, RecordedAsset>;

  private constructor(folder: string, files: ReadonlyMap<string, RecordedAsset>) {
    this.#folder = folder;
    this.#files = files;
  }

  /**
   * Reads them from the copy, and verifies each.
   *
   * @param folder for the files, on the local disk
   * @param expected the version and the options that the record must have: with others, the same references may give other files
   * @returns undefined if the copy has no such record, or lacks a file of it
   * @throws what `read` throws
   */
  static async read(
    read: ReadCopy,
    folder: string,
    expected: Pick<FetchRecord, "version" | "options">,
  ): Promise<KeptAssets | undefined> {
    let record: FetchRecord | undefined;
    await read({
      isWanted: (path) => path === RECORD_PATH,
      take: (_path, bytes) => {
        record = recordIn(bytes.toString());
        return Promise.resolve();
      },
    });
    if (record?.version !== expected.version || record.options !== expected.options) return undefined;
    const byPath = new Map(record.files.map((each) => [each.path, each]));
    const missing = new Set(byPath.keys());
    await read({
      isWanted: (path) => missing.has(path),
      take: async (path, bytes) => {
        if (hash("sha256", bytes) !== byPath.get(path)?.stored) return;
        await writeFile(fileOf(folder, path), bytes);
        missing.delete(path);
      },
    });
    return missing.size > 0
      ? undefined
      : new KeptAssets(folder, new Map(record.files.map((each) => [each.id, each])));
  }

  get all(): Iterable<RecordedAsset> {
    return this.#files.values();
  }

  /** @param id SHA-256 of the whole address */
  find(id: string): RecordedAsset | undefined {
    return this.#files.get(id);
  }

  bytes({ path }: RecordedAsset): Promise<Buffer> {
    return readFile(fileOf(this.#folder, path));
  }
}

const fileOf = (folder: string, path: string): string => join(folder, `kept-${hash("sha256", path)}`);

/** A record as this version writes it; undefined for anything else. */
function recordIn(text: string): FetchRecord | undefined {
  const value = parseJson(text);
  if (!hasFields(value)) return undefined;
  const { version, options, files } = value;
  const isText = (each: unknown): boolean => typeof each === "string";
  if (!isText(version) || !isText(options) || !Array.isArray(files)) return undefined;
  const isAsset = (each: unknown): boolean =>
    hasFields(each) &&
    [each["id"], each["address"], each["sha256"], each["path"], each["type"], each["stored"]].every(isText) &&
    typeof each["bytes"] === "number" &&
    hasFields(each["digests"]) &&
    String(each["path"]).startsWith(`${ASSETS_FOLDER}/`);
  return (files as unknown[]).every(isAsset) ? (value as unknown as FetchRecord) : undefined;
}
