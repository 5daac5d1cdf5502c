import { transferLine } from "../messages/transferLine";
import { InternalError } from "../messages/errors";
import type { Reporter } from "../messages/reporter";
import { ArchiveFile, type OnRead } from "./archiveFile";
import type { ArchiveEntry } from "./entry";
import type { ArchiveFormat } from "./format";
import { inspectedCharacters, InspectionBudget } from "./inspectionBudget";
import { BROKEN, refusal, shown } from "./refusal";
import type { Inspection, SiteFile, SiteLimits, SiteSink } from "./site";
import { isPage } from "./mediaTypes";
import { SiteLoads } from "./siteLoads";
import { SiteRootFinder } from "./siteRoot";
import { isMacMetadata, SiteTree } from "./siteTree";
import { readTarGz } from "./readTar";
import { Yielder, WORK_PER_ENTRY } from "./yielder";
import { boundUnpacked } from "./unpackedBound";
import { readZip } from "./readZip";

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

/**
 * Inspects a bundle: reads it once completely, and returns what would be published. It refuses an unfit bundle: a damaged
 * archive; names, kinds and sizes that no site has; a digest that does not match. It scans pages and style sheets for external
 * loads, see `MarkupLoads`.
 *
 * @throws BundleRefusedError; the signal's reason; the error of the file system
 */
export async function inspectBundle(
  bundle: BundleFile,
  limits: SiteLimits,
  { signal, reporter }: { readonly signal: AbortSignal; readonly reporter: Reporter },
): Promise<Inspection> {
  const characters = inspectedCharacters(limits.unpackedBytes);
  const loads = new SiteLoads(new InspectionBudget(characters, new Yielder(signal)));
  let [files, pages, unpackedBytes] = [0, 0, 0];
  const finder = new SiteRootFinder();
  const tree = new SiteTree(limits);
  const onRead: OnRead = (bytes, size) => reporter.progress(transferLine("inspecting", bytes, size, 0));
  for await (const { path, size, content } of filesOf(bundle, tree, signal, onRead)) {
    files++;
    unpackedBytes += size;
    if (isPage(path)) pages++;
    await finder.see(path, size, content);
    await loads.inspect(path, size, content);
  }
  const found = finder.find(tree);
  if (found === undefined) {
    throw refusal(
      "has no index.html, neither at the top nor in its only top-level folder",
      "Check that the domain has pages, and export the site again.",
    );
  }
  const { root, leftOut } = found;
  files -= leftOut.length;
  for (const path of leftOut) unpackedBytes -= finder.sizeOf(path);
  // servers send this page for missing pages
  if (tree.hasFile(inRoot(root, "404.html"))) pages--;
  const externalLoads = loads.external.map(({ page, address }) => ({
    page: shown(withoutRoot(root, page)),
    address,
  }));
  return {
    root,
    leftOut,
    files,
    pages,
    unpackedBytes,
    selfContained: externalLoads.length === 0,
    externalLoads,
    hasFile: (path) => tree.hasFile(inRoot(root, path)),
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
    let readBytes = 0;
    let failure: unknown;
    const watched = async function* (): AsyncGenerator<Uint8Array, void, undefined> {
      try {
        for await (const piece of content) {
          readBytes += piece.length;
          yield piece;
        }
      } catch (error) {
        failure = error;
        throw error;
      }
    };
    await sink.file({ path: withoutRoot(root, path), size }, watched()).catch((error: unknown) => {
      throw failure ?? error; // the bundle's error comes before the sink's
    });
    if (readBytes !== size) {
      throw new InternalError(`a destination did not read ${shown(path)} to its end`, "Please report it.");
    }
  }
}

/**
 * The files of a bundle, in its order. The only function that reads bundles, so that every caller applies the same rules.
 *
 * @param tree receives all names
 */
async function* filesOf(
  { path, format, sha256 }: BundleFile,
  tree: SiteTree,
  signal: AbortSignal,
  onRead?: OnRead,
): AsyncGenerator<SiteFile & Pick<ArchiveEntry, "content">, void, undefined> {
  signal.throwIfAborted();
  const file = await ArchiveFile.open(path, onRead);
  try {
    const turns = new Yielder(signal);
    let unpackedBytes = 0;
    const read = format === "zip" ? readZip : readTarGz;
    for await (const { name, kind, size, content } of read(file, tree.limits, signal)) {
      signal.throwIfAborted();
      await turns.take(WORK_PER_ENTRY + size / 8);
      unpackedBytes += size;
      boundUnpacked(unpackedBytes, Infinity, tree.limits);
      const inArchive = tree.add(name, kind);
      if (kind === "file" && !isMacMetadata(inArchive)) yield { path: inArchive, size, content };
    }
    if (file.digest() !== sha256) throw changed();
  } finally {
    await file.close();
  }
}

function changed(): Error {
  return refusal("does not have the expected digest: its file was changed meanwhile", BROKEN);
}

function inRoot(root: string, path: string): string {
  return root === "" ? path : `${root}/${path}`;
}

function withoutRoot(root: string, path: string): string {
  return root === "" ? path : path.slice(root.length + 1);
}
