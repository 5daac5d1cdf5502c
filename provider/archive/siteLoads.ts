import { extname } from "node:path/posix";
import { promisify } from "node:util";
import { brotliDecompress, gunzip } from "node:zlib";
import { SITE_BASE } from "./externalAddress";
import type { TextKind } from "./embedded";
import { type InspectionBudget, NotInspected } from "./inspectionBudget";
import { type ExternalLoad, MAX_EXTERNAL_LOADS } from "./site";
import { MAX_BYTES, textLoads } from "./textLoads";

/** Extensions of what web servers send as pages, SVG files and styles. A file without an extension is sent as data. */
const KINDS: ReadonlyMap<string, TextKind> = new Map([
  [".html", "html"],
  [".htm", "html"],
  [".shtml", "html"],
  [".xhtml", "xml"],
  [".xht", "xml"],
  [".svg", "xml"],
  [".css", "css"],
  [".webmanifest", "manifest"],
]);

/** Extensions of compressed files that servers send instead of the file without it, such as `gzip_static` of nginx. */
const UNPACKERS = new Map([
  [".gz", promisify(gunzip)],
  [".br", promisify(brotliDecompress)],
  [".zst", undefined],
]);

/** Whether browsers show a file as a page. */
export function isPage(path: string): boolean {
  return /\.(?:s?html|htm|xht|xhtml)$/i.test(path);
}

/** Collects the external loads of a site's pages, SVG files and style sheets. */
export class SiteLoads {
  /** The first loads that were found, without duplicates. */
  readonly external: ExternalLoad[] = [];
  readonly #budget: InspectionBudget;

  constructor(budget: InspectionBudget) {
    this.#budget = budget;
  }

  /**
   * Reads a file only if it may load something and the result is not full. A file that cannot be inspected is reported like
   * a load.
   */
  async inspect(path: string, size: number, content: AsyncIterable<Uint8Array>): Promise<void> {
    const name = path.toLowerCase().replace(/\.svgz$/, ".svg.gz");
    const packing = UNPACKERS.has(extname(name)) ? extname(name) : "";
    const kind = KINDS.get(extname(name.slice(0, name.length - packing.length)));
    const isFull = (): boolean => this.external.length >= MAX_EXTERNAL_LOADS;
    if (isFull() || kind === undefined) return;
    const add = (address: string): void => {
      const isKnown = this.external.some((other) => other.page === path && other.address === address);
      if (!isKnown && !isFull()) this.external.push({ page: path, address });
    };
    try {
      const bytes = await unpacked(await whole(size, content), packing);
      const text = new TextDecoder(encodingOf(bytes)).decode(bytes);
      await textLoads({ kind, text, base: SITE_BASE }, this.#budget, add);
    } catch (error) {
      if (!(error instanceof NotInspected)) throw error;
      add(error.address);
    }
  }
}

async function whole(size: number, content: AsyncIterable<Uint8Array>): Promise<Buffer> {
  if (size > MAX_BYTES) throw new NotInspected("too large");
  const pieces: Uint8Array[] = [];
  for await (const piece of content) pieces.push(piece);
  return Buffer.concat(pieces);
}

async function unpacked(bytes: Buffer, packing: string): Promise<Buffer> {
  if (packing === "") return bytes;
  try {
    const unpack = UNPACKERS.get(packing);
    if (unpack) return await unpack(bytes, { maxOutputLength: MAX_BYTES });
  } catch {
    // not this compression, or too much content
  }
  throw new NotInspected("its compressed data is invalid, or has more than 16 MiB");
}

/** UTF-8, or the encoding of a byte order mark. Other character sets encode addresses in the same bytes. */
function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
}
