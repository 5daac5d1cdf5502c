/** Elements that are blocks of their own, or contain such. */
export const BLOCK: ReadonlySet<string> = new Set(
  (
    "address article aside blockquote body caption center dd details dir div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 " +
    "header hgroup hr legend li main menu ol p pre search section summary table tbody td tfoot th thead tr ul"
  ).split(" "),
);
export const HEADING: RegExp = /^h[1-6]$/;
