/** What is wrong, the archive or additions to the site, the message, settings. */
export type Refusal<Entry> = [
  name: string,
  archive: Buffer | Entry[],
  reason: RegExp,
  environment?: Record<string, string>,
];

/** Settings of a pod that accepts little. */
export const LIMITS = { MAX_UNPACKED_BYTES: "100000", MAX_ENTRIES: "40" };

export const OUTSIDE = /a name (leads outside|begins at the root)|an entry's name leads outside its folder/;
export const TOO_LARGE = /more than fetch.maxUnpackedBytes \(100000\)/;
export const NO_START_PAGE = /it has no index.html/;
