import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeHomeFolder } from "../disk/homeFolder";
import { isIdentifier } from "../service/identifier";
import { salted, saltFor } from "./salt";

/** The resource that a job was started for. */
export interface RecordedResource {
  readonly baseUrl: string;
  readonly urn: string;
  readonly domain: string;
}

/**
 * Remembers started jobs outside of Pulumi's state, which a run that is killed cannot write any more: the service has no
 * way to list jobs, so that one whose id is forgotten is lost.
 */
export interface ResumeRecords {
  /**
   * The job that was started for this resource and is not in its state.
   *
   * @param intent what content was wanted, see `intentOf`
   */
  find(resource: RecordedResource, intent: string): string | undefined;
  /**
   * Remembers a job, before anything else happens.
   *
   * @returns why that could not be done, when it could not
   */
  save(resource: RecordedResource, intent: string, jobId: string): string | undefined;
  /**
   * The idempotency key of a start for this content whose reply never came.
   *
   * @param intent see {@link find}
   */
  findStart(resource: RecordedResource, intent: string): string | undefined;
  /** Remembers a start before it is sent. Best effort: without it, a service that knows the key is not told twice. */
  saveStart(resource: RecordedResource, intent: string, idempotencyKey: string): void;
  /** The service refused that start: the next one is another. */
  forgetStart(resource: RecordedResource, intent: string): void;
  /** The state is about to be handed to the engine: the records go once it is stored there. */
  handOver(resource: RecordedResource): void;
  /** The resource has another URN from now on: its records, too. Best effort. */
  rename(resource: RecordedResource, urn: string): void;
  /** The jobs are of no use any more: failed, gone, or the resource was deleted. */
  forget(resource: RecordedResource): void;
}

/** How long a record counts, in milliseconds: the export of another day would bring back old content as if it were new. */
export const RECORD_LIFE_MS = 24 * 3_600_000;

/**
 * Records as files that only their owner can read. They hold ids and digests, no key and no link. The name of each says what
 * it is about: `RESOURCE-SALT-INTENT.json`, or, from earlier releases, `RESOURCE-INTENT.json`.
 */
export class ResumeFolder implements ResumeRecords {
  readonly #folder: () => string;
  readonly #now: () => number;
  readonly #random: () => number;
  readonly #handedOver: RecordedResource[] = [];

  /**
   * @param now wall-clock time in milliseconds since 1970, to be compared with the files' own
   * @param random numbers in [0, 1)
   */
  constructor(folder: () => string, now: () => number, random: () => number) {
    this.#folder = folder;
    this.#now = now;
    this.#random = random;
  }

  find(resource: RecordedResource, intent: string): string | undefined {
    const jobId = this.#read(resource, intent)["jobId"];
    return isIdentifier(jobId) ? jobId : undefined;
  }

  save(resource: RecordedResource, intent: string, jobId: string): string | undefined {
    return this.#write(resource, intent, { jobId });
  }

  findStart(resource: RecordedResource, intent: string): string | undefined {
    const key = this.#read(resource, intent)["idempotencyKey"];
    return typeof key === "string" ? key : undefined;
  }

  saveStart(resource: RecordedResource, intent: string, idempotencyKey: string): void {
    this.#write(resource, intent, { idempotencyKey });
  }

  forgetStart(resource: RecordedResource, intent: string): void {
    const path = this.#find(resource, intent);
    if (path !== undefined) removeFile(path);
  }

  handOver(resource: RecordedResource): void {
    this.#handedOver.push(resource);
  }

  rename(resource: RecordedResource, urn: string): void {
    const [from, to] = [prefixOf(resource), prefixOf({ ...resource, urn })];
    for (const name of this.#names((each) => each.startsWith(from))) {
      const [path, renamed] = [
        join(this.#folder(), name),
        join(this.#folder(), to + name.slice(from.length)),
      ];
      try {
        const record = JSON.parse(readFileSync(path, "utf8")) as object;
        const { atime, mtime } = statSync(path);
        writeFileSync(renamed, JSON.stringify({ ...record, urn }), { mode: 0o600, flag: "wx", flush: true });
        utimesSync(renamed, atime, mtime); // it is no younger for that
        rmSync(path);
      } catch {
        // it stays where it was
      }
    }
  }

  forget(resource: RecordedResource): void {
    const prefix = prefixOf(resource);
    this.#removeWhere((name) => name.startsWith(prefix));
  }

  /** The engine has stored every state that was handed to it. */
  operationEnded(): void {
    for (const resource of this.#handedOver.splice(0)) this.forget(resource);
  }

  /** What is remembered; nothing when there is no record, or none that can be understood. */
  #read(resource: RecordedResource, intent: string): Readonly<Record<string, unknown>> {
    const path = this.#find(resource, intent);
    if (path === undefined) return {};
    try {
      if (this.#now() - statSync(path).mtimeMs > RECORD_LIFE_MS) return {};
      return (JSON.parse(readFileSync(path, "utf8")) ?? {}) as Record<string, unknown>;
    } catch {
      return {};
    }
  }

  /** @returns why it could not be written, when it could not */
  #write(resource: RecordedResource, intent: string, content: object): string | undefined {
    try {
      makeHomeFolder(this.#folder());
      this.#removeOld();
      // in place: a draft that is still to be renamed would not be found; and on the disk before the job is waited for
      const text = JSON.stringify({ urn: resource.urn, ...content });
      const path = this.#find(resource, intent) ?? this.#newPath(resource, intent);
      writeFileSync(path, text, { mode: 0o600, flush: true });
      return undefined;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code ?? "unknown error";
    }
  }

  #removeOld(): void {
    this.#removeWhere((name) => {
      const seen = statSync(join(this.#folder(), name), { throwIfNoEntry: false });
      return seen !== undefined && this.#now() - seen.mtimeMs > RECORD_LIFE_MS;
    });
  }

  #removeWhere(unwanted: (name: string) => boolean): void {
    for (const name of this.#names(unwanted)) removeFile(join(this.#folder(), name));
  }

  /** Names of files; none when there is no folder, or it cannot be read. */
  #names(wanted: (name: string) => boolean): string[] {
    try {
      return readdirSync(this.#folder()).filter(wanted);
    } catch {
      return [];
    }
  }

  /** The file about this content, the newest where two processes have written one each. */
  #find(resource: RecordedResource, intent: string): string | undefined {
    const prefix = prefixOf(resource);
    try {
      return readdirSync(this.#folder())
        .filter((name) => name.startsWith(prefix) && isAbout(name.slice(prefix.length), intent))
        .map((name) => join(this.#folder(), name))
        .map((path) => ({ path, atMs: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
        .sort((one, other) => other.atMs - one.atMs)[0]?.path;
    } catch {
      return undefined; // there is no folder, or it cannot be read
    }
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

/** @param name of the record, without what says which resource it is of */
function isAbout(name: string, intent: string): boolean {
  const [, salt, digest] = /^(?:([0-9a-f]{32})-)?([0-9a-f]{32})\.json$/.exec(name) ?? [];
  return digest === salted(intent, salt).slice(0, 32);
}

/** Best effort: a record too many is noticed when its job is asked for. */
function removeFile(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // it is no file, or its folder is none
  }
}

function prefixOf({ baseUrl, urn, domain }: RecordedResource): string {
  const digest = createHash("sha256").update(JSON.stringify([baseUrl, urn, domain]));
  return `${digest.digest("hex").slice(0, 32)}-`;
}
