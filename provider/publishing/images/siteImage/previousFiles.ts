import { join } from "node:path";
import { compareTexts } from "../../../base/runtime/values/textOrder";
import { ArchiveFile } from "../../archives/archiveFile";
import { readTarGz } from "../../archives/readTar";
import type { SiteFile, SiteLimits } from "../../archives/siteSink";
import { isImmutable } from "../../inspection/immutableFiles";
import type { Blob } from "../registry/content";
import { type Layer, LayerTar } from "./layerTar";

/**
 * The folder in an image with the files of the version before: pages that readers have open still name them. It is beside the folder
 * of the site, so that nothing takes them for the site's own; the chart's `serve.sh` finds it there.
 */
export const PREVIOUS_ROOT = "usr/share/nginx/previous";

/** The maximum size of these files together, in bytes: the default of the chart's `fetch.maxPreviousBytes`. */
export const MAX_PREVIOUS_BYTES = 134_217_728;

/** The layer of a copy was made within the limits that the copy had. */
const LIMITS: SiteLimits = { unpackedBytes: Number.MAX_SAFE_INTEGER, files: 10_000_000 };

/** A layer with files of the version before, as a registry has it. */
export interface PreviousLayer extends Blob {
  /** Digest of its uncompressed bytes. */
  readonly diffId: string;
  /** Identifies the content of the version that the files are of: hexadecimal digits. */
  readonly of: string;
}

/** Where a copy's site is. */
interface SiteLayer {
  /** The layer as a local file. */
  readonly path: string;
  /** The folder of the site in it. */
  readonly root: string;
  /** Digest of the site's archive, or its edition. */
  readonly sha256: string;
}

/** Whether a file of the version before is named after its content, and the new version does not have it. No compressed copy is. */
export const isPrevious = (path: string, isInSite: (path: string) => boolean): boolean =>
  isImmutable(path) && !/\.(?:html?|gz)$/.test(path) && !isInSite(path);

/**
 * Writes the layer with the files of the version before that stay, by the rules of the chart's `fetch-bundle.sh`: the smallest first.
 * The same two sites give the same bytes.
 *
 * @param scratch a folder for the layer
 * @param isInSite whether the new version has a file
 * @returns no layer if nothing of it stays; `leftOut`: number of files that would be too large together
 * @throws BundleRefusedError when the earlier layer is damaged; the signal's reason
 */
export async function writePreviousLayer(
  scratch: string,
  before: SiteLayer,
  isInSite: (path: string) => boolean,
  maxBytes: number,
  signal: AbortSignal,
): Promise<{ layer: Layer | undefined; paths: ReadonlySet<string>; bytes: number; leftOut: number }> {
  const wanted: SiteFile[] = [];
  for await (const { path, size } of filesIn(before, signal)) {
    if (isPrevious(path, isInSite)) wanted.push({ path, size });
  }
  wanted.sort((one, other) => one.size - other.size || compareTexts(one.path, other.path));
  const paths = new Set<string>();
  let bytes = 0;
  for (const { path, size } of wanted) {
    if (bytes + size > maxBytes) break;
    bytes += size;
    paths.add(path);
  }
  const kept = { paths, bytes, leftOut: wanted.length - paths.size };
  if (paths.size === 0) return { ...kept, layer: undefined };
  const tar = new LayerTar(join(scratch, "previous.tar.gz"), before.sha256);
  for await (const { path, size, content } of filesIn(before, signal)) {
    if (!paths.has(path)) continue;
    const full = `${PREVIOUS_ROOT}/${path}`;
    await tar.parents(full);
    await tar.file({ path: full, size }, content);
  }
  return { ...kept, layer: await tar.end() };
}

/** The files of the site in a layer, by their paths below its root. Content that is not read is skipped. */
export async function* filesIn(
  { path, root }: Pick<SiteLayer, "path" | "root">,
  signal: AbortSignal,
): AsyncGenerator<SiteFile & { readonly content: AsyncIterable<Uint8Array> }, void, undefined> {
  const layer = await ArchiveFile.open(path);
  try {
    for await (const { name, kind, size, content } of readTarGz(layer, LIMITS, signal)) {
      const isWhiteout = /(?:^|\/)\.wh\.[^/]*$/.test(name);
      if (kind !== "file" || isWhiteout || !name.startsWith(`${root}/`)) continue;
      yield { path: name.slice(root.length + 1), size, content };
    }
  } finally {
    await layer.close();
  }
}
