import { isNotInspected } from "./inspectionBudget";
import { type ExternalLoad, MAX_EXTERNAL_LOADS } from "../archive/site";

interface Found {
  readonly page: string;
  pages: number;
  /** The last page that had it: a page counts once. */
  last: string;
}

/** Collects the external addresses of a site: each once, with its first page and the number of pages that have it. */
export class ExternalLoads {
  /** By host and address. More than can be reported are not kept. */
  readonly #hosts = new Map<string, Map<string, Found>>();

  add(page: string, address: string): void {
    const host = isNotInspected(address) ? address : new URL(address).host;
    const known = this.#hosts.get(host);
    if (known === undefined && this.#hosts.size >= MAX_EXTERNAL_LOADS) return;
    const addresses = known ?? new Map<string, Found>();
    this.#hosts.set(host, addresses);
    const found = addresses.get(address);
    if (found === undefined) {
      if (addresses.size < MAX_EXTERNAL_LOADS) addresses.set(address, { page, pages: 1, last: page });
    } else if (found.last !== page) {
      found.pages++;
      found.last = page;
    }
  }

  /** The first address of each host, then the second of each, and so on. */
  list(): ExternalLoad[] {
    const hosts = [...this.#hosts.values()].map((addresses) => [...addresses]);
    const rounds = Math.max(0, ...hosts.map(({ length }) => length));
    return Array.from({ length: rounds }, (_, round) => hosts.flatMap((each) => each.slice(round, round + 1)))
      .flat()
      .slice(0, MAX_EXTERNAL_LOADS)
      .map(([address, { page, pages }]) => ({ page, address, pages }));
  }
}
