import { hash } from "node:crypto";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeHomeFolder, removeFile } from "../files/homeFolder";

/** A resource, and the place that it publishes to. */
export interface PublishingResource {
  readonly urn: string;
  /** Another text for another place. */
  readonly place: string;
}

/**
 * Remembers outside of Pulumi's state what was published, until the state has it: a process that is killed between the two
 * would forget it. Notes are files that only their owner can read. They hold inputs, names and digests; no key and no link.
 */
export class PublicationFolder {
  readonly #folder: () => string;
  readonly #handedOver: PublishingResource[] = [];

  constructor(folder: () => string) {
    this.#folder = folder;
  }

  /** What a run noted that may have been killed; unchecked. `undefined`: nothing, or nothing that can be read. */
  find(resource: PublishingResource): unknown {
    try {
      return JSON.parse(readFileSync(this.#pathOf(resource), "utf8"));
    } catch {
      return undefined;
    }
  }

  /**
   * Notes what is published, in the place of an earlier note.
   *
   * @returns why that could not be done, when it could not
   */
  save(resource: PublishingResource, note: object): string | undefined {
    const path = this.#pathOf(resource);
    const draft = `${path}.new`;
    try {
      makeHomeFolder(this.#folder());
      // an earlier note stays whole until this one is on the disk
      writeFileSync(draft, JSON.stringify({ urn: resource.urn, ...note }), { mode: 0o600, flush: true });
      renameSync(draft, path);
      return undefined;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code ?? "unknown error";
    }
  }

  /** The state is about to be handed to the engine: the note goes once it is stored there. */
  handOver(resource: PublishingResource): void {
    this.#handedOver.push(resource);
  }

  /** All of it is removed, or in the state. */
  forget(resource: PublishingResource): void {
    const path = this.#pathOf(resource);
    for (const each of [path, `${path}.new`]) removeFile(each);
  }

  /** The engine has stored every state that was handed to it. */
  operationEnded(): void {
    for (const resource of this.#handedOver.splice(0)) this.forget(resource);
  }

  #pathOf({ urn, place }: PublishingResource): string {
    return join(this.#folder(), `${hash("sha256", JSON.stringify([urn, place])).slice(0, 32)}.json`);
  }
}
