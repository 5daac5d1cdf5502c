import { html } from "parse5";
import {
  type Element,
  elementsOf,
  isElement,
  type Node,
  parseFragment,
  replace,
  unwrap,
} from "./htmlTree.ts";

const XLINK_NAMESPACE = "http://www.w3.org/1999/xlink";

const ALLOWED_SVG = new Set(
  `svg g defs symbol use path rect circle ellipse line polyline polygon text tspan textPath title desc image style switch foreignObject
  linearGradient radialGradient stop clipPath mask pattern marker filter feBlend feColorMatrix feComponentTransfer feComposite
  feConvolveMatrix feDiffuseLighting feDisplacementMap feDistantLight feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR
  feGaussianBlur feMerge feMergeNode feMorphology feOffset fePointLight feSpecularLighting feSpotLight feTile
  feTurbulence`.split(/\s+/),
);
/** Drawing programs put wrapped text into HTML. */
const ALLOWED_HTML = new Set("div span p br b i u s strong em sub sup font".split(" "));

const ATTRIBUTE_NAME = /^[a-z][a-z0-9-]*$/i;
/** What an element may refer to: a part of the same drawing, or a picture inside it. */
const OWN_REFERENCE = /^(?:#|data:image\/(?:png|jpeg|gif|webp);)/i;
/** In CSS and in presentation attributes, after removing references to parts of the same drawing. */
const OWN_PART = /url\(\s*(?:#[\w-]+|"#[\w-]+"|'#[\w-]+')\s*\)/gi;
const MAY_LOAD = /url|@import|image-set|image\(|src\(|\/\/|\\/i;

/**
 * A drawing that is also safe when it is opened by itself and not as an image. Browsers run the scripts of such a file, and XML
 * has many ways to write one (entities, style sheets, other namespaces). So nothing is searched for: the known parts of a drawing
 * are read, as browsers read `<svg>` in a page, and written again.
 *
 * @param onRemoved called with the name of each element or attribute that was removed
 * @throws when it contains no readable drawing
 */
export function sanitizeSvg(content: Buffer, onRemoved: (name: string) => void): string {
  const root = elementsOf(parseFragment(content.toString("utf8"))).find(({ tagName }) => tagName === "svg");
  if (!root) throw new Error("it is no SVG");
  for (const element of elementsOf(root)) {
    if (isAllowed(element)) continue;
    if (element.tagName === "a") {
      unwrap(element);
      continue;
    }
    // metadata of drawing programs, with their own names: removing it needs no warning
    if (!/:|^metadata$/.test(element.tagName)) onRemoved(`<${element.tagName}>`);
    replace(element);
  }
  return `${xmlOf(root, onRemoved)}\n`;
}

function isAllowed({ tagName, namespaceURI }: Element): boolean {
  if (namespaceURI === html.NS.HTML) return ALLOWED_HTML.has(tagName);
  return namespaceURI === html.NS.SVG && ALLOWED_SVG.has(tagName);
}

function xmlOf(node: Node, onRemoved: (name: string) => void, outerNamespace?: html.NS): string {
  if (!isElement(node)) return "value" in node ? escapeXml(node.value) : "";
  if (node.tagName === "style" && mayLoad(node.childNodes.map(wordsOf).join(""))) {
    onRemoved("<style>");
    return "";
  }
  const attributes = node.attrs.map(({ prefix, name, value }) => {
    const fullName = prefix ? `${prefix}:${name}` : name;
    if (mayStay(fullName, value)) return ` ${fullName}="${escapeXml(value)}"`;
    if (/^on|href$|^style$/i.test(fullName)) onRemoved(`${fullName} of <${node.tagName}>`);
    return "";
  });
  const namespace = node.namespaceURI;
  const content = node.childNodes.map((child) => xmlOf(child, onRemoved, namespace)).join("");
  const declared =
    (namespace === outerNamespace ? "" : ` xmlns="${namespace}"`) +
    (outerNamespace === undefined ? ` xmlns:xlink="${XLINK_NAMESPACE}"` : "");
  return `<${node.tagName}${declared}${attributes.join("")}>${content}</${node.tagName}>`;
}

function mayStay(name: string, value: string): boolean {
  if (name === "href" || name === "xlink:href") return OWN_REFERENCE.test(value);
  if (name === "xml:space") return true;
  return ATTRIBUTE_NAME.test(name) && !/^(?:on|xmlns$)/i.test(name) && !mayLoad(value);
}

function mayLoad(css: string): boolean {
  return MAY_LOAD.test(css.replace(OWN_PART, ""));
}

function wordsOf(node: Node): string {
  return "value" in node ? node.value : "";
}

/** Without the characters that XML does not allow at all. */
function escapeXml(text: string): string {
  return text
    .replace(/[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "")
    .replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
