import { type DefaultTreeAdapterTypes, defaultTreeAdapter, html, parseFragment, serialize } from "parse5";

export type Element = DefaultTreeAdapterTypes.Element;
export type Node = DefaultTreeAdapterTypes.ChildNode;
export type Parent = DefaultTreeAdapterTypes.ParentNode;
export type Fragment = DefaultTreeAdapterTypes.DocumentFragment;

export { parseFragment, serialize };

export function isElement(node: Node): node is Element {
  return "tagName" in node;
}

/** All elements below `parent` in document order, as they were when called: the tree may be changed while looping. */
export function elementsOf(parent: Parent): Element[] {
  return parent.childNodes.filter(isElement).flatMap((child) => [child, ...elementsOf(child)]);
}

export function attribute(element: Element, name: string): string | undefined {
  return element.attrs.find((attr) => attr.name === name)?.value;
}

export function setAttribute(element: Element, name: string, value: string): void {
  removeAttribute(element, name);
  element.attrs.push({ name, value });
}

export function removeAttribute(element: Element, name: string): void {
  element.attrs = element.attrs.filter((attr) => attr.name !== name);
}

export function textOf(node: Node): string {
  if (isElement(node)) return node.childNodes.map(textOf).join("");
  return "value" in node ? node.value : "";
}

export function text(value: string): Node {
  return { ...defaultTreeAdapter.createTextNode(value) };
}

export function element(
  tagName: string,
  attributes: Readonly<Record<string, string>>,
  children: readonly Node[] = [],
): Element {
  const attrs = Object.entries(attributes).map(([name, value]) => ({ name, value }));
  const created = defaultTreeAdapter.createElement(tagName, html.NS.HTML, attrs);
  for (const child of children) append(created, child);
  return created;
}

export function append(parent: Parent, child: Node): void {
  defaultTreeAdapter.detachNode(child);
  defaultTreeAdapter.appendChild(parent, child);
}

/** Puts `replacements` where `node` was. */
export function replace(node: Node, ...replacements: readonly Node[]): void {
  const parent = node.parentNode;
  if (!parent) return;
  for (const replacement of replacements) {
    if (replacement === node) continue;
    defaultTreeAdapter.detachNode(replacement);
    defaultTreeAdapter.insertBefore(parent, replacement, node);
  }
  if (!replacements.includes(node)) defaultTreeAdapter.detachNode(node);
}

/** Keeps the children, drops the element around them. */
export function unwrap(node: Element): void {
  replace(node, ...[...node.childNodes]);
}
