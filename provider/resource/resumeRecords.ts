import { hash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { makeHomeFolder, removeFile } from "../files/homeFolder";
import { isIdentifier } from "../service/identifier";
import { salted, saltFor } from "./salt";

/** The resource that a job was started for. */
export interface RecordedResource {
  readonly baseUrl: string;
  readonly urn: string;
  readonly domain: string;
}

/** How long a record counts, in milliseconds: the export of another day would bring back old content as if it were new. */
export const RECORD_LIFE_MS = 24 * 3_600_000;

/**
 * Remembers started jobs outside of Pulumi's state, which a run that is killed cannot write any more: the service has no
 * way to list jobs, so that one whose id is forgotten is lost.
 *
 * Records are files that only their owner can read. They hold ids and digests, no key and no link. The name of each says what
 * it is about: `RESOURCE-SALT-INTENT.json`, or, from earlier releases, `RESOURCE-INTENT.json`.
 */
export class ResumeFolder {
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

  /**
   * The job that was started for this resource and is not in its state.
   *
   * @param intent what content was wanted, see `intentOf`
   */
  find(resource: RecordedResource, intent: string): string | undefined {
    const jobId = this.#read(resource, intent)["jobId"];
    return isIdentifier(jobId) ? jobId : undefined;
  }

  /**
   * Remembers a job, before anything else happens.
   *
   * @returns why that could not be done, when it could not
   */
  save(resource: RecordedResource, intent: string, jobId: string): string | undefined {
    return this.#write(resource, intent, { jobId });
  }

  /**
   * The idempotency key of a start for this content whose reply never came.
   *
   * @param intent see {@link find}
   */
  findStart(resource: RecordedResource, intent: string): string | undefined {
    const key = this.#read(resource, intent)["idempotencyKey"];
    return typeof key === "string" ? key : undefined;
  }

  /** Remembers a start before it is sent. Best effort: without it, a service that knows the key is not told twice. */
  saveStart(resource: RecordedResource, intent: string, idempotencyKey: string): void {
    this.#write(resource, intent, { idempotencyKey });
  }

  /** The service refused that start: the next one is another. */
  forgetStart(resource: RecordedResource, intent: string): void {
    const path = this.#find(resource, intent);
    if (path !== undefined) removeFile(path);
  }

  /** The state is about to be handed to the engine: the records go once it is stored there. */
  handOver(resource: RecordedResource): void {
    this.#handedOver.push(resource);
  }

  /** The resource has another URN from now on: its records, too. Best effort. */
  rename(resource: RecordedResource, urn: string): void {
    const [from, to] = [prefixOf(resource), prefixOf({ ...resource, urn })];
    for (const path of this.#paths((name) => name.startsWith(from))) {
      const renamed = join(this.#folder(), to + basename(path).slice(from.length));
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

  /** The jobs are of no use any more: failed, gone, or the resource was deleted. */
  forget(resource: RecordedResource): void {
    const prefix = prefixOf(resource);
    for (const path of this.#paths((name) => name.startsWith(prefix))) removeFile(path);
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
    for (const path of this.#paths(() => true)) {
      const { mtimeMs = Infinity } = statSync(path, { throwIfNoEntry: false }) ?? {};
      if (this.#now() - mtimeMs > RECORD_LIFE_MS) removeFile(path);
    }
  }

  /** Paths of files; none when there is no folder, or it cannot be read. */
  #paths(wanted: (name: string) => boolean): string[] {
    try {
      const names = readdirSync(this.#folder()).filter(wanted);
      return names.map((name) => join(this.#folder(), name));
    } catch {
      return [];
    }
  }

  /** The file about this content, the newest where two processes have written one each. */
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

/** @param name of the record, without what says which resource it is of */
function isAbout(name: string, intent: string): boolean {
  const [, salt, digest] = /^(?:([0-9a-f]{32})-)?([0-9a-f]{32})\.json$/.exec(name) ?? [];
  return digest === salted(intent, salt).slice(0, 32);
}

function prefixOf({ baseUrl, urn, domain }: RecordedResource): string {
  return `${hash("sha256", JSON.stringify([baseUrl, urn, domain])).slice(0, 32)}-`;
}
