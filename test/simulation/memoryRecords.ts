import type { RecordedResource, ResumeRecords } from "../../provider/resumeRecords.ts";

/** Resume records without a disk. Like the real ones they outlive a process, and go when the operation has ended. */
export class MemoryRecords implements ResumeRecords {
  readonly jobs = new Map<string, string>();
  #handedOver: RecordedResource[] = [];

  find(resource: RecordedResource, intent: string): string | undefined {
    return this.jobs.get(prefixOf(resource) + intent);
  }

  save(resource: RecordedResource, intent: string, jobId: string): undefined {
    this.jobs.set(prefixOf(resource) + intent, jobId);
  }

  handOver(resource: RecordedResource): void {
    this.#handedOver.push(resource);
  }

  forget(resource: RecordedResource): void {
    for (const key of this.jobs.keys()) if (key.startsWith(prefixOf(resource))) this.jobs.delete(key);
  }

  /** The engine has stored what it was given. */
  operationEnded(): void {
    for (const resource of this.#handedOver.splice(0)) this.forget(resource);
  }

  /** The process died before it could tidy up. */
  processKilled(): void {
    this.#handedOver = [];
  }
}

const prefixOf = ({ baseUrl, urn, domain }: RecordedResource): string => `${baseUrl} ${urn} ${domain} `;
