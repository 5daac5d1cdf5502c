/** Names of modules that texts import, and the prefixes of names that import maps translate: each name that fits a prefix is an address. */
export class ModuleNames {
  readonly #names = new Set<string>();
  readonly #prefixes = new Map<string, Map<string, URL>>();
  readonly #want: (url: URL) => void;

  /** @param want gets the address of each name that a prefix translates */
  constructor(want: (url: URL) => void) {
    this.#want = want;
  }

  add(name: string): void {
    if (this.#names.has(name)) return;
    this.#names.add(name);
    for (const [prefix, addresses] of this.#prefixes) {
      for (const url of addresses.values()) this.#find(name, prefix, url);
    }
  }

  addPrefix(prefix: string, url: URL): void {
    const addresses = this.#prefixes.get(prefix) ?? new Map<string, URL>();
    this.#prefixes.set(prefix, addresses);
    if (addresses.has(url.href)) return;
    addresses.set(url.href, url);
    for (const name of this.#names) this.#find(name, prefix, url);
  }

  /** The names that begin with a prefix, with their addresses. */
  *translated(prefix: string, url: URL): Iterable<readonly [name: string, url: URL]> {
    for (const name of this.#names) {
      const inner = innerAddress(name, prefix, url);
      if (inner) yield [name, inner];
    }
  }

  #find(name: string, prefix: string, url: URL): void {
    const inner = innerAddress(name, prefix, url);
    if (inner) this.#want(inner);
  }
}

function innerAddress(name: string, prefix: string, url: URL): URL | undefined {
  return name.startsWith(prefix) ? (URL.parse(name.slice(prefix.length), url.href) ?? undefined) : undefined;
}
