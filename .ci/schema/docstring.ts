import type ts from "typescript";

/** A docstring as Markdown for every language. */
export interface Docstring {
  readonly text: string;
  /** What `@default` says. Absent without that tag. */
  readonly default?: string;
}

/** The docstring of a declaration: links become names, `@default` is kept apart, tags such as `@example` are left out. */
export function docstringOf(symbol: ts.Symbol, checker: ts.TypeChecker): Docstring {
  const tag = symbol.getJsDocTags(checker).find(({ name }) => name === "default");
  const text = reflowed(textOf(symbol.getDocumentationComment(checker)));
  return { text, ...(tag && { default: reflowed(textOf(tag.text ?? [])) }) };
}

/** `{@link Name}` becomes `Name` in code quotes; a link with a text of its own becomes that text. */
function textOf(parts: readonly ts.SymbolDisplayPart[]): string {
  return parts
    .map(({ kind, text }) => (kind === "linkText" ? ` ${text}` : text))
    .join("")
    .replace(/\{@link(?:code|plain)?\s+([^\s|}]+)\s*\|?\s*([^}]*)\}/g, (_, name: string, own: string) =>
      own.trim() === "" ? `\`${name}\`` : own.trim(),
    );
}

/** Joins the lines of each paragraph and of each item of a list: the width of the source says nothing. */
function reflowed(text: string): string {
  return text
    .trim()
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.replace(/\s*\n\s*(?!\s*- )/g, " "))
    .join("\n\n");
}

/** The text with its default as a last sentence. */
export function withDefault({ text, default: value }: Docstring): string {
  if (value === undefined) return text;
  const [, first = value, reason] = /^(.*?): (.*)$/s.exec(value) ?? [];
  const sentence = `Default: ${reason === undefined ? first : `${first} (${reason})`}.`;
  if (text === "") return sentence;
  return `${text}${text.includes("\n") ? "\n\n" : " "}${sentence}`;
}
