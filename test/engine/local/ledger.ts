// The state while an operation changes it: the resources that it has processed, then the others. Saved after every change, so
// that a crash loses at most the step under way. A preview's ledger saves nothing.
import { isDeepStrictEqual } from "node:util";
import type { PendingOperation } from "../stack.ts";
import type { PropertyMap } from "./propertyValues.ts";
import { parseReference, referenceTo } from "./providerReference.ts";
import type { Snapshot, StateFile, StoredResource } from "./stateFile.ts";

export class Ledger {
  #file: StateFile | undefined;
  #done: StoredResource[] = [];
  #rest: StoredResource[];
  #isClosed = false;
  #providerConfig: PropertyMap | undefined;
  #urnsBefore: ReadonlySet<string>;
  #underWay: PendingOperation[] = [];
  /** The state does not show whether something was created: such a record stays until a user clears it. */
  readonly #pendingCreates: PendingOperation[];

  constructor(snapshot: Snapshot, file: StateFile | undefined) {
    this.#rest = snapshot.resources;
    this.#providerConfig = snapshot.providerConfig;
    this.#file = file;
    this.#pendingCreates = (snapshot.pendingOperations ?? []).filter(({ type }) => type === "creating");
    this.#urnsBefore = new Set(snapshot.resources.map((resource) => resource.urn));
  }

  existedBefore(urn: string): boolean {
    return this.#urnsBefore.has(urn);
  }

  get providerConfig(): PropertyMap | undefined {
    return this.#providerConfig;
  }

  configureProvider(config: PropertyMap): void {
    if (isDeepStrictEqual(config, this.#providerConfig)) return;
    this.#providerConfig = config;
    this.save();
  }

  all(): StoredResource[] {
    return [...this.#done, ...this.#rest];
  }

  /** Not yet processed. */
  rest(): StoredResource[] {
    return [...this.#rest];
  }

  /** The present resource of this URN from before the operation. */
  previous(urn: string): StoredResource | undefined {
    return this.#rest.find((resource) => resource.urn === urn && !resource.pendingDeletion);
  }

  current(urn: string): StoredResource | undefined {
    return this.#done.findLast((resource) => resource.urn === urn);
  }

  /** Recorded before the step begins, and removed when it has ended. @returns a function that removes it */
  begin(operation: PendingOperation): () => void {
    this.#underWay.push(operation);
    this.save();
    return () => {
      this.#underWay = this.#underWay.filter((other) => other !== operation);
      this.save();
    };
  }

  /** From now on nothing is kept: steps under way stay recorded as such. */
  close(): void {
    this.#file = undefined;
    this.#isClosed = true;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Marks `next` as processed. `old`, if given, is removed. */
  settle(next: StoredResource, old?: StoredResource): void {
    if (old) {
      this.#rest = this.#rest.filter((resource) => resource !== old);
      if (old.urn !== next.urn) this.#rename(old.urn, next.urn);
    }
    this.#done.push(next);
    if (!isDeepStrictEqual(old, next)) this.save();
  }

  /** What exists already is managed from now on; it is still processed if the program declares it. */
  adopt(resource: StoredResource): void {
    this.#rest.push(resource);
    this.save();
  }

  drop(resource: StoredResource): void {
    this.#done = this.#done.filter((other) => other !== resource);
    this.#rest = this.#rest.filter((other) => other !== resource);
    this.save();
  }

  /** A refresh read it as `fresh`; it keeps its position and is still to be processed. */
  refresh(resource: StoredResource, fresh: StoredResource): void {
    this.#rest = this.#rest.map((other) => (other === resource ? fresh : other));
    if (!isDeepStrictEqual(resource, fresh)) this.save();
  }

  /** Nothing depends on a removed resource any more, and such dependencies are not listed either (rebuildBaseState). */
  forgetDependenciesOn(urns: ReadonlySet<string>): void {
    const known = (urn: string) => !urns.has(urn);
    for (const resource of this.all()) {
      resource.dependencies = resource.dependencies.filter(known);
      if (resource.deletedWith && !known(resource.deletedWith)) delete resource.deletedWith;
      resource.propertyDependencies = Object.fromEntries(
        Object.entries(resource.propertyDependencies)
          .map(([key, list]) => [key, list.filter(known)] as const)
          .filter(([, list]) => list.length > 0),
      );
    }
    this.save();
  }

  save(): void {
    this.#file?.write({
      resources: this.all(),
      providerConfig: this.#providerConfig,
      pendingOperations: [...this.#pendingCreates, ...this.#underWay],
    });
  }

  /** A resource was found by an alias: unprocessed resources still refer to its old name. */
  #rename(from: string, to: string): void {
    const renamed = (urn: string) => (urn === from ? to : urn);
    for (const resource of this.#rest) {
      if (resource.parent) resource.parent = renamed(resource.parent);
      if (resource.provider) {
        const { urn, id } = parseReference(resource.provider);
        resource.provider = referenceTo({ urn: renamed(urn), id });
      }
      resource.dependencies = resource.dependencies.map(renamed);
      if (resource.deletedWith) resource.deletedWith = renamed(resource.deletedWith);
      for (const [key, list] of Object.entries(resource.propertyDependencies)) {
        resource.propertyDependencies[key] = list.map(renamed);
      }
    }
  }
}
