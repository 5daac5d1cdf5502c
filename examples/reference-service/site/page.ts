import { posix } from "node:path";
import type { PagePlace } from "./addresses.ts";

/** What the site keeps of each page while it renders one after the other; small, since there may be thousands. */
export interface Page extends PagePlace {
  /** Path in the source, for example `Guides/Index.md`. */
  readonly source: string;
  readonly title: string;
  readonly anchors: ReadonlySet<string>;
  /** Position in the navigation, before all pages without one. */
  readonly order: number | undefined;
}

/**
 * The title of a page: its own heading, unless that is only the name of the whole site, as in a manual whose pages all begin with
 * the product's name. Then the title comes from the file's name.
 */
export function pageTitle(
  source: string,
  isFolderPage: boolean,
  ownTitle: string | undefined,
  siteName: string,
): string {
  if (ownTitle !== undefined && ownTitle !== siteName) return ownTitle;
  const folder = posix.dirname(source);
  if (isFolderPage) return folder === "." ? siteName : titleOfName(posix.basename(folder));
  return titleOfName(posix.parse(source).name);
}

/** `02-getting-started` → `Getting started`; `Getting-Started` → `Getting Started`. */
export function titleOfName(name: string): string {
  const words = name.replace(/^\d+[-_. ]+(?=.)/, "").replace(/[-_]+/g, " ");
  return words === words.toLowerCase() ? words.charAt(0).toUpperCase() + words.slice(1) : words;
}
