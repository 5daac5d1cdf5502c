import { dirname, join } from "node:path/posix";
import { type ImportSpecifier, parse } from "es-module-lexer/minimal";
import { embeddedIn, jsonIn } from "./embedded";
import { decoded } from "./externalAddress";
import { NotInspected } from "./inspectionBudget";

/** Receives what a page or a module says about modules of the site. */
export interface ModuleSink {
  /** A module that a browser loads with the page. @param address as written */
  module(address: string): void;
  /** A name that an import map of the site translates. */
  named(name: string): void;
  /** A translation of an import map. */
  translation(name: string, address: string): void;
}

/** What the file of a module imports, or why that is not known. */
interface ModuleFile {
  readonly imports: readonly string[];
  readonly problem?: string;
}

/**
 * The modules of a site, and which of them browsers load with its pages. Files come in any order, so the modules are followed after all
 * files were read.
 */
export class SiteModules {
  /** For each path, the module and its compressed copies. */
  readonly #files = new Map<string, readonly ModuleFile[]>();
  /** Addresses that pages load: as written, by the path that they have if they are relative to their page. */
  readonly #wanted = new Map<string, string>();
  readonly #names = new Set<string>();
  /** For each name or prefix of names, addresses as in {@link #wanted}. */
  readonly #translations = new Map<string, Map<string, string>>();

  addFile(path: string, file: ModuleFile): void {
    this.#files.set(path, [...(this.#files.get(path) ?? []), file]);
  }

  /** Receives what a file says. @param path its path in the archive */
  sinkOf(path: string): ModuleSink {
    return {
      module: (address) => {
        this.#wanted.set(...located(path, address));
      },
      named: (name) => {
        this.#names.add(name);
      },
      translation: (name, address) => {
        const known = this.#translations.get(name) ?? new Map<string, string>();
        this.#translations.set(name, known.set(...located(path, address)));
      },
    };
  }

  /**
   * Each module that a page loads, directly or through others, once.
   *
   * @param root the site's folder in the archive
   * @param hasFile whether the archive has a file
   */
  *follow(
    root: string,
    hasFile: (path: string) => boolean,
  ): Generator<[path: string, files: readonly ModuleFile[]], void, undefined> {
    const seen = new Set<string>();
    const open: string[] = [];
    const want = (path: string, address: string): void => {
      const found = candidates(path, address, root).find(hasFile);
      if (found === undefined || seen.has(found)) return;
      seen.add(found);
      open.push(found);
    };
    const translate = (name: string): void => {
      for (const [key, addresses] of this.#translations) {
        const isPrefix = key.endsWith("/") && name.startsWith(key);
        if (key !== name && !isPrefix) continue;
        const rest = isPrefix ? name.slice(key.length) : "";
        for (const [path, address] of addresses) want(rest ? join(path, rest) : path, address + rest);
      }
    };
    for (const [path, address] of this.#wanted) want(path, address);
    for (const name of this.#names) translate(name);
    for (let path; (path = open.pop()) !== undefined;) {
      const files = this.#files.get(path) ?? [];
      yield [path, files];
      for (const specifier of files.flatMap(({ imports }) => imports)) {
        if (isAddress(specifier)) want(...located(path, specifier));
        else translate(specifier);
      }
    }
  }
}

/** An address, and the path that it has if it is relative to the file that has it. */
function located(path: string, address: string): [path: string, address: string] {
  const bare = address.replace(/[?#].*$/s, "");
  return [bare.startsWith("/") ? bare : join(dirname(path), bare), bare];
}

/**
 * The paths that an address may have: relative to its file; relative to the site's root, as `<base>` may say; below the root, whose path on
 * the server is not known, for an address that begins with a slash.
 */
function candidates(path: string, address: string, root: string): string[] {
  const found = address.startsWith("/")
    ? Array.from(address.matchAll(/\//g), ({ index }) => join(root, address.slice(index + 1)))
    : [path, join(root, address)];
  return found.flatMap((each) => [decoded(each) ?? each, each]);
}

/** A module without one of these words imports nothing. */
const MAY_IMPORT = /import|export/;

/** Maximum nesting of modules in `data:` addresses. */
const MAX_NESTED = 4;

/**
 * The modules that a browser loads before it runs a module: what `import` and `export … from` name. `import()` is a load at run time.
 *
 * A lexer made for this finds them, because a regular expression would also find imports in comments, texts and templates.
 *
 * @throws NotInspected if the text is not a module
 */
export function staticImports(text: string, depth = 0): string[] {
  if (!MAY_IMPORT.test(text)) return [];
  let imports: readonly ImportSpecifier[];
  try {
    [imports] = parse(text);
  } catch {
    throw new NotInspected("the imports of a module cannot be read");
  }
  return imports.flatMap(({ n: specifier, d: dynamic }) => {
    if (dynamic !== -1 || specifier === undefined) return [];
    const inner = depth < MAX_NESTED ? embeddedIn(specifier) : undefined;
    return inner?.kind === "module" ? staticImports(inner.text, depth + 1) : [specifier];
  });
}

/** Whether a specifier is an address; otherwise it is a name that an import map translates. */
export function isAddress(specifier: string): boolean {
  return /^(?:\.{0,2}\/|[a-z][a-z0-9+.-]*:)/i.test(specifier);
}

/** The translations of an import map: names and prefixes of names with their addresses, of all scopes. */
export function importMapEntries(text: string): [name: string, address: string][] {
  const entriesOf = (imports: unknown): [string, string][] =>
    Object.entries(Object(imports) as object).filter(
      (entry): entry is [string, string] => typeof entry[1] === "string",
    );
  const { imports, scopes } = Object(jsonIn(text)) as { imports?: unknown; scopes?: unknown };
  return [...entriesOf(imports), ...Object.values(Object(scopes) as object).flatMap(entriesOf)];
}
