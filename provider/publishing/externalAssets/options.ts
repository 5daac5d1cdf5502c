import { compareTexts } from "../../base/runtime/values/textOrder";

/** Version of how addresses are replaced and files are named. Increase it with every change of what the same content becomes. */
export const FETCH_VERSION = "2";

/** The most that is fetched from other hosts for one copy. What exceeds a limit is not fetched: it stays an external load. */
export interface FetchLimits {
  /** Size of one asset in bytes, without compression. @default 32 MiB */
  assetBytes?: number;
  /** Size of all assets together, in bytes. @default 512 MiB */
  bytes?: number;
  /** Number of assets. @default 2000 */
  assets?: number;
  /** Time for all assets together, such as "90s" or "10m". @default 10m */
  time?: string;
  /** Number of redirects that are followed from one address. @default 5 */
  redirects?: number;
}

/** Options of what a copy fetches from other hosts. */
export interface FetchOptions {
  /**
   * Patterns of hosts, or of hosts with paths, that are fetched: `fonts.gstatic.com`, `cdn.jsdelivr.net/npm/**`. `*` matches a
   * part of a name, `**` any path. A frame is fetched only if a pattern names it.
   *
   * @default all hosts
   */
  include?: readonly string[];
  /** Patterns that are not fetched, even if `include` has them. @default [] */
  exclude?: readonly string[];
  /** The most that is fetched. */
  limits?: FetchLimits;
}

/** What is wanted from other hosts: `true` for everything, with all defaults. */
export type FetchExternal = true | FetchOptions;

const MIB = 2 ** 20;

export const DEFAULT_FETCH_LIMITS: Required<FetchLimits> = {
  assetBytes: 32 * MIB,
  bytes: 512 * MIB,
  assets: 2_000,
  time: "10m",
  redirects: 5,
};

/** The problem of a pattern in `include` or `exclude`. */
export function patternProblem(pattern: string): string | undefined {
  const bare = pattern.replace(/^https?:\/\//i, "");
  if (bare === "" || /\s/.test(bare)) {
    return "must be a host such as fonts.gstatic.com, or a host with a path";
  }
  if (/[?#]/.test(bare)) {
    return "must not contain a query or a fragment: patterns are compared with host and path";
  }
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(bare) || bare.startsWith("/")) {
    return "must begin with a host: fonts.gstatic.com/**";
  }
  return undefined;
}

/** A pattern of hosts and paths, compiled. */
export class AddressPattern {
  readonly #host: RegExp;
  readonly #path: RegExp | undefined;
  constructor(pattern: string) {
    const [, host = "", path] = /^([^/]*)(\/.*)?$/s.exec(pattern.replace(/^https?:\/\//i, "")) ?? [];
    // without a port, a pattern means every port
    const port = /:\d+$/.test(host) ? "" : String.raw`(?::\d+)?`;
    this.#host = new RegExp(`^${wildcards(host, ".*")}${port}$`, "is");
    const whole = path === undefined || path === "/" ? undefined : path.replace(/\/$/, "/**");
    this.#path = whole === undefined ? undefined : new RegExp(`^${wildcards(whole, "[^/]*")}$`, "s");
  }

  matchesHost({ host }: URL): boolean {
    return this.#host.test(host);
  }

  matches(url: URL): boolean {
    return this.matchesHost(url) && (this.#path?.test(url.pathname) ?? true);
  }
}

/** @param star what one `*` matches */
function wildcards(pattern: string, star: string): string {
  return pattern
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replace(/\*\*?/g, (wildcard) => (wildcard === "**" ? ".*" : star));
}

/** The same value for the same wish, whatever the order in which a program names the options. */
export function canonicalFetch(wanted: FetchExternal): unknown {
  if (wanted === true) return true;
  const { include, exclude = [], limits = {} } = wanted;
  const all = { ...DEFAULT_FETCH_LIMITS, ...limits };
  return [
    include === undefined ? null : include.toSorted(),
    exclude.toSorted(),
    Object.entries(all).toSorted(([one], [other]) => compareTexts(one, other)),
  ];
}
