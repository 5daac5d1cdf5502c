// The state of one stack: a JSON file in which every secret is encrypted, replaced as a whole at every change.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { PendingOperation, StackSettings } from "../stack.ts";
import type { HookBindings } from "./hooks.ts";
import {
  mapSecretsIn,
  type PropertyMap,
  type PropertyValue,
  secret,
  secretSignature,
  signature,
} from "./propertyValues.ts";
import { openSecretBox, type SecretBox, type SecretBoxHeader } from "./secretBox.ts";

export interface StoredResource {
  urn: string;
  type: string;
  custom: boolean;
  id?: string | undefined;
  inputs: PropertyMap;
  outputs: PropertyMap;
  parent?: string | undefined;
  /** A reference to the one that the program gave it; else it is the default one of its package. */
  provider?: string | undefined;
  /** What the program said that exists already. */
  importId?: string;
  /** In seconds. */
  customTimeouts?: CustomTimeouts | undefined;
  dependencies: string[];
  propertyDependencies: Record<string, string[]>;
  additionalSecretOutputs: string[];
  ignoreChanges: string[];
  replaceOnChanges: string[];
  /** Removed with that one, without its own deletion. */
  deletedWith?: string | undefined;
  /** Names only: an operation without the program has no such functions. */
  hooks?: HookBindings;
  initErrors: string[];
  protect: boolean;
  retainOnDelete: boolean;
  external: boolean;
  pendingDeletion: boolean;
  /** To be replaced, changed or not. */
  taint?: boolean;
}

export type CustomTimeouts = Partial<Record<"create" | "update" | "delete" | "read", number>>;

export interface Snapshot {
  /** In dependency order. */
  resources: StoredResource[];
  /** The last configuration of the provider: `refresh` and `destroy` run with it, as in the real engine. */
  providerConfig?: PropertyMap | undefined;
  pendingOperations?: PendingOperation[];
}

interface StateDocument extends Snapshot {
  format: 1;
  secrets: SecretBoxHeader;
}

export function statePath({
  project,
  stack,
  stateFolder,
}: Pick<StackSettings, "project" | "stack" | "stateFolder">): string {
  return join(stateFolder, `${project}.${stack}.json`);
}

export class StateFile {
  readonly path: string;
  #passphrase: string;
  #box: SecretBox;
  #snapshot: Snapshot;

  /** Reads the file, or creates an empty state if there is none. */
  constructor(path: string, passphrase: string) {
    this.path = path;
    this.#passphrase = passphrase;
    const document = existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as StateDocument) : undefined;
    this.#box = openSecretBox(passphrase, document?.secrets);
    this.#snapshot = document
      ? eachMap(document, (map) => mapSecretsIn(map, (stored) => this.#open(stored)))
      : { resources: [] };
  }

  /** Another stack in the same folder, with the same passphrase. */
  beside(name: string): StateFile | undefined {
    const path = join(dirname(this.path), name);
    return existsSync(path) ? new StateFile(path, this.#passphrase) : undefined;
  }

  read(): Snapshot {
    return structuredClone(this.#snapshot);
  }

  write(snapshot: Snapshot): void {
    this.#snapshot = structuredClone(snapshot);
    const sealed = eachMap(snapshot, (map) => mapSecretsIn(map, (marked) => this.#seal(marked)));
    const document: StateDocument = { format: 1, secrets: this.#box.header, ...sealed };
    mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
    writeFileSync(`${this.path}.new`, `${JSON.stringify(document, null, 2)}\n`, { mode: 0o600 });
    renameSync(`${this.path}.new`, this.path);
  }

  changePassphrase(passphrase: string): void {
    this.#passphrase = passphrase;
    this.#box = openSecretBox(passphrase);
    this.write(this.#snapshot);
  }

  #seal(marked: PropertyMap): PropertyValue {
    const ciphertext = this.#box.encrypt(JSON.stringify(marked["value"] ?? null));
    return { [signature]: secretSignature, ciphertext };
  }

  #open(stored: PropertyMap): PropertyValue {
    return secret(JSON.parse(this.#box.decrypt(stored["ciphertext"] as string)) as PropertyValue);
  }
}

const eachMap = (snapshot: Snapshot, change: (map: PropertyMap) => PropertyMap): Snapshot => ({
  resources: snapshot.resources.map((resource) => ({
    ...resource,
    inputs: change(resource.inputs),
    outputs: change(resource.outputs),
  })),
  providerConfig: snapshot.providerConfig && change(snapshot.providerConfig),
  pendingOperations: snapshot.pendingOperations ?? [],
});
