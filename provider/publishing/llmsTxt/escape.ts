/** Texts in Markdown: only what would be read as markup is escaped, so that people and programs read the rest as it is. */

const NEEDS = /[\\`*_[\]<&~|]/;
const PUNCTUATION = /[!-/:-@[-`{-~]/;
/** What the beginning of another block begins with. */
const BEGINNING = /^[#\-+*>=:|\d~]/;
const WORD = /[\p{L}\p{N}]/u;

/** Where a text is. */
export interface TextPlace {
  readonly isInLink: boolean;
  readonly isInCell: boolean;
}

/**
 * @param text in one line
 * @param before the character before it; empty at the beginning of a block
 */
export function escaped(text: string, before: string, { isInLink, isInCell }: TextPlace): string {
  const guarded = before === "]" && text.startsWith("(") ? `\\${text}` : text;
  if (!NEEDS.test(guarded)) return guarded;
  const hasTildes = guarded.indexOf("~") !== guarded.lastIndexOf("~");
  return guarded.replace(/[\\`*_[\]<&~|]/g, (character, at: number) => {
    if (at === 0 && guarded !== text) return character;
    const left = at === 0 ? before : (guarded[at - 1] ?? "");
    const right = guarded[at + 1] ?? "";
    const isMarkup = ((): boolean => {
      switch (character) {
        case "\\":
          return PUNCTUATION.test(right) || right === "";
        case "*":
          return !(/^\s?$/.test(left) && right === " ");
        case "_":
          return (
            !(WORD.test(left) && WORD.test(right)) &&
            !(left === "_" && WORD.test(right) && isWordBefore(guarded, at))
          );
        case "[":
          return isInLink || right === "^" || left === "!";
        case "]":
          return isInLink || right === "(" || right === ":";
        case "<":
          return right === "" || /[A-Za-z/!?]/.test(right);
        case "&":
          return /^&(?:#\w{1,8}|[A-Za-z][A-Za-z\d]{1,31});/.test(guarded.slice(at, at + 40));
        case "~":
          return hasTildes;
        case "|":
          return isInCell;
        default:
          return true;
      }
    })();
    return isMarkup ? `\\${character}` : character;
  });
}

function isWordBefore(text: string, at: number): boolean {
  let index = at;
  while (index > 0 && text[index - 1] === "_") index--;
  return index > 0 && WORD.test(text[index - 1] ?? "");
}

/** Escapes what would begin another block at the beginning of each line of a paragraph. */
export function asParagraph(text: string): string {
  if (!BEGINNING.test(text) && !text.includes("\n")) return text;
  return text.replace(
    /^(?:(#{1,6})(?=\s|$)|([-+*])(?=\s|$)|([>=:|])|(-)(?=-)|(\d{1,9})(?=[.)](?:\s|$))|(~)(?=~~))/gm,
    (found, ...groups: (string | undefined)[]) => (groups[4] === undefined ? `\\${found}` : `${found}\\`),
  );
}

/** Escapes what would be left out at the end of a heading. */
export function asHeading(text: string): string {
  return text.endsWith("#") ? text.replace(/(?<=^|\s)#+$/, "\\$&") : text;
}

/** A code span. */
export function codeSpan(text: string, isInCell: boolean): string {
  const one = text.replace(/\s+/g, " ");
  if (one.trim() === "") return "";
  const runs = one.match(/`+/g) ?? [];
  const fence = "`".repeat(1 + longest(runs));
  const padding = one.startsWith("`") || one.endsWith("`") ? " " : "";
  const inner = isInCell ? one.replaceAll("|", "\\|") : one;
  return `${fence}${padding}${inner}${padding}${fence}`;
}

/** A fenced block of code. */
export function codeBlock(text: string, language: string): string {
  const runs = text.match(/`{3,}/g) ?? [];
  const fence = "`".repeat(Math.max(3, 1 + longest(runs)));
  return `${fence}${language}\n${text}\n${fence}`;
}

function longest(runs: readonly string[]): number {
  return runs.reduce((most, { length }) => Math.max(most, length), 0);
}

/** An address between the brackets of a link. */
export function destination(address: string): string {
  return address.trim().replace(/[\s<>()\\]/g, (character) => {
    const code = character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0");
    return code.length > 2 ? encodeURIComponent(character) : `%${code}`;
  });
}
