import { InternalError } from "../../base/runtime/messages/errors";
import type { Reporter } from "../../base/runtime/messages/reporter";
import { transferLine } from "../../base/runtime/messages/transferLine";
import { ArchiveFile, type OnRead } from "../archives/archiveFile";
import type { ArchiveEntry } from "../archives/entry";
import { checkedPath } from "../archives/entryName";
import type { ArchiveFormat } from "../archives/format";
import { repeated } from "../archives/hardLinks";
import { readTarGz } from "../archives/readTar";
import { readZip } from "../archives/readZip";
import { BROKEN, bundleRefusal, entryRefusal, REFUSAL_REMEDIES, shown } from "../archives/refusal";
import type { SiteFile, SiteLimits, SiteSink } from "../archives/siteSink";
import { boundUnpacked } from "../archives/unpackedBound";
import { unpublished } from "../archives/unpublished";
import { WORK_PER_ENTRY, Yielder } from "../archives/yielder";
import { type IdleFiles, IdleFilesFinder } from "./idleFiles";
import { inspectedCharacters, InspectionBudget } from "./inspectionBudget";
import { isPage } from "./mediaTypes";
import { SecretFiles } from "./secretFiles";
import { type ExternalLoad, SiteLoads } from "./siteLoads";
import { noStartPage, SiteRootFinder } from "./siteRoot";
import { SiteTree } from "./siteTree";

/** A bundle in a local file. */
export interface BundleFile {
  readonly path: string;
  readonly format: ArchiveFormat;
  /** SHA-256 of the archive: hexadecimal digits. */
  readonly sha256: string;
}

/** A local bundle, and what is known of its content. It is inspected before it is published. */
export interface Bundle extends BundleFile {
  /** Of the archive, in bytes. */
  readonly size: number;
  /** Label of the content. */
  readonly version: string;
  /** The job that exported it, if known. */
  readonly jobId?: string | undefined;
  /** The site's domain, if known. */
  readonly domain?: string | undefined;
}

/** The result of inspecting a complete bundle that may be published. */
export interface Inspection {
  /**
   * The site's folder in the archive, if it is not at the top; otherwise empty. Paths of files do not include it.
   */
  readonly root: string;
  /** Files of the archive that are not published: they start the site on a reader's own computer, see `SiteRootFinder`. */
  readonly leftOut: readonly string[];
  /** Number of files that are published, as everything below. */
  readonly files: number;
  /** Number of HTML files, without the site's `404.html`: the service counts pages in the same way. */
  readonly pages: number;
  readonly unpackedBytes: number;
  /** No page, SVG file, style sheet or module loads anything external, and all were inspected. */
  readonly selfContained: boolean;
  /** External loads, each address once, at most 20: one of each host before a second one of the same host. */
  readonly externalLoads: readonly ExternalLoad[];
  /** Folders of version control in the archive. They are not published. */
  readonly versionControl: readonly string[];
  /** Published files that usually hold secrets. */
  readonly secretFiles: readonly string[];
  /** Published files that do nothing for readers here. */
  readonly idleFiles: IdleFiles;
  /** Published paths that programs on Windows cannot unpack. */
  readonly notOnWindows: readonly string[];
  /** Published names that a file system may refuse or confuse, by their folder, see `foreignNames`. */
  readonly doubtfulNames: ReadonlyMap<string, ReadonlySet<string>>;
  /** Whether the site has a file. @param path below the site's root */
  readonly hasFile: (path: string) => boolean;
  /** The same for a folder. */
  readonly hasFolder: (path: string) => boolean;
}

/**
 * Inspects a bundle: reads it once completely, and returns what would be published. It refuses an unfit bundle: a damaged
 * archive; names, kinds and sizes that no site has; a digest that does not match. It scans pages and style sheets for external
 * loads, see `MarkupLoads`.
 *
 * @throws BundleRefusedError; the signal's reason; the error of the file system
 */
export async function inspectBundle(
  bundle: BundleFile & Partial<Pick<Bundle, "jobId">>,
  limits: SiteLimits,
  { signal, reporter }: { readonly signal: AbortSignal; readonly reporter: Reporter },
): Promise<Inspection> {
  const characters = inspectedCharacters(limits.unpackedBytes);
  const loads = new SiteLoads(new InspectionBudget(characters, new Yielder(signal)));
  let [files, pages, unpackedBytes] = [0, 0, 0];
  const finder = new SiteRootFinder();
  const tree = new SiteTree(limits);
  const secrets = new SecretFiles();
  const idle = new IdleFilesFinder();
  const onRead: OnRead = (bytes, size) => reporter.progress(transferLine("inspecting", bytes, size, 0));
  for await (const { path, size, content } of filesOf(bundle, tree, signal, onRead)) {
    files++;
    unpackedBytes += size;
    if (isPage(path)) pages++;
    idle.see(path);
    await finder.see(path, size, content);
    await loads.inspect(path, size, content);
    await secrets.see(path, size, content);
  }
  const found = finder.find(tree);
  if (found === undefined) throw noStartPage(tree);
  const { root, leftOut } = found;
  files -= leftOut.length;
  for (const path of leftOut) unpackedBytes -= tree.sizeOf(path) ?? 0;
  // servers send this page for missing pages
  if (tree.hasFile(inRoot(root, "404.html"))) pages--;
  loads.followModules(root, (path) => tree.hasFile(path));
  const externalLoads = loads.external.map((load) => ({
    ...load,
    page: shown(withoutRoot(root, load.page)),
  }));
  const isLeftOut = new Set(leftOut);
  const isPublished = (path: string): boolean => path.startsWith(inRoot(root, "")) && !isLeftOut.has(path);
  const { notOnWindows, doubtful } = tree.foreignNames(isPublished);
  return {
    root,
    leftOut,
    files,
    pages,
    unpackedBytes,
    selfContained: externalLoads.length === 0,
    externalLoads,
    versionControl: tree.versionControl,
    secretFiles: secrets.found.filter(isPublished).map((path) => withoutRoot(root, path)),
    idleFiles: idle.found((path) => (isPublished(path) ? withoutRoot(root, path) : undefined)),
    notOnWindows: notOnWindows.map((path) => withoutRoot(root, path)),
    doubtfulNames: new Map([...doubtful].map(([folder, names]) => [withoutRoot(root, folder), names])),
    hasFile: (path) => tree.hasFile(inRoot(root, path)),
    hasFolder: (path) => tree.hasFolder(inRoot(root, path)),
  };
}

