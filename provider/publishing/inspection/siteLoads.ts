import { extname } from "node:path/posix";
import { promisify } from "node:util";
import { brotliDecompress, gunzip } from "node:zlib";
import { externalAddress, SITE_BASE } from "./externalAddress";
import { type InspectionBudget, isNotInspected, NotInspected } from "./inspectionBudget";
import { mediaTypeOf } from "./mediaTypes";
import { isAddress, SiteModules, staticImports } from "./siteModules";
import { markedEncoding, MAX_BYTES, textLoads } from "./textLoads";

/** Extensions of compressed files that servers send instead of the file without it, such as `gzip_static` of nginx. */
const UNPACKERS = new Map([
  [".gz", promisify(gunzip)],
  [".br", promisify(brotliDecompress)],
  [".zst", undefined],
]);

/** The extensions of compressed copies. */
export const COMPRESSED_ENDINGS: ReadonlySet<string> = new Set(UNPACKERS.keys());

/** How many external loads are reported. */
const MAX_EXTERNAL_LOADS = 20;

/** An external address that a page loads by itself. A link that a reader must follow does not count. */
export interface ExternalLoad {
  /** Path of the first page, style sheet or module that has it. */
  readonly page: string;
  /** The loaded address, without query and fragment; or, in parentheses, why the file was not inspected. */
  readonly address: string;
  /** Number of files that have it. Absent if an earlier version of this package made the copy. */
  readonly pages?: number;
  /** Why it was not fetched. Only with `fetchExternal`. */
  readonly reason?: string;
}

interface FoundLoad {
  readonly page: string;
  pages: number;
  /** The last page that had it: a page counts once. */
  last: string;
}

/** Collects the external loads of a site's pages, SVG files, style sheets and modules. */
export class SiteLoads {
  /** Each address once, by host. More than can be reported are not kept. */
  readonly #hosts = new Map<string, Map<string, FoundLoad>>();
  readonly #modules = new SiteModules();
  readonly #budget: InspectionBudget;

  constructor(budget: InspectionBudget) {
    this.#budget = budget;
  }

  /** What was found, see `Inspection`: the first address of each host, then the second of each, and so on. */
  get external(): ExternalLoad[] {
    return [...this.#hosts.values()]
      .flatMap((addresses) => [...addresses].map(([address, found], round) => ({ round, address, found })))
      .sort((one, other) => one.round - other.round)
      .slice(0, MAX_EXTERNAL_LOADS)
      .map(({ address, found: { page, pages } }) => ({ page, address, pages }));
  }

  /** Reads a file only if it may load something. A file that cannot be inspected is reported like a load. */
  async inspect(path: string, size: number, content: AsyncIterable<Uint8Array>): Promise<void> {
    const ending = extname(path).toLowerCase();
    const packing = UNPACKERS.has(ending) ? ending : "";
    const plainPath = path.slice(0, path.length - packing.length);
    const type = mediaTypeOf(plainPath);
    const kind = type?.inspectedAs;
    if (kind === undefined) return;
    try {
      if (size > MAX_BYTES) throw new NotInspected("too large");
      const whole = Buffer.concat(await Array.fromAsync(content));
      const bytes = await unpacked(whole, type?.encoding === "gzip" ? ".gz" : packing);
      // other character sets than those of a byte order mark encode addresses as UTF-8 does
      const text = new TextDecoder(markedEncoding(bytes)).decode(bytes);
      if (kind === "module") {
        await this.#budget.spend(text.length);
        this.#modules.addFile(plainPath, { imports: staticImports(text) });
      } else {
        const add = (address: string): void => this.#add(path, address);
        await textLoads({ kind, text, base: SITE_BASE }, this.#budget, add, this.#modules.sinkOf(path));
      }
    } catch (error) {
      if (!(error instanceof NotInspected)) throw error;
      // a script that is not a module imports nothing
      if (kind === "module") this.#modules.addFile(plainPath, { imports: [], problem: error.address });
      else this.#add(path, error.address);
    }
  }

  /**
   * Adds what the modules load that browsers load with the pages. Called after all files were inspected.
   *
   * @param root the site's folder in the archive
   * @param hasFile whether the archive has a file
   */
  followModules(root: string, hasFile: (path: string) => boolean): void {
    for (const [path, files] of this.#modules.follow(root, hasFile)) {
      const addresses = files.flatMap(({ imports }) => imports.filter(isAddress));
      const loads = addresses.map((address) => externalAddress(address, SITE_BASE));
      const problem = files.find((file) => file.problem !== undefined)?.problem;
      for (const load of [problem, ...loads]) if (load !== undefined) this.#add(path, load);
    }
  }

  #add(page: string, address: string): void {
    const host = isNotInspected(address) ? address : new URL(address).host;
    const known = this.#hosts.get(host);
    if (known === undefined && this.#hosts.size >= MAX_EXTERNAL_LOADS) return;
    const addresses = known ?? new Map<string, FoundLoad>();
    this.#hosts.set(host, addresses);
    const found = addresses.get(address);
    if (found === undefined) {
      if (addresses.size < MAX_EXTERNAL_LOADS) addresses.set(address, { page, pages: 1, last: page });
    } else if (found.last !== page) {
      found.pages++;
      found.last = page;
    }
  }
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
