import { attributeOf, classesOf, type ContentElement, firstBelow, textOf } from "./contentElement";
import { texOf } from "./mathMarkup";
import { rememberedTest } from "./rememberedClasses";

/** Mathematics of a page. */
export interface MathText {
  /** In TeX: that of the page, else made of its markup. */
  readonly source: string;
  readonly isBlock: boolean;
}

const MAY_BE_MATH = rememberedTest(/katex|math|arithmatex|stemblock/);

/** The mathematics that an element is; undefined for another element. */
export function mathIn(element: ContentElement): MathText | undefined {
  const { tag } = element;
  if (tag === "script") {
    const type = attributeOf(element, "type") ?? "";
    return { source: textOf(element).trim(), isBlock: /mode=display/i.test(type) };
  }
  if (tag === "math") return fromMarkup(element, attributeOf(element, "display") === "block");
  if (tag === "mjx-container") return below(element, attributeOf(element, "display") === "true");
  if (element.attributes.length === 0) return undefined;
  const classes = classesOf(element);
  if (!MAY_BE_MATH(classes)) return undefined;
  if (/(?:^|\s)katex-display(?=\s|$)/.test(classes)) return below(element, true);
  if (/(?:^|\s)katex(?=\s|$)/.test(classes)) return below(element, false);
  if (/(?:^|\s)(?:math|arithmatex|stemblock)(?=\s|$)/.test(classes)) {
    const text = textOf(element).trim();
    const [, inline] = /^\\\(([^]*)\\\)$/.exec(text) ?? [];
    if (inline !== undefined) return { source: inline.trim(), isBlock: false };
    const [, block] = /^(?:\([\w.]+\)\s*)?\\\[([^]*)\\\]$/.exec(text) ?? [];
    if (block !== undefined) return { source: block.trim(), isBlock: true };
  }
  return undefined;
}

function below(element: ContentElement, isBlock: boolean): MathText | undefined {
  const math = firstBelow(element, ({ tag }) => tag === "math");
  return math && fromMarkup(math, isBlock);
}

function fromMarkup(math: ContentElement, isBlock: boolean): MathText | undefined {
  const annotation = firstBelow(
    math,
    (each) => each.tag === "annotation" && /tex/i.test(attributeOf(each, "encoding") ?? ""),
  );
  const source = annotation ? textOf(annotation) : (attributeOf(math, "alttext") ?? texOf(math));
  return { source: source.replace(/\s*\n\s*/g, annotation ? "\n" : " ").trim(), isBlock };
}

/** What encloses mathematics in a text, where scripts find it. */
const MARKS = [
  { opening: "\\(", closing: "\\)", isBlock: false },
  { opening: "\\[", closing: "\\]", isBlock: true },
  { opening: "$$", closing: "$$", isBlock: true },
] as const;

/** The parts of a text: texts, and mathematics. Takes a time in proportion to its length. */
export function mathInText(text: string): (string | MathText)[] {
  const parts: (string | MathText)[] = [];
  /** Where each mark opens next; Infinity if it opens or closes no more. */
  const next = MARKS.map(({ opening }) => placeOf(text, opening, 0));
  let from = 0;
  for (;;) {
    const at = Math.min(...next);
    const index = next.indexOf(at);
    const mark = MARKS[index];
    if (at === Infinity || mark === undefined) break;
    const { opening, closing, isBlock } = mark;
    const end = placeOf(text, closing, at + opening.length);
    if (end === Infinity) {
      next[index] = Infinity;
      continue;
    }
    const source = text.slice(at + opening.length, end).trim();
    if (source !== "") {
      if (at > from) parts.push(text.slice(from, at));
      parts.push({ source, isBlock });
      from = end + closing.length;
    }
    for (const [other, { opening: begin }] of MARKS.entries()) {
      if ((next[other] ?? 0) < end + closing.length) next[other] = placeOf(text, begin, end + closing.length);
    }
  }
  if (from < text.length) parts.push(text.slice(from));
  return parts;
}

function placeOf(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from);
  return at < 0 ? Infinity : at;
}
