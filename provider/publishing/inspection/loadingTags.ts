import type { Token } from "parse5";
import type { TextKind } from "./embedded";

/** For each attribute, the elements that load its address. */
const LOADING: Readonly<Record<string, string>> = {
  src: "audio bgsound embed frame iframe img input script source track video image", // the last: an old `img`, outside SVG
  data: "object",
  poster: "video",
  background: "body table tbody td tfoot th thead tr",
  // of SVG
  href: "feimage filter image lineargradient mpath pattern radialgradient script textpath use",
  "xlink:href": "feimage filter image lineargradient mpath pattern radialgradient script textpath use",
  from: "animate",
  to: "animate set",
  values: "animate",
};

/** Attributes with an address that is loaded: `img src`. */
export const ADDRESSES: ReadonlySet<string> = new Set(
  Object.entries(LOADING).flatMap(([name, elements]) => elements.split(" ").map((each) => `${each} ${name}`)),
);

/** Attributes with a list of images. */
export const LISTS: RegExp = /^(?:(?:img|image|source) srcset|link imagesrcset)$/;

/**
 * Relations of a `<link>` for which browsers open a connection. Others (`canonical`, `alternate`, `author`…) are only
 * information.
 */
export const LOADING_RELATIONS: ReadonlySet<string> = new Set(
  (
    "apple-touch-icon apple-touch-icon-precomposed apple-touch-startup-image compression-dictionary dns-prefetch icon " +
    "manifest mask-icon modulepreload preconnect prefetch preload prerender stylesheet"
  ).split(" "),
);

/** Attributes of SVG with a style's value. */
export const PRESENTATION: RegExp =
  /^(?:style|fill|stroke|filter|mask|clip-path|cursor|marker|marker-(?:start|mid|end))$/;

/** Elements that load something whatever attributes they have, or after which the tokenizer reads in another way. */
const OTHERS = "base iframe link math meta noembed noframes plaintext script style svg textarea title xmp";
const NOT_IDLE = new Set(
  [
    ...Object.entries(LOADING).flatMap(([name, elements]) => (name === "background" ? [] : [elements])),
    OTHERS,
  ].flatMap((names) => names.split(" ")),
);

/**
 * A tag of a page outside SVG and MathML that loads nothing and changes nothing for what follows. Other tags may be of this kind, too:
 * this is quick. It reads attributes as the tokenizer does.
 */
export const IDLE_TAG: RegExp = new RegExp(
  `</?(?!(?:${[...NOT_IDLE].join("|")})[\\t\\n\\f\\r />])[a-z][^\\t\\n\\f\\r />]*` +
    "(?:[\\t\\n\\f\\r ]+(?:" +
    'style="[^"(\\\\@&]*"|' + // no address without one of these
    "(?!style|background|fill|stroke|filter|mask|clip-path|cursor|marker)" +
    "[^\\t\\n\\f\\r \"'<>/=]+(?:=(?:\"[^\"]*\"|'[^']*'|[^\\t\\n\\f\\r \"'=<>`]+))?" +
    "))*[\\t\\n\\f\\r ]*/?>",
  "iy",
);

/** Elements whose address is a separate document. */
export const FRAMES: RegExp = /^(?:i?frame|object|embed)$/;

/** Types of `<script>` elements whose text is inspected. */
export const SCRIPTS: ReadonlyMap<string, TextKind> = new Map([
  ["speculationrules", "json"],
  ["importmap", "importmap"],
  ["module", "module"],
]);

/** The value of an attribute. */
export function valueOf(attributes: readonly Token.Attribute[], name: string): string | undefined {
  return attributes.find((other) => other.name === name)?.value;
}
