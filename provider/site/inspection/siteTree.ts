import { basename } from "node:path/posix";
import { checkedPath, foreignNames, type ForeignNames } from "../archive/entryName";
import { entryRefusal, raise, refusal, REMEDIES } from "../archive/refusal";
import type { SiteLimits } from "../archive/site";
import { unpublished } from "../archive/unpublished";

interface Found {
  readonly kind: "file" | "folder";
  /** Size of a file in bytes. */
  readonly size: number;
}

/** The names of a site. It checks each name alone, and that none occurs twice. */
export class SiteTree {
  readonly limits: SiteLimits;
  readonly #found = new Map<string, Found>();
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
      this.#put(path.slice(0, slash), { kind: "folder", size: 0 }, name);
    }
    this.#put(path, { kind, size }, name);
    const reason = unpublished(path, kind);
    if (reason?.what === "version control") this.#versionControl.add(reason.folder);
    return path;
  }

  /** Whether exactly this file was added. */
  hasFile(path: string): boolean {
    return this.#found.get(path)?.kind === "file";
  }

  /** Size of a file that was added, in bytes; `undefined` if there is none. */
  sizeOf(path: string): number | undefined {
    const found = this.#found.get(path);
    return found?.kind === "file" ? found.size : undefined;
  }

  /** The published files and folders directly in a folder. @param folder its path; empty for the archive's root */
  childrenOf(folder: string): { files: string[]; folders: string[] } {
    const prefix = folder === "" ? "" : `${folder}/`;
    const children = this.#published().filter(
      ({ path }) => path.startsWith(prefix) && !path.includes("/", prefix.length),
    );
    const paths = (wanted: Found["kind"]): string[] =>
      children.filter(({ kind }) => kind === wanted).map(({ path }) => path);
    return { files: paths("file"), folders: paths("folder") };
  }

  /** The files with this name in any letters, the least deep first. */
  filesNamed(name: string): string[] {
    const depth = (path: string): number => path.split("/").length;
    return this.#published()
      .filter(({ path, kind }) => kind === "file" && basename(path).toLowerCase() === name)
      .map(({ path }) => path)
      .sort((one, other) => depth(one) - depth(other));
  }

  /**
   * The names that only some file systems hold.
   *
   * @param isPublished whether a file or folder is published
   */
  foreignNames(isPublished: (path: string) => boolean): ForeignNames {
    return foreignNames(this.#published().filter(({ path }) => isPublished(path)));
  }

  /** All but what its name excludes. */
  #published(): { path: string; kind: Found["kind"] }[] {
    return [...this.#found]
      .map(([path, { kind }]) => ({ path, kind }))
      .filter(({ path, kind }) => unpublished(path, kind) === undefined);
  }

  #put(path: string, found: Found, name: string): void {
    const known = this.#found.get(path);
    if (known === undefined) {
      this.#found.set(path, found);
      if (this.#found.size > this.limits.files) throw this.#tooMany();
    } else if (known.kind === "file" || found.kind === "file") {
      const problem = known.kind === found.kind ? "occurs twice" : "is both a file and a folder";
      throw entryRefusal(name, problem, REMEDIES.twice);
    }
  }

  #tooMany(): Error {
    return refusal(`contains more than ${this.limits.files} files and folders`, raise("files"));
  }
}
