import { redact } from "../runtime/messages/redaction";

/** Longest title that is shown, in characters. */
const TITLE_LENGTH = 100;

/**
 * The name of a web page that answered in place of an API: `a web page with the title "Log in"`. `undefined` for any other text.
 * Its source is never shown: nobody can read it in an error.
 */
export function webPageIn(text: string): string | undefined {
  const start = text.slice(0, 4_000).replace(/^\ufeff/, "");
  if (!/^\s*(?:<\?xml[^>]*>\s*)?(?:<!--[^]*?-->\s*)*<(?:!doctype\s+html|html|head|title|body)\b/i.test(start))
    return undefined;
  const [, title = ""] = /<title\b[^>]*>([^<]*)/i.exec(text.slice(0, 64_000)) ?? [];
  const shown = redact(withoutEntities(title).replace(/\s+/g, " "), TITLE_LENGTH);
  return shown === "" ? "a web page" : `a web page with the title ${JSON.stringify(shown)}`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
};

function withoutEntities(text: string): string {
  return text
    .replace(/&#(\d{1,6});/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replace(/&(amp|lt|gt|quot|apos|nbsp);/g, (_, name: string) => ENTITIES[name] ?? "");
}
