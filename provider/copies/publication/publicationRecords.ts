import { hash } from "node:crypto";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeHomeFolder, removeFile } from "../../base/runtime/files/homeFolder";

/** A resource, and the destination that it publishes to. */
export interface PublishingResource {
  readonly urn: string;
  /** Identifies the destination: different destinations have different texts. */
  readonly place: string;
}

/**
 * Records publications outside of Pulumi's state until the state has them: a process that is killed in between would lose them.
 * The records are files that only their owner can read. They contain inputs, names and digests, but no key and no link.
 */
export class PublicationFolder {
  readonly #folder: () => string;
  readonly #handedOver: PublishingResource[] = [];

  constructor(folder: () => string) {
    this.#folder = folder;
  }

  /** The unchecked record of an earlier run that may have been killed. `undefined` if there is none or it is unreadable. */
  find(resource: PublishingResource): unknown {
    try {
      return JSON.parse(readFileSync(this.#pathOf(resource), "utf8"));
    } catch {
      return undefined;
    }
  }

  /**
   * Records a publication, and replaces an earlier record.
   *
   * @returns the error code on failure
   */
  save(resource: PublishingResource, note: object): string | undefined {
    const path = this.#pathOf(resource);
    const draft = `${path}.new`;
    try {
      makeHomeFolder(this.#folder());
      // an earlier record stays intact until this one is on disk
      writeFileSync(draft, JSON.stringify({ urn: resource.urn, ...note }), { mode: 0o600, flush: true });
      renameSync(draft, path);
      return undefined;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code ?? "unknown error";
    }
  }

  /** The state is about to be returned to the engine: the record is removed once the engine has stored the state. */
  handOver(resource: PublishingResource): void {
    this.#handedOver.push(resource);
  }

  /** The publication is removed, or the state has it. */
  forget(resource: PublishingResource): void {
    const path = this.#pathOf(resource);
    for (const each of [path, `${path}.new`]) removeFile(each);
  }

  /** The engine has stored every returned state. */
  operationEnded(): void {
    for (const resource of this.#handedOver.splice(0)) this.forget(resource);
  }

  #pathOf({ urn, place }: PublishingResource): string {
    return join(this.#folder(), `${hash("sha256", JSON.stringify([urn, place])).slice(0, 32)}.json`);
  }
}
