import type { LoadKind } from "./loadKinds";
import { AddressPattern, type FetchExternal } from "./options";
import { isTracker } from "./trackers";

/** Decides by an address alone whether it is fetched. */
export class WantedAddresses {
  readonly #include: readonly AddressPattern[] | undefined;
  readonly #exclude: readonly AddressPattern[];

  constructor(wanted: FetchExternal) {
    const { include, exclude = [] } = wanted === true ? {} : wanted;
    const compiled = (patterns: readonly string[]): AddressPattern[] =>
      patterns.map((each) => new AddressPattern(each));
    this.#include = include && compiled(include);
    this.#exclude = compiled(exclude);
  }

  /** Why an address of this kind is not fetched; undefined if it is. */
  reasonAgainst(url: URL, kind: LoadKind): string | undefined {
    const isNamed = this.#include?.some((pattern) => pattern.matches(url));
    const refused = this.reasonAgainstTarget(url);
    if (refused !== undefined) return refused;
    if (isNamed === false) return "fetchExternal.include does not have it";
    if (kind === "document" && isNamed !== true) {
      return "a page of another host is fetched only if fetchExternal.include has it";
    }
    return undefined;
  }

  /** Why an address that another one redirects to is not fetched. */
  reasonAgainstTarget(url: URL): string | undefined {
    if (isTracker(url)) return "it counts readers";
    return this.#exclude.some((pattern) => pattern.matches(url)) ? "fetchExternal.exclude has it" : undefined;
  }

  /** Whether a hint to connect to a host early is left out: nothing that is wanted is loaded from there any more. */
  dropsConnection(url: URL): boolean {
    if (this.#exclude.some((pattern) => pattern.matches(url))) return false;
    return this.#include?.some((pattern) => pattern.matchesHost(url)) ?? true;
  }
}
