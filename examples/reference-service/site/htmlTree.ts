import {
  defaultTreeAdapter,
  type DefaultTreeAdapterMap,
  type DefaultTreeAdapterTypes,
  html,
  parseFragment as parse,
  serialize,
  type TreeAdapter,
} from "parse5";

export type Element = DefaultTreeAdapterTypes.Element;
export type Node = DefaultTreeAdapterTypes.ChildNode;
export type Parent = DefaultTreeAdapterTypes.ParentNode;
export type Fragment = DefaultTreeAdapterTypes.DocumentFragment;

export { serialize };

/** Levels. No author writes deeper elements, and walking a tree needs stack for every level. */
const DEEPEST_LEVEL = 256;

/**
 * Elements of one page. The rules of HTML open all formatting again in each paragraph, so that a small file can become a tree of
 * any size.
 */
const MOST_ELEMENTS = 500_000;

/**
 * Parses as browsers do. Of elements below 256 levels only the text stays.
 *
 * @throws when the text becomes a tree that no browser of a reader would show
 */
export function parseFragment(source: string): Fragment {
  const tree = parse(source, { treeAdapter: countingAdapter() });
  flattenBelow(tree, DEEPEST_LEVEL);
  return tree;
}

function countingAdapter(): TreeAdapter<DefaultTreeAdapterMap> {
  let created = 0;
  return {
    ...defaultTreeAdapter,
    createElement(...args) {
      if (++created > MOST_ELEMENTS) throw new Error(`it has more than ${MOST_ELEMENTS} HTML elements`);
      return defaultTreeAdapter.createElement(...args);
    },
  };
}

function flattenBelow(tree: Fragment, level: number): void {
  let parents: Parent[] = [tree];
  for (let depth = 0; depth < level; depth++) {
    parents = parents.flatMap(({ childNodes }) => childNodes.filter(isElement));
  }
  for (const parent of parents) {
    if (!parent.childNodes.some(isElement)) continue;
    const words = [...nodesOf(parent)].map((node) => ("value" in node ? node.value : ""));
    parent.childNodes = [];
    append(parent, text(words.join("")));
  }
}

/** All nodes below `parent` in document order, without recursion. */
function* nodesOf(parent: Parent): Generator<Node> {
  const waiting = [...parent.childNodes].reverse();
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    yield node;
    if (!isElement(node)) continue;
    for (let index = node.childNodes.length - 1; index >= 0; index--) {
      waiting.push(node.childNodes[index] as Node);
    }
  }
}

export function isElement(node: Node): node is Element {
  return "tagName" in node;
}

/** All elements below `parent` in document order, as they were at the call: the loop may change the tree. */
export function elementsOf(parent: Parent): Element[] {
  return [...nodesOf(parent)].filter(isElement);
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

/** Keeps the children, removes the element around them. */
export function unwrap(node: Element): void {
  const parent = node.parentNode;
  if (!parent) return;
  const index = parent.childNodes.indexOf(node);
  for (const child of node.childNodes) child.parentNode = parent;
  parent.childNodes = [
    ...parent.childNodes.slice(0, index),
    ...node.childNodes,
    ...parent.childNodes.slice(index + 1),
  ];
  node.childNodes = [];
  node.parentNode = null;
}
