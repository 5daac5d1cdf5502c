import { DestinationError } from "../../../base/runtime/messages/errors";

/**
 * Pages of a list, usually of a thousand entries: ten sites of 500,000 pages, each with its second address. More means a list without an
 * end, or a bucket that is not for copies.
 */
const MAX_PAGES = 10_000;

/**
 * Reads a list of the store page by page.
 *
 * @param uri what is listed, for messages
 * @param read reads one page and returns the marker of the next; `undefined` after the last
 * @throws DestinationError when the list does not end
 */
export async function readPagedList(
  uri: string,
  read: (marker: string | undefined) => Promise<string | undefined>,
): Promise<void> {
  const endless = (reason: string): DestinationError =>
    new DestinationError(
      `the store's list of ${uri} does not end: ${reason}`,
      "Give the destination a prefix of its own. If it has one, the store does not implement its protocol as documented.",
    );
  let marker: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const next = await read(marker);
    if (next === undefined) return;
    if (next === marker) throw endless("a page leads to itself");
    marker = next;
  }
  throw endless(`it has more than ${MAX_PAGES} pages`);
}
