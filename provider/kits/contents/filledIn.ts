import { spaced } from "../../base/runtime/messages/plainText";

/** Values of a kit's README: a text, whether a section stays, or the entries of a list. */
export type TextValues = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/** Characters that would make a label Markdown instead of plain text. */
const MARKUP = /[\\`*<[\]]/g;

/**
 * Fills a template: `{{name}}` is replaced by its value. Lines between `{{#name}}` and `{{/name}}` stay if the value exists,
 * lines between `{{^name}}` and `{{/name}}` stay if it does not. A text value becomes one line.
 */
export function filledIn(template: string, values: TextValues): string {
  const isThere = (name: string): boolean => values[name] !== undefined && values[name] !== false;
  /** For each section around the current line, whether it stays. */
  const sections: boolean[] = [];
  const lines = template.split("\n").filter((line) => {
    const [, kind, name = ""] = /^\{\{([#^/])(\w+)\}\}$/.exec(line) ?? [];
    if (kind === "/") sections.pop();
    else if (kind !== undefined) sections.push(isThere(name) === (kind === "#"));
    return kind === undefined && !sections.includes(false);
  });
  return lines.join("\n").replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = values[name];
    if (typeof value === "string") return spaced(value).replace(MARKUP, "\\$&");
    if (Array.isArray(value)) return value.map((each) => `- \`${String(each)}\``).join("\n");
    throw new Error(`the text of a kit has no value for ${name}`);
  });
}
