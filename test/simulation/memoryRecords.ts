import {
  RECORD_LIFE_MS,
  type RecordedResource,
  type RecordedStart,
  type ResumeFolder,
} from "../../provider/resource/resumeRecords.ts";

/** Resume records without a disk. Like the real ones they outlive a process, and are removed when the operation has ended. */
export class MemoryRecords implements Pick<ResumeFolder, keyof ResumeFolder> {
  readonly jobs = new Map<
    string,
    { jobId: string; savedAtMs: number; startedAtMs?: number | undefined; wasCompleted: boolean }
  >();
  /** Idempotency keys of starts without a reply. */
  readonly starts = new Map<string, string>();
  /** Starts whose reply has no usable id. */
  readonly unread = new Map<string, { startedAtMs: number | undefined }>();
  /** Writing fails. */
  diskIsFull = false;
  readonly #now: () => number;
  #handedOver: { readonly resource: RecordedResource; readonly intent: string | undefined }[] = [];

  /** @param now wall-clock time of the machine whose disk this would be: milliseconds since 1970 */
  constructor(now: () => number = () => 0) {
    this.#now = now;
  }

  find(resource: RecordedResource, intent: string): RecordedStart {
    const record = this.jobs.get(prefixOf(resource) + intent);
    const idempotencyKey = this.starts.get(prefixOf(resource) + intent);
    const unread = this.unread.get(prefixOf(resource) + intent);
    if (unread) {
      return { isUnread: true, ...(unread.startedAtMs !== undefined && { startedAtMs: unread.startedAtMs }) };
    }
    const isValid = record && this.#now() - record.savedAtMs <= RECORD_LIFE_MS;
    return {
      ...(isValid && { jobId: record.jobId }),
      ...(isValid && record.startedAtMs !== undefined && { startedAtMs: record.startedAtMs }),
      ...(isValid && record.wasCompleted && { wasCompleted: true }),
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    };
  }

  save(resource: RecordedResource, intent: string, start: RecordedStart): string | undefined {
    if (this.diskIsFull) return "ENOSPC";
    const { jobId, idempotencyKey, startedAtMs, isUnread, wasCompleted = false } = start;
    if (isUnread === true) this.unread.set(prefixOf(resource) + intent, { startedAtMs });
    else this.unread.delete(prefixOf(resource) + intent);
    this.starts.delete(prefixOf(resource) + intent);
    if (jobId === undefined) this.jobs.delete(prefixOf(resource) + intent);
    else {
      const record = { jobId, savedAtMs: this.#now(), startedAtMs, wasCompleted };
      this.jobs.set(prefixOf(resource) + intent, record);
    }
    if (idempotencyKey !== undefined) this.starts.set(prefixOf(resource) + intent, idempotencyKey);
    return undefined;
  }

  forgetStart(resource: RecordedResource, intent: string): void {
    this.starts.delete(prefixOf(resource) + intent);
  }

  handOver(resource: RecordedResource, intent?: string): void {
    this.#handedOver.push({ resource, intent });
  }

  rename(resource: RecordedResource, urn: string): void {
    const [from, to] = [prefixOf(resource), prefixOf({ ...resource, urn })];
    for (const records of [this.jobs, this.starts, this.unread] as Map<string, unknown>[]) {
      for (const [key, record] of [...records].filter(([key]) => key.startsWith(from))) {
        records.delete(key);
        records.set(to + key.slice(from.length), record);
      }
    }
  }

  forget(resource: RecordedResource): void {
    for (const records of [this.jobs, this.starts, this.unread]) {
      for (const key of records.keys()) if (key.startsWith(prefixOf(resource))) records.delete(key);
    }
  }

  forgetContent(resource: RecordedResource, intent: string): void {
    for (const records of [this.jobs, this.starts, this.unread]) records.delete(prefixOf(resource) + intent);
  }

  /** The engine has stored the result. */
  operationEnded(): void {
    for (const { resource, intent } of this.#handedOver.splice(0)) {
      if (intent === undefined) this.forget(resource);
      else this.forgetContent(resource, intent);
    }
  }

  /** The process died before it could clean up. */
  processKilled(): void {
    this.#handedOver = [];
  }
}

const prefixOf = ({ baseUrl, urn, domain }: RecordedResource): string => `${baseUrl} ${urn} ${domain} `;
