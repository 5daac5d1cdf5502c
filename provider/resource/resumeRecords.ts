import { hash } from "node:crypto";
import {
  closeSync,
  fstatSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { basename, join } from "node:path";
import { makeHomeFolder, removeFile } from "../base/runtime/files/homeFolder";
import type { Clock } from "../base/runtime/time/clock";
import { isIdentifier } from "../service/identifier";

/** The resource that a job was started for. */
export interface RecordedResource {
  readonly baseUrl: string;
  readonly urn: string;
  readonly domain: string;
}

/** What is known of a start: its idempotency key until it is answered, then its job. */
export interface RecordedStart {
  readonly jobId?: string;
  readonly idempotencyKey?: string;
  /** Whether the service accepted the start without a usable id: no other one is sent. */
  readonly isUnread?: boolean;
  /** When the job was started, by the service's clock: milliseconds since 1970. Records of earlier releases have none. */
  readonly startedAtMs?: number;
  /** Whether the job was once completed: then it is gone if neither its status nor its bundle can be found. */
  readonly wasCompleted?: boolean;
}

interface RecordFile {
  readonly path: string;
  /** Milliseconds since 1970; 0 if it is gone. */
  readonly changedMs: number;
}

/** How long a record is valid, in milliseconds. A limit is needed because the job of an older record has old content. */
export const RECORD_LIFE_MS: number = 24 * 3_600_000;

/**
 * Records started jobs outside of Pulumi's state, because a killed run can no longer write the state. The service cannot list
 * jobs, so a job without a known id is lost.
 *
 * The records are files that only their owner can read. They contain ids and digests, but no key and no link. The file name
 * identifies the record: `RESOURCE-SALT-INTENT.json`, or, if no content was wanted, `RESOURCE-INTENT.json`.
 */
export class ResumeFolder {
  readonly #folder: () => string;
  readonly #clock: Pick<Clock, "now" | "random">;
  readonly #handedOver: { readonly resource: RecordedResource; readonly intent: string | undefined }[] = [];
  /** Whether this process has removed old records: once is enough, and each time reads them all. */
  #isTidy = false;

  constructor(folder: () => string, clock: Pick<Clock, "now" | "random">) {
    this.#folder = folder;
    this.#clock = clock;
  }

  /**
   * The start for this resource that is not in its state. Empty if there is no record, or it is unreadable.
   *
   * @param intent the wanted content, see `intentOf`
   */
  find(resource: RecordedResource, intent: string): RecordedStart {
    const found = this.#find(resource, intent);
    if (!found || this.#isOld(found)) return {};
    try {
      const record = JSON.parse(readFileSync(found.path, "utf8")) as unknown;
      const { jobId, idempotencyKey, startedAtMs, isUnread, wasCompleted } = Object(record) as Record<
        string,
        unknown
      >;
      return {
        ...(isIdentifier(jobId) && { jobId }),
        ...(typeof idempotencyKey === "string" && { idempotencyKey }),
        ...(typeof startedAtMs === "number" && { startedAtMs }),
        ...(isUnread === true && { isUnread }),
        ...(wasCompleted === true && { wasCompleted }),
      };
    } catch {
      return {};
    }
  }

  /**
   * Records a start before it is sent, and its job directly after it.
   *
   * @returns the error code on failure
   */
  save(resource: RecordedResource, intent: string, start: RecordedStart): string | undefined {
    try {
      makeHomeFolder(this.#folder());
      if (!this.#isTidy) for (const each of this.#files("")) if (this.#isOld(each)) removeFile(each.path);
      this.#isTidy = true;
      const text = JSON.stringify({ urn: resource.urn, ...start });
      const known = this.#find(resource, intent)?.path;
      if (known === undefined || !replaceText(known, text)) {
        const path = known ?? this.#newPath(resource, intent);
        writeFileSync(path, padded(text, 0), { mode: 0o600, flush: true });
      }
      return undefined;
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      return code ?? message;
    }
  }

  /** The service refused the start: the next start gets a new key. A job that was known before stays. */
  forgetStart(resource: RecordedResource, intent: string): void {
    const found = this.#find(resource, intent);
    if (!found) return;
    const { idempotencyKey, ...known } = this.find(resource, intent);
    if (known.jobId === undefined) removeFile(found.path);
    else if (idempotencyKey !== undefined) this.save(resource, intent, known);
  }

  /**
   * The state is about to be returned to the engine: the records are removed once the engine has stored the state.
   *
   * @param intent of an unfinished export: jobs with other content stay. @default all
   */
  handOver(resource: RecordedResource, intent?: string): void {
    this.#handedOver.push({ resource, intent });
  }

  /** Moves the records of a renamed resource to its new URN. Best effort. */
  rename(resource: RecordedResource, urn: string): void {
    const [from, to] = [prefixOf(resource), prefixOf({ ...resource, urn })];
    for (const { path } of this.#files(from)) {
      const renamed = join(this.#folder(), to + basename(path).slice(from.length));
      try {
        const record = JSON.parse(readFileSync(path, "utf8")) as object;
        const { atime, mtime } = statSync(path);
        writeFileSync(renamed, JSON.stringify({ ...record, urn }), { mode: 0o600, flag: "wx", flush: true });
        utimesSync(renamed, atime, mtime); // keeps the age of the record
        rmSync(path);
      } catch {
        // the record keeps its old name
      }
    }
  }

  /** The jobs are no longer needed: the state has a newer one, or the resource was deleted. */
  forget(resource: RecordedResource): void {
    for (const { path } of this.#files(prefixOf(resource))) removeFile(path);
  }

  /** The job with this content is no longer needed: it failed, or is missing. Those with other content stay. */
  forgetContent(resource: RecordedResource, intent: string): void {
    const prefix = prefixOf(resource);
    for (const { path } of this.#files(prefix)) {
      if (isAbout(basename(path).slice(prefix.length), intent)) removeFile(path);
    }
  }

  /** The engine has stored every returned state. */
  operationEnded(): void {
    for (const { resource, intent } of this.#handedOver.splice(0)) {
      if (intent === undefined) this.forget(resource);
      else this.forgetContent(resource, intent);
    }
  }

  /** Files whose names begin with a prefix; none if the folder is missing or unreadable. */
  #files(prefix: string): RecordFile[] {
    try {
      const names = readdirSync(this.#folder()).filter((name) => name.startsWith(prefix));
      return names.map((name) => {
        const path = join(this.#folder(), name);
        return { path, changedMs: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 };
      });
    } catch {
      return [];
    }
  }

  #isOld({ changedMs }: RecordFile): boolean {
    return this.#clock.now() - changedMs > RECORD_LIFE_MS;
  }

  /** The record of this content; the newest if two processes have written one each. */
  #find(resource: RecordedResource, intent: string): RecordFile | undefined {
    const prefix = prefixOf(resource);
    return this.#files(prefix)
      .filter(({ path }) => isAbout(basename(path).slice(prefix.length), intent))
      .sort((one, other) => other.changedMs - one.changedMs)[0];
  }

  #newPath(resource: RecordedResource, intent: string): string {
    const salt = saltFor(intent, this.#clock);
    const digest = salted(intent, salt).slice(0, 32);
    const name = salt === undefined ? digest : `${salt}-${digest}`;
    return join(this.#folder(), `${prefixOf(resource)}${name}.json`);
  }
}

/** Records have a multiple of this length, in bytes, so that one can replace another in its file. */
const BLOCK_BYTES = 4096;

/** The text with blanks at its end, which JSON ignores. @param length at least so many bytes */
function padded(text: string, length: number): Buffer {
  const bytes = Buffer.from(text);
  const blocks = Math.ceil(Math.max(bytes.length, length) / BLOCK_BYTES);
  return Buffer.concat([bytes, Buffer.alloc(blocks * BLOCK_BYTES - bytes.length, " ")]);
}

/**
 * Replaces the text of a record with one write, and flushes it to disk before the wait for the job. A process that is killed leaves the
 * text of before or this one: a file that is emptied first would have neither, and a draft would not be found before its rename.
 *
 * @returns whether the record is there
 */
function replaceText(path: string, text: string): boolean {
  let file: number;
  try {
    file = openSync(path, "r+");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
  try {
    writeSync(file, padded(text, fstatSync(file).size), undefined, undefined, 0);
    fsyncSync(file);
    return true;
  } finally {
    closeSync(file);
  }
}

/** @param name file name of the record, without the resource's prefix */
function isAbout(name: string, intent: string): boolean {
  const [, salt, digest] = /^(?:([0-9a-f]{32})-)?([0-9a-f]{32})\.json$/.exec(name) ?? [];
  return digest === salted(intent, salt).slice(0, 32);
}

function prefixOf({ baseUrl, urn, domain }: RecordedResource): string {
  return `${hash("sha256", JSON.stringify([baseUrl, urn, domain])).slice(0, 32)}-`;
}

/**
 * The stored form of an intent (see `intentOf`), which may be derived from secrets. Each stored intent has its own salt, which
 * prevents table lookups and hides that two intents are equal.
 */
export function salted(intent: string, salt: string | undefined): string {
  if (salt === undefined) return intent;
  return hash("sha256", JSON.stringify([salt, intent]));
}

/** The intent without any wanted content: no `version`, no `triggers`, no `jobId`, no `exportOptions`. */
const NOTHING_WANTED = hash("sha256", "[null,[],null]");

/**
 * The salt for a stored intent. An intent without any wanted content has nothing to hide and gets none.
 *
 * @returns 32 hexadecimal digits
 */
export function saltFor(intent: string, clock: Pick<Clock, "random">): string | undefined {
  if (intent === NOTHING_WANTED) return undefined;
  const digits = Array.from({ length: 4 }, () => Math.floor(clock.random() * 2 ** 32).toString(16));
  return digits.map((each) => each.padStart(8, "0")).join("");
}
