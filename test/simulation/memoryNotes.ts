import type {
  PublicationFolder,
  PublishingResource,
} from "../../provider/copies/publication/publicationRecords.ts";

/**
 * Publication records without a disk. Like the real ones they outlive a process, and are removed when the operation has ended.
 */
export class MemoryNotes implements Pick<PublicationFolder, keyof PublicationFolder> {
  readonly notes = new Map<string, string>();
  /** Writing fails. */
  diskIsFull = false;
  #handedOver: PublishingResource[] = [];

  find(resource: PublishingResource): unknown {
    return JSON.parse(this.notes.get(keyOf(resource)) ?? "null") ?? undefined;
  }

  save(resource: PublishingResource, note: object): string | undefined {
    if (this.diskIsFull) return "ENOSPC";
    this.notes.set(keyOf(resource), JSON.stringify(note));
    return undefined;
  }

  handOver(resource: PublishingResource): void {
    this.#handedOver.push(resource);
  }

  forget(resource: PublishingResource): void {
    this.notes.delete(keyOf(resource));
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

const keyOf = ({ urn, place }: PublishingResource): string => `${urn} ${place}`;
