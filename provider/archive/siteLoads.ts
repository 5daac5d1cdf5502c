import { extname } from "node:path/posix";
import { promisify } from "node:util";
import { brotliDecompress, gunzip } from "node:zlib";
import { SITE_BASE } from "./externalAddress";
import { type InspectionBudget, NotInspected } from "./inspectionBudget";
import { mediaTypeOf } from "./mediaTypes";
import { type ExternalLoad, MAX_EXTERNAL_LOADS } from "./site";
import { MAX_BYTES, textLoads } from "./textLoads";

/** Extensions of compressed files that servers send instead of the file without it, such as `gzip_static` of nginx. */
const UNPACKERS = new Map([
  [".gz", promisify(gunzip)],
  [".br", promisify(brotliDecompress)],
  [".zst", undefined],
]);

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
    const ending = extname(path).toLowerCase();
    const packing = UNPACKERS.has(ending) ? ending : "";
    const type = mediaTypeOf(path.slice(0, path.length - packing.length));
    const kind = type?.inspectedAs;
    const isFull = (): boolean => this.external.length >= MAX_EXTERNAL_LOADS;
    if (isFull() || kind === undefined) return;
    const add = (address: string): void => {
      const isKnown = this.external.some((other) => other.page === path && other.address === address);
      if (!isKnown && !isFull()) this.external.push({ page: path, address });
    };
    try {
      const bytes = await unpacked(await whole(size, content), type?.encoding === "gzip" ? ".gz" : packing);
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
