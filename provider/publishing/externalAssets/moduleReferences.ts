import { type ImportSpecifier, parse } from "es-module-lexer/minimal";
import { jsonIn } from "../inspection/embedded";
import { SITE_HOST } from "../inspection/externalAddress";
import { isAddress } from "../inspection/siteModules";
import type { LoadKind } from "./loadKinds";
import {
  type Edit,
  edited,
  fragmentOf,
  ownAddressIn,
  referenceIn,
  type Replacing,
  type TextBase,
} from "./references";

/** A script without one of these words imports nothing. */
const MAY_IMPORT = /import|export/;
/** The address before `import.meta.url` in `new URL("./worker.js", import.meta.url)`. */
const BESIDE = /\bnew\s+URL\(\s*(["'`])([^"'`\\\n${}]+)\1\s*,\s*$/;

/** The address after `import.meta` in `import.meta.resolve("./worker.js")`: no name, which import maps translate. */
const RESOLVE = /^\.resolve\(\s*(["'`])((?:\.{0,2}\/|[a-z][a-z0-9+.-]*:)[^"'`\\\n${}]*)\1/i;

/** What a script imports: `import`, `export … from`, `import("…")`, and `new URL("…", import.meta.url)`. */
interface ImportedModule {
  readonly specifier: string;
  readonly kind: LoadKind;
  /** Of the whole text with its quotes. */
  readonly start: number;
  readonly end: number;
  readonly isUrl?: true;
}

function importsOf(script: string): ImportedModule[] {
  if (!MAY_IMPORT.test(script)) return [];
  let found: readonly ImportSpecifier[];
  try {
    [found] = parse(script);
  } catch {
    return []; // no module: the inspection says so
  }
  return found.flatMap(({ n: specifier, s, e, d, se }): ImportedModule[] => {
    if (d === -2) {
      const resolved = RESOLVE.exec(script.slice(e, e + 300));
      if (resolved) {
        const [whole, quote = "", address = ""] = resolved;
        const start = e + whole.length - address.length - 2 * quote.length;
        return [{ specifier: address, kind: "any", start, end: e + whole.length, isUrl: true }];
      }
      const before = BESIDE.exec(script.slice(Math.max(0, s - 300), s));
      if (!before || !script.startsWith(".url", e)) return [];
      const [whole, , address = ""] = before;
      const start = s - whole.length + whole.search(/["'`]/);
      return [{ specifier: address, kind: "any", start, end: start + address.length + 2, isUrl: true }];
    }
    if (specifier === undefined) return [];
    const type = /\b(?:with|assert)\s*:?\s*\{[^}]*\btype["']?\s*:\s*["'](\w+)/.exec(script.slice(e, se))?.[1];
    const kind = type === "json" ? "json" : type === "css" ? "style" : "module";
    return d === -1
      ? [{ specifier, kind, start: s - 1, end: e + 1 }]
      : [{ specifier, kind, start: s, end: e }];
  });
}

/** The specifiers of what a script imports, also at run time. */
export function specifiersIn(script: string): string[] {
  return importsOf(script)
    .filter(({ isUrl }) => isUrl !== true)
    .map(({ specifier }) => specifier);
}

/** Replaces what a script imports from other hosts, and names what an import map translates. */
export function replaceInModule(script: string, base: TextBase, replacing: Replacing): string {
  const edits: Edit[] = [];
  for (const { specifier, kind, start, end, isUrl } of importsOf(script)) {
    if (isUrl !== true && !isAddress(specifier)) {
      replacing.named?.(specifier);
      continue;
    }
    const own = ownAddressIn(specifier, base, SITE_HOST);
    if (own !== undefined && isUrl !== true) replacing.own?.({ address: own });
    const url = referenceIn(specifier, base, SITE_HOST);
    const replacement = url && replacing.replace({ url, kind }, base);
    if (replacement === undefined) continue;
    const address = `${asSpecifier(replacement.address)}${fragmentOf(specifier)}`;
    edits.push({ start, end, text: JSON.stringify(address) });
  }
  return edited(script, edits);
}

/** An address that is none of a name: in modules and import maps, `assets/x.js` would be one. */
const asSpecifier = (address: string): string => (isAddress(address) ? address : `./${address}`);

type Names = Record<string, string>;

/** Replaces addresses of other hosts in an import map. The text stays as it is if there are none. */
export function replaceInImportMap(text: string, base: TextBase, replacing: Replacing): string {
  const given = jsonIn(text);
  if (typeof given !== "object" || given === null) return text;
  const seen = { isChanged: false };
  const replaced = (address: string): string | undefined => {
    const url = referenceIn(address, base, SITE_HOST);
    const replacement = url && replacing.replace({ url, kind: "module" }, base);
    if (replacement === undefined) return undefined;
    seen.isChanged = true;
    return `${asSpecifier(replacement.address)}${fragmentOf(address)}`;
  };
  const mapped = (imports: unknown): unknown => {
    if (typeof imports !== "object" || imports === null) return imports;
    const result: [string, unknown][] = [];
    for (const [name, address] of Object.entries(imports)) {
      if (typeof address !== "string") {
        result.push([name, address]);
        continue;
      }
      const ownAddress = ownAddressIn(address, base, SITE_HOST);
      if (ownAddress !== undefined) replacing.own?.({ address: ownAddress, name });
      const url = name.endsWith("/") ? referenceIn(address, base, SITE_HOST) : undefined;
      const inner = url && replacing.prefixed?.(name, url, base);
      if (inner === undefined) result.push([replaced(name) ?? name, replaced(address) ?? address]);
      else {
        // a whole folder cannot be fetched: only what modules import from it
        seen.isChanged ||= inner.size > 0;
        for (const [each, found] of inner) result.push([each, asSpecifier(found)]);
        if (inner.size === 0) result.push([name, address]);
      }
    }
    return Object.fromEntries(result);
  };
  // modules that were fetched have another address now; the scope also holds for those that were not
  const scoped = (scope: string, names: unknown): [string, unknown][] => {
    const url = referenceIn(scope, base, SITE_HOST);
    const stored = url && replacing.scope?.(url, base);
    if (stored === undefined) return [[scope, names]];
    seen.isChanged = true;
    return [
      [scope, names],
      [asSpecifier(stored), names],
    ];
  };
  const { imports, scopes, integrity, ...rest } = given as Record<string, unknown>;
  const changed: Record<string, unknown> = {
    ...rest,
    ...(imports !== undefined && { imports: mapped(imports) }),
    ...(scopes !== undefined && {
      scopes:
        typeof scopes === "object" && scopes !== null
          ? Object.fromEntries(
              Object.entries(scopes).flatMap(([scope, names]) => scoped(scope, mapped(names))),
            )
          : scopes,
    }),
    ...(integrity !== undefined && { integrity: withIntegrity(integrity, base, replacing) }),
  };
  return seen.isChanged ? JSON.stringify(changed).replaceAll("<", "\\u003c") : text;
}

/** The field `integrity` of an import map: digests by address. */
function withIntegrity(integrity: unknown, base: TextBase, replacing: Replacing): unknown {
  if (typeof integrity !== "object" || integrity === null) return integrity;
  return Object.fromEntries(
    Object.entries(integrity).map(([address, digest]: [string, unknown]) => {
      const url = referenceIn(address, base, SITE_HOST);
      const wanted = typeof digest === "string" ? digest : undefined;
      const replacement = url && replacing.replace({ url, kind: "module", integrity: wanted }, base);
      return replacement === undefined
        ? [address, digest]
        : [asSpecifier(replacement.address), replacement.integrity ?? digest];
    }),
  );
}

/** Replaces the addresses of icons and pictures in a web app's manifest. */
export function replaceInManifest(text: string, base: TextBase, replacing: Replacing): string {
  const given = jsonIn(text);
  let isChanged = false;
  // no recursion, because it may be as deep as it is long
  for (const open: unknown[] = [given]; open.length > 0;) {
    const each = open.pop();
    if (typeof each !== "object" || each === null) continue;
    for (const [name, value] of Object.entries(each)) {
      if (typeof value !== "string") open.push(value);
      else if (name === "src") {
        const url = referenceIn(value, base, SITE_HOST);
        const replacement = url && replacing.replace({ url, kind: "image" }, base);
        if (replacement === undefined) continue;
        (each as Names)[name] = `${replacement.address}${fragmentOf(value)}`;
        isChanged = true;
      }
    }
  }
  return isChanged ? `${JSON.stringify(given, null, 2)}\n` : text;
}
