import { basename } from "node:path/posix";
import { checkedPath, type ForeignNames, foreignNames } from "../archives/entryName";
import { bundleRefusal, entryRefusal, raise, REFUSAL_REMEDIES } from "../archives/refusal";
import type { SiteLimits } from "../archives/siteSink";
import { unpublished } from "../archives/unpublished";

/** Instead of the size of a file. */
const FOLDER = -1;

/** The names of a site. It checks each name alone, and that none occurs twice. */
export class SiteTree {
  readonly limits: SiteLimits;
  /** The size of each file in bytes, or {@link FOLDER}: there may be a million of them. */
  readonly #found = new Map<string, number>();
  /** Folders of version control. */
  readonly #versionControl = new Set<string>();
  #entries = 0;

  constructor(limits: SiteLimits) {
    this.limits = limits;
  }

  /** Folders of version control in the archive: they are not published. */
  get versionControl(): string[] {
    return [...this.#versionControl];
  }

  /**
   * Checks and adds an entry.
   *
   * @param kind of the entry
   * @param size of a file
   * @returns the path without `./` at the start and `/` at the end; empty for the archive's own root
   * @throws BundleRefusedError
   */
  add(name: string, kind: "file" | "folder", size = 0): string {
    // the root may be an entry, too; duplicates count twice
    if (++this.#entries > this.limits.files + 1) throw this.#tooMany();
    const path = checkedPath(name, kind);
    if (path === "") return path;
    for (let slash = path.indexOf("/"); slash >= 0; slash = path.indexOf("/", slash + 1)) {
      this.#put(path.slice(0, slash), FOLDER, name);
    }
    this.#put(path, kind === "folder" ? FOLDER : size, name);
    const reason = unpublished(path, kind);
    if (reason?.what === "version control") this.#versionControl.add(reason.folder);
    return path;
  }

  /** Whether exactly this file was added. */
  hasFile(path: string): boolean {
    return this.sizeOf(path) !== undefined;
  }

  /** Whether this folder was added, by itself or with a file in it. */
  hasFolder(path: string): boolean {
    return this.#found.get(path) === FOLDER;
  }

  /** Size of a file that was added, in bytes; `undefined` if there is none. */
  sizeOf(path: string): number | undefined {
    const size = this.#found.get(path);
    return size === FOLDER ? undefined : size;
  }

  /** The published files and folders directly in a folder. @param folder its path; empty for the archive's root */
  childrenOf(folder: string): { files: string[]; folders: string[] } {
    const prefix = folder === "" ? "" : `${folder}/`;
    const [files, folders]: [string[], string[]] = [[], []];
    for (const { path, kind } of this.#published()) {
      if (!path.startsWith(prefix) || path.includes("/", prefix.length)) continue;
      (kind === "file" ? files : folders).push(path);
    }
    return { files, folders };
  }

  /** The files with this name in any letters, the least deep first. */
  filesNamed(name: string): string[] {
    return this.#filesLike((path) => basename(path).toLowerCase() === name);
  }

  /** The files whose name ends so, the least deep first. */
  filesWithEnding(ending: RegExp): string[] {
    return this.#filesLike((path) => ending.test(path));
  }

  #filesLike(isWanted: (path: string) => boolean): string[] {
    const depth = (path: string): number => path.split("/").length;
    return this.#published()
      .filter(({ path, kind }) => kind === "file" && isWanted(path))
      .map(({ path }) => path)
      .toArray()
      .sort((one, other) => depth(one) - depth(other));
  }

  /**
   * The names that only some file systems hold.
   *
   * @param isPublished whether a file or folder is published
   */
  foreignNames(isPublished: (path: string) => boolean): ForeignNames {
    return foreignNames(() => this.#published(isPublished));
  }

  /** All but what its name excludes. */
  *#published(
    isWanted: (path: string) => boolean = () => true,
  ): Generator<{ path: string; kind: "file" | "folder" }> {
    for (const [path, size] of this.#found) {
      const kind = size === FOLDER ? "folder" : "file";
      if (unpublished(path, kind) === undefined && isWanted(path)) yield { path, kind };
    }
  }

  #put(path: string, size: number, name: string): void {
    const known = this.#found.get(path);
    if (known === undefined) {
      this.#found.set(path, size);
      if (this.#found.size > this.limits.files) throw this.#tooMany();
    } else if (known !== FOLDER || size !== FOLDER) {
      const problem = known !== FOLDER && size !== FOLDER ? "occurs twice" : "is both a file and a folder";
      throw entryRefusal(name, problem, REFUSAL_REMEDIES.twice);
    }
  }

  #tooMany(): Error {
    return bundleRefusal(`contains more than ${this.limits.files} files and folders`, raise("files"));
  }
}
