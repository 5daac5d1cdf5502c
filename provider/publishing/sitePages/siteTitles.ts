import type { ReadPage } from "./readPage";

type TitledPage = Pick<ReadPage, "title" | "heading">;

/** Separators between a page's title and the site's name. */
const SEPARATOR = /\s+[|–—·:»-]{1,2}\s+/;
/** Minimum share of the titles with a separator that contain the same name, so that it counts as the site's name. */
const COMMON = 0.6;

/** Removes the site's name, which most titles have at their end or beginning. */
export function withoutSiteName(titles: readonly string[]): (title: string) => string {
  const parted = titles.map((title) => title.split(SEPARATOR)).filter(({ length }) => length > 1);
  const counts = new Map<string, number>();
  for (const parts of parted) {
    for (const part of new Set([parts[0] ?? "", parts.at(-1) ?? ""])) {
      counts.set(part, (counts.get(part) ?? 0) + 1);
    }
  }
  const isName = (part = ""): boolean => (counts.get(part) ?? 0) >= Math.max(2, parted.length * COMMON);
  return (title) => {
    const parts = title.split(SEPARATOR);
    if (parts.length < 2) return title;
    if (isName(parts.at(-1))) {
      return title.slice(0, title.lastIndexOf(parts.at(-1) ?? "")).replace(/\s+\S{1,2}\s+$/, "");
    }
    return isName(parts[0]) ? title.slice((parts[0] ?? "").length).replace(/^\s+\S{1,2}\s+/, "") : title;
  };
}

/** The title of a page in results: its own, unless several pages have it. */
export function titlesOf(pages: readonly TitledPage[]): (page: TitledPage) => string {
  const short = withoutSiteName(pages.map(({ title }) => title));
  const byTitle = Map.groupBy(pages, ({ title }) => short(title));
  return ({ title, heading }) => {
    const own = short(title);
    return own === "" || (byTitle.get(own)?.length ?? 0) > 1 ? heading || own : own;
  };
}
