import { hash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { makeHomeFolder, removeFile } from "../runtime/files/homeFolder";
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
}

/** How long a record is valid, in milliseconds. A limit is needed because the job of an older record has old content. */
export const RECORD_LIFE_MS = 24 * 3_600_000;

/**
 * Records started jobs outside of Pulumi's state, because a killed run can no longer write the state. The service cannot list
 * jobs, so a job without a known id is lost.
 *
 * The records are files that only their owner can read. They contain ids and digests, but no key and no link. The file name
 * identifies the record: `RESOURCE-SALT-INTENT.json`, or, if no content was wanted, `RESOURCE-INTENT.json`.
 */
export class ResumeFolder {
  readonly #folder: () => string;
  readonly #now: () => number;
  readonly #random: () => number;
  readonly #handedOver: RecordedResource[] = [];
  /** Whether this process has removed old records: once is enough, and each time reads them all. */
  #isTidy = false;

  /**
   * @param now wall-clock time in milliseconds since 1970, compared with the files' times
   * @param random numbers in [0, 1)
   */
  constructor(folder: () => string, now: () => number, random: () => number) {
    this.#folder = folder;
    this.#now = now;
    this.#random = random;
  }

  /**
   * The start for this resource that is not in its state. Empty if there is no record, or it is unreadable.
   *
   * @param intent the wanted content, see `intentOf`
   */
  find(resource: RecordedResource, intent: string): RecordedStart {
    const path = this.#find(resource, intent);
    if (path === undefined) return {};
    try {
      if (this.#now() - statSync(path).mtimeMs > RECORD_LIFE_MS) return {};
      const { jobId, idempotencyKey } = Object(JSON.parse(readFileSync(path, "utf8"))) as Record<
        string,
        unknown
      >;
      return {
        ...(isIdentifier(jobId) && { jobId }),
        ...(typeof idempotencyKey === "string" && { idempotencyKey }),
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
      this.#removeOld();
      // written in place, because a draft before its rename would not be found; flushed to disk before the wait for the job
      const text = JSON.stringify({ urn: resource.urn, ...start });
      const path = this.#find(resource, intent) ?? this.#newPath(resource, intent);
      writeFileSync(path, text, { mode: 0o600, flush: true });
      return undefined;
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      return code ?? message;
    }
  }

  /** The service refused the start: the next start gets a new key. */
  forgetStart(resource: RecordedResource, intent: string): void {
    const path = this.#find(resource, intent);
    if (path !== undefined) removeFile(path);
  }

  /** The state is about to be returned to the engine: the records are removed once the engine has stored the state. */
  handOver(resource: RecordedResource): void {
    this.#handedOver.push(resource);
  }

  /** Moves the records of a renamed resource to its new URN. Best effort. */
  rename(resource: RecordedResource, urn: string): void {
    const [from, to] = [prefixOf(resource), prefixOf({ ...resource, urn })];
    for (const path of this.#paths((name) => name.startsWith(from))) {
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

  /** The jobs are no longer needed: failed, missing, or the resource was deleted. */
  forget(resource: RecordedResource): void {
    const prefix = prefixOf(resource);
    for (const path of this.#paths((name) => name.startsWith(prefix))) removeFile(path);
  }

  /** The engine has stored every returned state. */
  operationEnded(): void {
    for (const resource of this.#handedOver.splice(0)) this.forget(resource);
  }

  #removeOld(): void {
    if (this.#isTidy) return;
    this.#isTidy = true;
    for (const path of this.#paths(() => true)) {
      const { mtimeMs = Infinity } = statSync(path, { throwIfNoEntry: false }) ?? {};
      if (this.#now() - mtimeMs > RECORD_LIFE_MS) removeFile(path);
    }
  }

  /** Paths of files; none if the folder is missing or unreadable. */
  #paths(wanted: (name: string) => boolean): string[] {
    try {
      const names = readdirSync(this.#folder()).filter(wanted);
      return names.map((name) => join(this.#folder(), name));
    } catch {
      return [];
    }
  }

  /** The record of this content; the newest if two processes have written one each. */
  #find(resource: RecordedResource, intent: string): string | undefined {
    const prefix = prefixOf(resource);
    return this.#paths((name) => name.startsWith(prefix) && isAbout(name.slice(prefix.length), intent))
      .map((path) => ({ path, atMs: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
      .sort((one, other) => other.atMs - one.atMs)[0]?.path;
  }

  #newPath(resource: RecordedResource, intent: string): string {
    const salt = saltFor(intent, this.#random);
    const digest = salted(intent, salt).slice(0, 32);
    return join(
      this.#folder(),
      `${prefixOf(resource)}${salt === undefined ? digest : `${salt}-${digest}`}.json`,
    );
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
 * @param random numbers in [0, 1)
 * @returns 32 hexadecimal digits
 */
export function saltFor(intent: string, random: () => number): string | undefined {
  if (intent === NOTHING_WANTED) return undefined;
  const digits = Array.from({ length: 4 }, () => Math.floor(random() * 2 ** 32).toString(16));
  return digits.map((each) => each.padStart(8, "0")).join("");
}
