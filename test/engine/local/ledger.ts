// The state while an operation changes it: what it has dealt with, followed by what it hasn't yet. Saved after
// every change, so that a crash loses at most the step under way. A preview's ledger saves nothing.
import { isDeepStrictEqual } from "node:util";
import type { PendingOperation } from "../stack.ts";
import type { PropertyMap } from "./propertyValues.ts";
import type { Snapshot, StateFile, StoredResource } from "./stateFile.ts";

export class Ledger {
  #file: StateFile | undefined;
  #done: StoredResource[] = [];
  #rest: StoredResource[];
  #isClosed = false;
  #providerConfig: PropertyMap | undefined;
  #urnsBefore: ReadonlySet<string>;
  #underWay: PendingOperation[] = [];
  /** Whether something was made nobody can tell from the state: such a record stays until a user clears it. */
  #pendingCreates: PendingOperation[];

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

  /** Not yet dealt with. */
  rest(): StoredResource[] {
    return [...this.#rest];
  }

  /** The living resource of this URN that was there before the operation. */
  previous(urn: string): StoredResource | undefined {
    return this.#rest.find((resource) => resource.urn === urn && !resource.pendingDeletion);
  }

  current(urn: string): StoredResource | undefined {
    return this.#done.findLast((resource) => resource.urn === urn);
  }

  /** Written down before the step begins, and struck out when it has ended. @returns what strikes it out */
  begin(operation: PendingOperation): () => void {
    this.#underWay.push(operation);
    this.save();
    return () => {
      this.#underWay = this.#underWay.filter((other) => other !== operation);
      this.save();
    };
  }

  clearPendingCreates(): void {
    this.#pendingCreates = [];
    this.save();
  }

  /** From now on nothing is kept: whatever is under way stays written down as that. */
  close(): void {
    this.#file = undefined;
    this.#isClosed = true;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** `next` is dealt with. `old`, if it was given, is no more. */
  settle(next: StoredResource, old?: StoredResource): void {
    if (old) {
      this.#rest = this.#rest.filter((resource) => resource !== old);
      if (old.urn !== next.urn) this.#rename(old.urn, next.urn);
    }
    this.#done.push(next);
    if (!isDeepStrictEqual(old, next)) this.save();
  }

  drop(resource: StoredResource): void {
    this.#done = this.#done.filter((other) => other !== resource);
    this.#rest = this.#rest.filter((other) => other !== resource);
    this.save();
  }

  /** A refresh found it as `fresh`; it stays where it is and is still to be dealt with. */
  refresh(resource: StoredResource, fresh: StoredResource): void {
    this.#rest = this.#rest.map((other) => (other === resource ? fresh : other));
    if (!isDeepStrictEqual(resource, fresh)) this.save();
  }

  /** Nobody depends on what is gone. What depends on nothing isn't listed any more either (rebuildBaseState). */
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

  /** A resource was found by an alias: those that aren't dealt with yet know it by its old name. */
  #rename(from: string, to: string): void {
    const renamed = (urn: string) => (urn === from ? to : urn);
    for (const resource of this.#rest) {
      if (resource.parent) resource.parent = renamed(resource.parent);
      resource.dependencies = resource.dependencies.map(renamed);
      if (resource.deletedWith) resource.deletedWith = renamed(resource.deletedWith);
      for (const [key, list] of Object.entries(resource.propertyDependencies)) {
        resource.propertyDependencies[key] = list.map(renamed);
      }
    }
  }
}
