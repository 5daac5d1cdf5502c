// Anchors as the index keeps them: most generators make them from the headings. Runs in browsers, too.

/** How generators make an anchor from a heading. */
const RULES: readonly ((heading: string) => string)[] = [
  (heading) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, "-")
      .replace(/^-|-$/g, ""),
  (heading) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, "")
      .replaceAll(" ", "-"),
  // the name of a function in front of its parameters
  (heading) => /(\S+?)\s?(?:\(|$)/.exec(heading)?.[1] ?? "",
];

/** The anchor, or the number of the rule by which its heading gives it. */
export function shortAnchor(anchor: string, heading: string): string | number {
  const rule = anchor === "" ? -1 : RULES.findIndex((anchorOf) => anchorOf(heading) === anchor);
  return rule < 0 ? anchor : rule;
}

/** The anchor that {@link shortAnchor} made short. */
export function wholeAnchor(anchor: string | number, heading: string): string {
  return typeof anchor === "string" ? anchor : (RULES[anchor]?.(heading) ?? "");
}
