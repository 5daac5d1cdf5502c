import { redact } from "../base/runtime/messages/plainText";

/** Number of warnings that are shown. */
const SHOWN = 3;

/** Longest shown text of a warning, in characters. */
export const TEXT_LIMIT = 200;

/**
 * The optional warnings of a job, such as broken links: a list of texts, or of objects with a `message` and the `path` of a page.
 *
 * @returns `5 warnings: (1) …; (2) …; (3) …; and 2 more`
 */
export function warningsIn(body: Readonly<Record<string, unknown>>): string | undefined {
  const found = [body["warnings"], body["errors"]].filter(Array.isArray).flat() as unknown[];
  if (found.length === 0) return undefined;
  const texts = found.values().map((one) => redact(warningText(one), TEXT_LIMIT));
  const first = texts.filter((text) => text !== "").take(SHOWN);
  const list = first.map((text, index) => `(${index + 1}) ${text}`).toArray();
  const left = found.length - list.length;
  if (left > 0 && list.length > 0) list.push(`and ${left} more`);
  const count = `${found.length} ${found.length === 1 ? "warning" : "warnings"}`;
  return list.length > 0 ? `${count}: ${list.join("; ")}` : count;
}

export function warningText(warning: unknown): string {
  if (typeof warning !== "object" || warning === null) return typeof warning === "string" ? warning : "";
  const { path, message } = warning as Readonly<Record<string, unknown>>;
  return [path, message].filter((part) => typeof part === "string").join(": ");
}
