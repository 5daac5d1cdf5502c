import { parse, type ImportSpecifier } from "es-module-lexer/minimal";
import { embeddedIn, jsonIn } from "./embedded";
import { NotInspected } from "./inspectionBudget";

/** A module without one of these words imports nothing. */
const MAY_IMPORT = /import|export/;

/** Maximum nesting of modules in `data:` addresses. */
const MAX_NESTED = 4;

/**
 * The modules that a browser loads before it runs a module: what `import` and `export … from` name. `import()` is a load at run time.
 *
 * A lexer made for this finds them, because a regular expression would also find imports in comments, texts and templates.
 *
 * @throws NotInspected if the text is no module
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
