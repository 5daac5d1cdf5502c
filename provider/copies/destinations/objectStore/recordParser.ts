import { DestinationError } from "../../../runtime/messages/errors";
import type { BucketPlace } from "./bucketPlace";
import { FORMAT, type RecordedFile, type SiteRecord } from "./siteRecord";

/** What is before the files in a record. Quotes within names are escaped, so that neither this nor {@link BETWEEN} is part of a name. */
const BEFORE = '"files":[';
/** What is between two files. */
const BETWEEN = '],["';

/** Parses a record piece by piece: at once, that of a large site would need several times its own memory. */
export class RecordParser {
  readonly #place: Pick<BucketPlace, "uri" | "uriOf">;
  readonly #key: string;
  readonly #files = new Map<string, RecordedFile>();
  /** The record up to {@link BEFORE}, once it was seen. */
  #head: string | undefined;
  #rest = "";
  /** Length of the text in bytes. */
  bytes = 0;

  constructor(place: Pick<BucketPlace, "uri" | "uriOf">, key: string) {
    this.#place = place;
    this.#key = key;
  }

  /** Parses the next piece of the text. @throws DestinationError */
  add(text: string): void {
    this.bytes += Buffer.byteLength(text);
    this.#rest += text;
    if (this.#head === undefined) {
      const end = this.#rest.indexOf(BEFORE) + BEFORE.length;
      if (end < BEFORE.length) return;
      this.#head = this.#rest.slice(0, end);
      this.#rest = this.#rest.slice(end);
    }
    const last = this.#rest.lastIndexOf(BETWEEN);
    if (last < 0) return;
    this.#note(this.#parsed(`[${this.#rest.slice(0, last + 1)}]`));
    this.#rest = this.#rest.slice(last + 2);
  }

  /** Returns the record after its last piece. @throws DestinationError */
  end(): SiteRecord {
    const { format, sha256, isWhole, headersVersion, files, derived } = (this.#parsed(
      `${this.#head ?? ""}${this.#rest}`,
    ) ?? {}) as Record<string, unknown>;
    if (format !== FORMAT || !isText(sha256) || typeof isWhole !== "boolean") throw this.#refusal();
    this.#note(files);
    return {
      sha256,
      isWhole,
      headersVersion: Number(headersVersion),
      files: this.#files,
      ...(Array.isArray(derived) && { derived: (derived as unknown[]).filter(isText) }),
    };
  }

  #note(files: unknown): void {
    if (!Array.isArray(files)) throw this.#refusal();
    for (const entry of files as unknown[]) {
      const [path, sha256, revision] = Array.isArray(entry) ? (entry as unknown[]) : [];
      if (!isText(path) || !isText(sha256) || !isText(revision)) throw this.#refusal();
      this.#files.set(path, { sha256, revision });
    }
  }

  #parsed(text: string): unknown {
    try {
      return JSON.parse(text);
    } catch {
      throw this.#refusal();
    }
  }

  #refusal(): DestinationError {
    return new DestinationError(
      `${this.#place.uriOf(this.#key)} does not have the format of this version of pulumi-docs-hosting`,
      `It lists the files below ${this.#place.uri} that belong to copies. Update the package, or remove that object and these files by hand.`,
    );
  }
}

const isText = (value: unknown): value is string => typeof value === "string";
