import type { Token } from "parse5";

/** A part of a page's content: an element, or a text as the page has it. */
export type ContentNode = ContentElement | string;

export interface ContentElement {
  readonly tag: string;
  readonly attributes: readonly Token.Attribute[];
  children: ContentNode[];
}

/** The value of an attribute. */
export function attributeOf({ attributes }: ContentElement, name: string): string | undefined {
  for (const each of attributes) if (each.name === name) return each.value;
  return undefined;
}

/** The classes of an element, as the page has them. */
export function classesOf(element: ContentElement): string {
  return attributeOf(element, "class") ?? "";
}

/** The text of a part, as the page has it. */
export function textOf(node: ContentNode): string {
  if (typeof node === "string") return node;
  if (node.tag === "br") return "\n";
  return node.children.map(textOf).join("");
}

/** The first element below an element, in the order of the page, that fits. */
export function firstBelow(
  { children }: ContentElement,
  fits: (element: ContentElement) => boolean,
): ContentElement | undefined {
  for (const child of children) {
    if (typeof child === "string") continue;
    const found = fits(child) ? child : firstBelow(child, fits);
    if (found) return found;
  }
  return undefined;
}