/** What {@link inspectBundle} found, and the signal that stops the reading. */
export interface Unpacking extends Pick<Inspection, "root" | "leftOut"> {
  readonly signal: AbortSignal;
}

/**
 * Reads a bundle a second time, by the same rules, and passes its files to a sink. What the sink received is valid only if this
 * succeeds: only at the end is it known that these are the inspected bytes.
 *
 * @throws BundleRefusedError; the signal's reason; the error of the file system or of the sink
 */
export async function unpackBundle(
  bundle: BundleFile,
  limits: SiteLimits,
  sink: SiteSink,
  { signal, root, leftOut }: Unpacking,
): Promise<void> {
  const isLeftOut = new Set(leftOut);
  for await (const { path, size, content } of filesOf(bundle, new SiteTree(limits), signal)) {
    if (isLeftOut.has(path)) continue;
    if (!path.startsWith(inRoot(root, ""))) throw changed();
    const reading: Reading = { bytes: 0 };
    const file = { path: withoutRoot(root, path), size };
    await sink.file(file, watched(content, reading)).catch((error: unknown) => {
      throw reading.failure ?? error; // the bundle's error comes before the sink's
    });
    if (reading.bytes !== size) {
      throw new InternalError(`a destination did not read ${shown(path)} to its end`, "Please report it.");
    }
  }
}

/** How much of a file a sink has read, and the error of the bundle meanwhile. */
interface Reading {
  bytes: number;
  failure?: unknown;
}

/**
 * A file's content while a sink reads it. One function for all files: one of each file's own would keep that file alive until the next
 * full garbage collection.
 */
async function* watched(
  content: AsyncIterable<Uint8Array>,
  reading: Reading,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    for await (const piece of content) {
      reading.bytes += piece.length;
      yield piece;
    }
  } catch (error) {
    throw (reading.failure = error);
  }
}

/**
 * The files of a bundle that its names allow to publish, in its order. A hard link is a copy of an earlier file: copies come last, from a
 * further reading of the bundle. The only function that reads bundles, so that every caller applies the same rules.
 *
 * @param tree receives all names
 */
async function* filesOf(
  bundle: BundleFile,
  tree: SiteTree,
  signal: AbortSignal,
  onRead?: OnRead,
): AsyncGenerator<SiteFile & Pick<ArchiveEntry, "content">, void, undefined> {
  let unpackedBytes = 0;
  /** For each link, the file with its content. */
  const contents = new Map<string, string>();
  /** For each file, the published links to it. */
  const copies = new Map<string, string[]>();
  for await (const entry of entriesOf(bundle, tree.limits, signal, onRead)) {
    const { name, kind, linkTo = "", content } = entry;
    const named = entry.linkTo?.replace(/^(?:\.\/)+/, "");
    const target = named && (contents.get(named) ?? named);
    const size = target === undefined ? entry.size : tree.sizeOf(target);
    if (size === undefined) {
      const problem = `is a hard link to «${shown(linkTo)}», which is no earlier file of the archive`;
      throw entryRefusal(name, problem, REFUSAL_REMEDIES.hardLink);
    }
    unpackedBytes += size;
    boundUnpacked(unpackedBytes, Infinity, tree.limits);
    const path = tree.add(name, kind, size);
    if (target !== undefined) contents.set(path, target);
    if (kind === "folder" || unpublished(path, kind)) continue;
    if (target === undefined) yield { path, size, content };
    else copies.set(target, [...(copies.get(target) ?? []), path]);
  }
  if (copies.size === 0) return;
  for await (const { name, kind, size, linkTo, content } of entriesOf(bundle, tree.limits, signal)) {
    const paths = linkTo === undefined ? copies.get(checkedPath(name, kind)) : undefined;
    if (paths) yield* repeated(paths, size, content);
  }
}

const READERS: Readonly<Record<ArchiveFormat, typeof readZip>> = { "tar.gz": readTarGz, zip: readZip };

/** All entries of a bundle, whose digest is verified at the end. */
async function* entriesOf(
  { path, format, sha256 }: BundleFile,
  limits: SiteLimits,
  signal: AbortSignal,
  onRead?: OnRead,
): AsyncGenerator<ArchiveEntry, void, undefined> {
  signal.throwIfAborted();
  const file = await ArchiveFile.open(path, onRead);
  try {
    const turns = new Yielder(signal);
    for await (const entry of READERS[format](file, limits, signal)) {
      signal.throwIfAborted();
      await turns.take(WORK_PER_ENTRY + entry.size / 8);
      yield entry;
    }
    if (file.digest() !== sha256) throw changed();
  } finally {
    await file.close();
  }
}

function changed(): Error {
  return bundleRefusal("does not have the expected digest: its file was changed meanwhile", BROKEN);
}

function inRoot(root: string, path: string): string {
  return root === "" ? path : `${root}/${path}`;
}

function withoutRoot(root: string, path: string): string {
  return root === "" ? path : path.slice(root.length + 1);
}
