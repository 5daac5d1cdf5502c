import { redact } from "../runtime/messages/redaction";

/** Number of warnings that are shown. */
const SHOWN = 3;
/** Longest shown text of a warning, in characters. */
const TEXT_LIMIT = 200;

/** A service's warnings about the content of a job, such as broken links. */
export interface JobWarnings {
  readonly count: number;
  /** The first warnings with a text, redacted. */
  readonly first: readonly string[];
}

/** Reads the optional warnings of a job: a list of texts, or of objects with a `message` and the `path` of a page. */
export function readWarnings(body: Readonly<Record<string, unknown>>): JobWarnings | undefined {
  const found = [body["warnings"], body["errors"]].filter(Array.isArray).flat() as unknown[];
  if (found.length === 0) return undefined;
  const texts = found.values().map((one) => redact(textOf(one), TEXT_LIMIT));
  const first = texts
    .filter((text) => text !== "")
    .take(SHOWN)
    .toArray();
  return { count: found.length, first };
}

function textOf(warning: unknown): string {
  if (typeof warning !== "object" || warning === null) return typeof warning === "string" ? warning : "";
  const { path, message } = warning as Readonly<Record<string, unknown>>;
  return [path, message].filter((part) => typeof part === "string").join(": ");
}

/** `5 warnings: (1) …; (2) …; (3) …; and 2 more` */
export function describeWarnings({ count, first }: JobWarnings): string {
  const shown = first.map((text, index) => `(${index + 1}) ${text}`);
  const left = count - first.length;
  const rest = left > 0 && shown.length > 0 ? [`and ${left} more`] : [];
  const list = [...shown, ...rest].join("; ");
  return `${count} ${count === 1 ? "warning" : "warnings"}${list && `: ${list}`}`;
}
