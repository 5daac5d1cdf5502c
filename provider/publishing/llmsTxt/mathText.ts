import { attributeOf, classesOf, type ContentElement, firstBelow, textOf } from "./contentElement";
import { rememberedTest } from "./rememberedClasses";

/** Mathematics of a page. */
export interface MathText {
  /** In TeX, where the page has that; else its characters. */
  readonly source: string;
  readonly isBlock: boolean;
}

const MAY_BE_MATH = rememberedTest(/katex|math/);

/** The mathematics that an element is; undefined for another element. */
export function mathIn(element: ContentElement): MathText | undefined {
  const { tag } = element;
  if (tag === "script") {
    const type = attributeOf(element, "type") ?? "";
    return { source: textOf(element).trim(), isBlock: /mode=display/i.test(type) };
  }
  if (tag === "math") return fromMarkup(element, attributeOf(element, "display") === "block");
  if (element.attributes.length === 0) return undefined;
  const classes = classesOf(element);
  if (!MAY_BE_MATH(classes)) return undefined;
  if (/(?:^|\s)katex-display(?=\s|$)/.test(classes)) return below(element, true);
  if (/(?:^|\s)katex(?=\s|$)/.test(classes)) return below(element, false);
  if (/(?:^|\s)(?:math|arithmatex)(?=\s|$)/.test(classes)) {
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
  const source = annotation ? textOf(annotation) : (attributeOf(math, "alttext") ?? textOf(math));
  return { source: source.replace(/\s*\n\s*/g, annotation ? "\n" : " ").trim(), isBlock };
}
