// Pages that list what changed or where something is: they have nearly all words, and answer few questions. Runs in browsers, too.

const LIST =
  /(?:^|\/)(?:changes|changelog|news|whats-?new|announce(?:ments?)?|[^/]*-announcement|releases|release-\d[^/]*|rel(?:ease)?[_-]?notes|history|deprecat(?:ed|ions)|(?:gen|(?:py-)?mod)index)(?:[/.]|$)/i;
/** Share of the score in such a page for a word that is not in its title, and for its texts. */
export const LIST_SHARE = 0.5;

/** Whether a page lists what changed or where something is. @param path below the site's root */
export function isListPage(path: string): boolean {
  return LIST.test(path);
}
