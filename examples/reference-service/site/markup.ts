const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** HTML that is already safe to put into a page. */
export class Markup {
  readonly source: string;
  constructor(source: string) {
    this.source = source;
  }
}

type Part = Markup | string | number | undefined | false | readonly Markup[];

/**
 * Template tag that escapes every value which is not `Markup`, in text and in quoted attributes alike. It is not called `html`:
 * formatters know that name, and would indent what browsers get.
 */
export function markup(literals: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(
    literals.map((literal, index) => (index === 0 ? "" : markupOf(parts[index - 1])) + literal).join(""),
  );
}

function markupOf(part: Part): string {
  if (part === undefined || part === false) return "";
  if (part instanceof Markup) return part.source;
  if (typeof part === "object") return part.map(({ source }) => source).join("");
  return String(part).replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}
