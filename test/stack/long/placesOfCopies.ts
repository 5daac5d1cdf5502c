// The kinds of folders that copies and kits are published to: what a program says of each, and what is there. Other places:
// `histories/publications`.
import { createHash } from "node:crypto";
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

type Outputs = Readonly<Record<string, unknown>>;

/** A bundle, as it must be readable at a place. */
export interface Content {
  /** SHA-256 of the archive. */
  readonly sha256: string;
  /** A text on its first page. */
  readonly text: string;
}

/** What a resource says of its place. */
export interface Naming {
  /** Which of the three spellings of the place. @default 0 */
  readonly spelling?: number | undefined;
  /** The tag in a repository whose copies have one. @default "latest" */
  readonly tag?: string | undefined;
}

/** A kind of place. A row of the table has a place of its own, by its name. */
export interface PlaceKind {
  readonly name: string;
  readonly resource: "BundleCopy" | "AirGapKit";
  /** What one owner has at a time: the link `current`, the pages at a prefix. */
  readonly hasOnePointer?: boolean;
  /** Inputs besides the source. */
  inputs(place: string, naming: Naming): Record<string, unknown>;
  /** What keeps people from reading a copy as it was published. @param naming without it, only the copy itself counts */
  problem(place: string, outputs: Outputs, content: Content, naming?: Naming): string | undefined;
  /** Everything that is there. */
  left(place: string): string[];
  /** What changes with every write there. */
  writes(place: string): unknown;
  /**
   * Puts something of others into the item.
   *
   * @returns what of it must be there at the end, and which other names are there because of it
   */
  addForeign(place: string, outputs: Outputs): { foreign: string[]; isBecause: (name: string) => boolean };
  /** Takes the whole item away, with all names that people gave it. */
  remove(place: string, outputs: Outputs): void;
  /** Takes away a part of the item. Absent where a foreign name of the item would go, too. */
  lose?(place: string, outputs: Outputs): void;
  /** Takes away the marks of all owners, as versions without marks left the place. */
  forgetOwners(place: string): void;
}

const MARKS = ".docs-hosting";
const sha256Of = (path: string): string => createHash("sha256").update(readFileSync(path)).digest("hex");

/** Folders below the program's. */
export function folderKinds(programFolder: string): PlaceKind[] {
  const folder = (place: string): string => join(programFolder, "places", place);
  const all = (place: string): string[] =>
    existsSync(folder(place)) ? readdirSync(folder(place), { recursive: true, encoding: "utf8" }).sort() : [];
  const spelled = (place: string, { spelling = 0 }: Naming): string =>
    [`./places/${place}`, `./linked/${place}/`, `${folder(place)}/`][spelling] ?? "";
  const common = {
    left: all,
    writes: (place: string) =>
      all(place).map((path) => {
        const { mtimeMs, ino } = lstatSync(join(folder(place), path));
        return [path, mtimeMs, ino];
      }),
    forgetOwners: (place: string) => rmSync(join(folder(place), MARKS), { recursive: true }),
  };
  /** Writes files of others, and names them with their folders. */
  const put = (
    place: string,
    at: string,
    ...names: string[]
  ): { foreign: string[]; isBecause: (name: string) => boolean } => {
    const because = new Set<string>();
    const foreign = names.map((name) => {
      const path = join(at, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, "of others");
      for (let each = path; each !== folder(place); each = dirname(each))
        because.add(relative(folder(place), each));
      return relative(folder(place), path);
    });
    return { foreign, isBecause: (name) => because.has(name) };
  };
  const at = (path: unknown): string => join(programFolder, String(path));
  const resolved = (path: unknown): string => (String(path).startsWith("/") ? String(path) : at(path));

  const archive: PlaceKind = {
    ...common,
    name: "folder-archive",
    resource: "BundleCopy",
    inputs: (place, naming) => ({ destination: { folder: spelled(place, naming) } }),
    problem: (_place, { uri }, { sha256 }) => {
      if (!existsSync(resolved(uri))) return `there is no archive ${String(uri)}`;
      return sha256Of(resolved(uri)) === sha256 ? undefined : `${String(uri)} has other content`;
    },
    addForeign: (place) => put(place, folder(place), "README", "notes/today.txt"),
    remove: (_place, { uri }) => rmSync(resolved(uri)),
  };
  const site: PlaceKind = {
    ...common,
    name: "folder-site",
    resource: "BundleCopy",
    hasOnePointer: true,
    inputs: (place, naming) => ({ destination: { folder: spelled(place, naming), layout: "site" } }),
    problem: (place, { uri }, { text }, naming) => {
      const roots = [resolved(uri), ...(naming ? [join(folder(place), "current")] : [])];
      const unreadable = roots.find((root) => {
        const page = join(root, "index.html");
        return !existsSync(page) || !readFileSync(page, "utf8").includes(text);
      });
      return unreadable === undefined ? undefined : `${unreadable} does not have the page «${text}»`;
    },
    addForeign: (place, { uri }) => put(place, resolved(uri), "robots.txt", ".well-known/security.txt"),
    remove: (_place, { uri }) => rmSync(resolved(uri), { recursive: true }),
    lose: (_place, { uri }) => rmSync(join(resolved(uri), "index.html")),
  };
  const kit: PlaceKind = {
    ...common,
    name: "kit",
    resource: "AirGapKit",
    inputs: (place, naming) => ({ folder: spelled(place, naming), chart: "./chart" }),
    problem: (_place, { path, bundleSha256 }, { sha256 }) => {
      const sums = join(resolved(path), "SHA256SUMS");
      if (!existsSync(sums)) return `there is no kit ${String(path)}`;
      if (bundleSha256 !== sha256) return `${String(path)} is a kit of another bundle`;
      const damaged = readFileSync(sums, "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .find((line) => {
          const [, digest, name = ""] = /^([0-9a-f]{64}) [ *](.+)$/.exec(line) ?? [];
          return !existsSync(join(resolved(path), name)) || sha256Of(join(resolved(path), name)) !== digest;
        });
      return damaged === undefined ? undefined : `a file is missing or damaged: ${damaged}`;
    },
    addForeign: (place, { path }) => put(place, resolved(path), "transfer.log"),
    remove: (_place, { path }) => rmSync(resolved(path), { recursive: true }),
    lose: (_place, { path }) => rmSync(join(resolved(path), "values.yaml")),
  };
  return [archive, site, kit];
}
