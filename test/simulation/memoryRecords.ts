import {
  RECORD_LIFE_MS,
  type RecordedResource,
  type ResumeFolder,
} from "../../provider/resource/resumeRecords.ts";

/** Resume records without a disk. Like the real ones they outlive a process, and are removed when the operation has ended. */
export class MemoryRecords implements Pick<ResumeFolder, keyof ResumeFolder> {
  readonly jobs = new Map<string, { jobId: string; savedAtMs: number }>();
  /** Idempotency keys of starts without a reply. */
  readonly starts = new Map<string, string>();
  /** Writing fails. */
  diskIsFull = false;
  readonly #now: () => number;
  #handedOver: RecordedResource[] = [];

  /** @param now wall-clock time of the machine whose disk this would be: milliseconds since 1970 */
  constructor(now: () => number = () => 0) {
    this.#now = now;
  }

  find(resource: RecordedResource, intent: string): string | undefined {
    const record = this.jobs.get(prefixOf(resource) + intent);
    return record && this.#now() - record.savedAtMs <= RECORD_LIFE_MS ? record.jobId : undefined;
  }

  save(resource: RecordedResource, intent: string, jobId: string): string | undefined {
    if (this.diskIsFull) return "ENOSPC";
    this.jobs.set(prefixOf(resource) + intent, { jobId, savedAtMs: this.#now() });
    this.starts.delete(prefixOf(resource) + intent);
    return undefined;
  }

  findStart(resource: RecordedResource, intent: string): string | undefined {
    return this.starts.get(prefixOf(resource) + intent);
  }

  saveStart(resource: RecordedResource, intent: string, idempotencyKey: string): void {
    if (!this.diskIsFull) this.starts.set(prefixOf(resource) + intent, idempotencyKey);
  }

  forgetStart(resource: RecordedResource, intent: string): void {
    this.starts.delete(prefixOf(resource) + intent);
  }

  handOver(resource: RecordedResource): void {
    this.#handedOver.push(resource);
  }

  rename(resource: RecordedResource, urn: string): void {
    const [from, to] = [prefixOf(resource), prefixOf({ ...resource, urn })];
    for (const records of [this.jobs, this.starts] as Map<string, unknown>[]) {
      for (const [key, record] of [...records].filter(([key]) => key.startsWith(from))) {
        records.delete(key);
        records.set(to + key.slice(from.length), record);
      }
    }
  }

  forget(resource: RecordedResource): void {
    for (const records of [this.jobs, this.starts]) {
      for (const key of records.keys()) if (key.startsWith(prefixOf(resource))) records.delete(key);
    }
  }

  /** The engine has stored the result. */
  operationEnded(): void {
    for (const resource of this.#handedOver.splice(0)) this.forget(resource);
  }

  /** The process died before it could clean up. */
  processKilled(): void {
    this.#handedOver = [];
  }
}

const prefixOf = ({ baseUrl, urn, domain }: RecordedResource): string => `${baseUrl} ${urn} ${domain} `;
