// How the sections of long pages are stored. Runs in browsers, too.

/** Sections of a page that are read to rank it. Others are in files of their own, which are read if a result leads to one. */
export const RANKED_SECTIONS = 400;
/** Sections in one file of further sections of a page. */
export const FURTHER_SECTIONS = 100;
/** Sections of a page that results can lead to. */
export const MOST_SECTIONS = 10_000;

/**
 * A number above those of all sections of a page, as its places are written with it.
 *
 * @param ranked sections that are read to rank the page
 * @param files of further sections
 */
export function sectionRange(ranked: number, files: number): number {
  return ranked + FURTHER_SECTIONS * files;
}

/** Files of further sections of a page with so many sections. */
export function furtherFiles(sections: number): number {
  return Math.ceil(Math.max(0, Math.min(sections, MOST_SECTIONS) - RANKED_SECTIONS) / FURTHER_SECTIONS);
}
