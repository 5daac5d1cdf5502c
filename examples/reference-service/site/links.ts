import { posix } from "node:path";
import { relativeUrl } from "./addresses.ts";
import type { Page } from "./page.ts";
import { findPage } from "./pagePaths.ts";

/** Everything that a link in the source may lead to. */
export interface LinkTargets {
  /** Pages by their path in the source. */
  readonly pages: ReadonlyMap<string, Page>;
  /** The address of another file of the source, which is then exported, too; undefined when there is no such file. */
  asset(source: string): string | undefined;
  /** The reason why the export lacks a file that the source has; undefined when the source lacks it, too. */
  leftOut(source: string): string | undefined;
}

export type ResolvedLink =
  | { kind: "local"; url: string }
  | { kind: "external"; url: string }
  /** `url` is the closest existing target: the page, when only the section is missing. */
  | { kind: "broken"; reason: string; url?: string };

const SCHEME = /^([a-z][a-z0-9+.-]*):/i;
const EXTERNAL_SCHEMES = new Set(["http", "https", "mailto", "tel"]);

/** Resolves a link of `page` to its target in the exported site. */
export function resolveLink(href: string, page: Page, targets: LinkTargets): ResolvedLink {
  if (href.startsWith("//")) return { kind: "external", url: `https:${href}` };
  const scheme = SCHEME.exec(href)?.[1]?.toLowerCase();
  if (scheme !== undefined) {
    return EXTERNAL_SCHEMES.has(scheme)
      ? { kind: "external", url: href }
      : { kind: "broken", reason: `links may not use ${scheme}:` };
  }
  const [, path = "", fragment = ""] = /^([^?#]*)(?:\?[^#]*)?(?:#(.*))?$/s.exec(href) ?? [];
  if (path === "") return toPage(page, page, decode(fragment));

  const decoded = decode(path);
  // a leading slash means the root of the documentation, at any address at which it is served
  const source = decoded.startsWith("/")
    ? posix.normalize(decoded.slice(1))
    : posix.join(posix.dirname(page.source), decoded);
  const target = targets.pages.get(findPage(source, targets.pages) ?? "");
  if (target) return toPage(page, target, decode(fragment));
  const asset = targets.asset(source);
  if (asset === undefined) {
    return { kind: "broken", reason: targets.leftOut(source) ?? "no such file in the source" };
  }
  return { kind: "local", url: relativeUrl(page.address, asset) + (fragment && `#${fragment}`) };
}

function toPage(from: Page, to: Page, fragment: string): ResolvedLink {
  const path = from === to ? "" : relativeUrl(from.address, to.address);
  const url = path === "" ? "#" : path;
  if (fragment === "" || fragment === "top") return { kind: "local", url };
  // code hosts ignore letter case in fragments, and authors rely on it
  const id = [fragment, fragment.toLowerCase()].find((candidate) => to.anchors.has(candidate));
  if (id === undefined) return { kind: "broken", reason: `no such section in ${to.source}`, url };
  return { kind: "local", url: `${path}#${encodeURIComponent(id)}` };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // a "%" without digits means itself
  }
}
