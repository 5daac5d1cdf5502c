/** A documentation site that the service hosts. */
export interface Site {
  /** Folder of Markdown that an export renders. It is read when an export runs. */
  source: string;
  /**
   * Only "enterprise" may export.
   * @default "enterprise"
   */
  plan?: string;
}

const EXPORTING_PLAN = "enterprise";

/** The hosted sites, by domain. */
export class Sites {
  readonly #initial: ReadonlyMap<string, Site>;
  #sites: Map<string, Site>;

  constructor(sites: Readonly<Record<string, string | Site>>) {
    this.#initial = new Map(
      Object.entries(sites).map(([domain, site]) => [domain.toLowerCase(), asSite(site)]),
    );
    this.#sites = new Map(this.#initial);
  }

  get(domain: string): Site | undefined {
    return this.#sites.get(domain.toLowerCase());
  }

  set(domain: string, site: string | Site): void {
    this.#sites.set(domain.toLowerCase(), asSite(site));
  }

  reset(): void {
    this.#sites = new Map(this.#initial);
  }
}

export function mayExport(site: Site): boolean {
  return (site.plan ?? EXPORTING_PLAN) === EXPORTING_PLAN;
}

function asSite(site: string | Site): Site {
  return typeof site === "string" ? { source: site } : site;
}
