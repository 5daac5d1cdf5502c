import { hash } from "node:crypto";
import { readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeHomeFolder, removeFile } from "../base/runtime/files/homeFolder";
import { isOfRunningProcess, ownName } from "../base/runtime/files/ownerProcess";

/** A resource that the program of an operation declares. */
interface Declarer {
  readonly urn: string;
  /** The provider's process, which lives as long as the operation. */
  readonly process: string;
}

/**
 * The places that the resources of the running program have, as far as they were checked: also those of another provider's process. They
 * are files in Pulumi's home folder, in one folder for each operation of an engine. Best effort: where they cannot be written, two
 * resources with one place are only refused when the second one writes.
 */
export class DeclaredPlaces {
  readonly #root: () => string;
  readonly #operation: () => string;
  readonly #process = ownName();
  /** What this process has declared for each URN: paths of files. */
  readonly #own = new Map<string, readonly string[]>();

  /** @param operation identifies the engine's operation: its address. Empty if it is not known: then only this process counts */
  constructor(root: () => string, operation: () => string) {
    this.#root = root;
    this.#operation = operation;
  }

  /**
   * Declares a resource and its places, in place of those that it had before in this operation.
   *
   * @returns the URN of another resource that has one of them
   */
  declare(urn: string, places: readonly string[]): string | undefined {
    try {
      const folder = this.#folder();
      makeHomeFolder(folder);
      const paths = [nameOf("urn", urn), ...places.map((place) => nameOf("place", place))].map((name) =>
        join(folder, name),
      );
      for (const path of this.#own.get(urn) ?? []) if (!paths.includes(path)) removeFile(path);
      this.#own.set(urn, paths);
      return paths.map((path) => this.#declareAt(path, urn)).find((other) => other !== undefined);
    } catch {
      return undefined;
    }
  }

  /** Whether the running program declares a resource. In doubt it does: where it is not known that `asking` was checked. */
  isDeclared(urn: string, asking: string | undefined): boolean {
    if (asking === undefined || this.#at(nameOf("urn", asking)) === undefined) return true;
    return this.#at(nameOf("urn", urn)) !== undefined;
  }

  /** The operation ended: what this process declared is not needed any more. */
  operationEnded(): void {
    for (const path of [...this.#own.values()].flat()) {
      if (readAt(path)?.process === this.#process) removeFile(path);
    }
    this.#own.clear();
    try {
      removeEnded(this.#root());
    } catch {
      // the folder was not made
    }
  }

  /** @returns the URN of another resource, whose declaration stays */
  #declareAt(path: string, urn: string): string | undefined {
    const text = JSON.stringify({ urn, process: this.#process } satisfies Declarer);
    try {
      writeFileSync(path, text, { flag: "wx", mode: 0o600 });
      return undefined;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const other = readAt(path);
    if (other !== undefined && other.urn !== urn && isOfRunningProcess(other.process)) return other.urn;
    removeFile(path);
    writeFileSync(path, text, { mode: 0o600 });
    return undefined;
  }

  #at(name: string): Declarer | undefined {
    const found = readAt(join(this.#folder(), name));
    return found !== undefined && isOfRunningProcess(found.process) ? found : undefined;
  }

  #folder(): string {
    return join(this.#root(), hash("sha256", this.#operation() || this.#process).slice(0, 32));
  }
}

const nameOf = (kind: "urn" | "place", text: string): string =>
  `${kind}-${hash("sha256", text).slice(0, 32)}.json`;

function readAt(path: string): Declarer | undefined {
  try {
    const { urn, process } = Object(JSON.parse(readFileSync(path, "utf8"))) as Record<string, unknown>;
    return typeof urn === "string" && typeof process === "string" ? { urn, process } : undefined;
  } catch {
    return undefined;
  }
}

/** Removes the folders of operations of which all processes have ended. */
function removeEnded(root: string): void {
  for (const operation of readdirSync(root)) {
    const folder = join(root, operation);
    for (const name of readdirSync(folder)) {
      const found = readAt(join(folder, name));
      if (found === undefined || !isOfRunningProcess(found.process)) removeFile(join(folder, name));
    }
    try {
      rmdirSync(folder);
    } catch {
      // an operation is running
    }
  }
}
