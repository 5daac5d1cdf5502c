import type { SiteFile, SiteSink } from "../archives/siteSink";
import { Yielder } from "../archives/yielder";
import { SITE_BASE } from "../inspection/externalAddress";
import { mediaTypeOf } from "../inspection/mediaTypes";
import { SiteModules } from "../inspection/siteModules";
import { MAX_BYTES } from "../inspection/textLoads";
import { specifiersIn } from "./moduleReferences";
import type { AssetReference, Replacing, TextBase } from "./references";
import { siteText } from "./siteText";
import { replaceInText } from "./textReferences";

/** Reads the texts of a site for references, and notes them. */
export class FoundTexts implements SiteSink {
  /** Scripts that pages load as modules. Complete after {@link followModules}. */
  readonly modules: Set<string> = new Set();
  /** Files that have references. */
  readonly changed: Set<string> = new Set();
  readonly #noting: Replacing;
  readonly #turns: Yielder;
  readonly #siteModules = new SiteModules();
  /** What a script refers to, by its path: noted only if a page loads it as a module. */
  readonly #ofScripts = new Map<string, readonly AssetReference[]>();
  readonly #namesOfScripts = new Map<string, readonly string[]>();

  constructor(noting: Replacing, signal: AbortSignal) {
    this.#noting = noting;
    this.#turns = new Yielder(signal);
  }

  async file({ path, size }: SiteFile, content: AsyncIterable<Uint8Array>): Promise<void> {
    const type = mediaTypeOf(path);
    const kind = type?.inspectedAs;
    if (kind === undefined || type?.encoding !== undefined || size > MAX_BYTES) {
      await Array.fromAsync(content, () => undefined);
      return;
    }
    const { text } = siteText(Buffer.concat(await Array.fromAsync(content)));
    const base = baseOf(path);
    if (kind === "module") {
      const found: AssetReference[] = [];
      const names: string[] = [];
      const noting: Replacing = {
        replace: (reference) => {
          found.push(reference);
          return undefined;
        },
        dropsConnection: () => false,
        named: (specifier) => names.push(specifier),
      };
      await replaceInText(kind, text, base, () => noting, this.#turns);
      this.#siteModules.addFile(path, { imports: specifiersIn(text) });
      if (found.length > 0) this.#ofScripts.set(path, found);
      if (names.length > 0) this.#namesOfScripts.set(path, names);
      return;
    }
    const sink = this.#siteModules.sinkOf(path);
    const noting: Replacing = {
      ...this.#noting,
      replace: (reference, at) => {
        this.changed.add(path);
        return this.#noting.replace(reference, at);
      },
      dropsConnection: (url) => {
        const isDropped = this.#noting.dropsConnection(url);
        if (isDropped) this.changed.add(path);
        return isDropped;
      },
      policy: () => {
        this.changed.add(path);
        return { stored: new Set(), inStyles: new Set() };
      },
      prefixed: (prefix, url, at) => {
        this.changed.add(path);
        return this.#noting.prefixed?.(prefix, url, at) ?? new Map();
      },
      named: (specifier) => {
        sink.named(specifier);
        this.#noting.named?.(specifier);
      },
      own: ({ address, name }) => {
        if (name === undefined) sink.module(address);
        else sink.translation(name, address);
      },
    };
    await replaceInText(kind, text, base, () => noting, this.#turns);
  }

  /** Notes what the scripts refer to that pages load as modules. */
  followModules(hasFile: (path: string) => boolean): void {
    for (const [path] of this.#siteModules.follow("", hasFile)) {
      this.modules.add(path);
      const found = this.#ofScripts.get(path) ?? [];
      for (const reference of found) this.#noting.replace(reference, baseOf(path));
      if (found.length > 0) this.changed.add(path);
      for (const name of this.#namesOfScripts.get(path) ?? []) this.#noting.named?.(name);
    }
  }
}

/** Where a file of the site is. */
export function baseOf(path: string): TextBase {
  const url = `${SITE_BASE}${path.split("/").map(encodeURIComponent).join("/")}`;
  return { url, href: url };
}
