/** Files of a site that do nothing for its readers here. They are published like others. */
export interface IdleFiles {
  /** Instructions for another host: no web server here follows them. */
  readonly ofHosts: readonly string[];
  /** Folders with data of the generator. */
  readonly ofGenerators: readonly string[];
}

/** Files that tell another host what to do, where that looks for them: in the site's folder. */
const OF_HOSTS =
  /^(?:_redirects|_headers|_routes\.json|vercel\.json|now\.json|netlify\.toml|firebase\.json|staticwebapp\.config\.json|web\.config|\.htaccess)$/;

/** Folders in which a generator or an editor keeps its own data. */
const OF_GENERATORS = /^(?:.*\/)?(?:\.doctrees|\.ipynb_checkpoints|\.sphinx-cache|\.jupyter_cache)(?=\/)/;

/** How many of each kind are named. */
const MAX_FOUND = 100;

/** Finds {@link IdleFiles} by their names. */
export class IdleFilesFinder {
  readonly #ofHosts = new Set<string>();
  readonly #ofGenerators = new Set<string>();

  see(path: string): void {
    const [folder] = OF_GENERATORS.exec(path) ?? [];
    if (folder !== undefined && this.#ofGenerators.size < MAX_FOUND) this.#ofGenerators.add(folder);
    const name = path.slice(path.lastIndexOf("/") + 1);
    if (OF_HOSTS.test(name) && this.#ofHosts.size < MAX_FOUND) this.#ofHosts.add(path);
  }

  /** @param below the path of a published file or folder below the site's folder; `undefined` for others */
  found(below: (path: string) => string | undefined): IdleFiles {
    const published = (paths: Iterable<string>): string[] =>
      [...paths].map(below).filter((path) => path !== undefined);
    return {
      ofHosts: published(this.#ofHosts).filter((path) => !path.includes("/")),
      ofGenerators: published(this.#ofGenerators),
    };
  }
}
