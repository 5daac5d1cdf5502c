import { foreignContent, html, type Token, type TokenHandler, Tokenizer, TokenizerMode } from "parse5";
import { styleLoads } from "./cssLoads";
import { baseOf, elsewhere, HERE } from "./elsewhere";
import { srcsetAddresses } from "./srcset";

const TAG = html.TAG_ID;

/** Attributes that are loaded, by the element that they are of. */
const ADDRESSES: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    audio: ["src"],
    bgsound: ["src"],
    body: ["background"],
    embed: ["src"],
    feimage: ["href", "xlink:href"],
    frame: ["src"],
    iframe: ["src"],
    image: ["href", "xlink:href", "src"], // of SVG; outside of it, it is an old `img`
    img: ["src"],
    input: ["src"],
    object: ["data"],
    script: ["src", "href", "xlink:href"], // the latter two in SVG
    source: ["src"],
    table: ["background"],
    tbody: ["background"],
    td: ["background"],
    tfoot: ["background"],
    th: ["background"],
    thead: ["background"],
    tr: ["background"],
    track: ["src"],
    use: ["href", "xlink:href"],
    video: ["src", "poster"],
  }),
);

/** Lists of images. */
const LISTS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    img: "srcset",
    image: "srcset",
    source: "srcset",
    link: "imagesrcset",
  }),
);

/** Relations of a `<link>` that a browser opens a connection for. Others (`canonical`, `alternate`, `author`…) only tell. */
const LOADING_RELATIONS = new Set([
  "apple-touch-icon",
  "apple-touch-icon-precomposed",
  "apple-touch-startup-image",
  "dns-prefetch",
  "icon",
  "manifest",
  "mask-icon",
  "modulepreload",
  "preconnect",
  "prefetch",
  "preload",
  "prerender",
  "stylesheet",
]);

/** Attributes that hold a style's value, in SVG. */
const PRESENTATION = /^(?:style|fill|stroke|filter|mask|clip-path|cursor|marker|marker-(?:start|mid|end))$/;

const DELAY_AND_ADDRESS =
  /^[\t\n\f\r ]*[0-9.]*[\t\n\f\r ]*[;,]?[\t\n\f\r ]*(?:url[\t\n\f\r ]*=[\t\n\f\r ]*)?(.*)$/is;

/** Pages in attributes of pages in attributes… */
const MOST_NESTED = 4;

/**
 * What a page loads from elsewhere when it is opened: scripts, styles, images, fonts, media, frames, connections made in advance,
 * and the page that it turns to by itself. A link that a reader follows, and the target of a form, are no loads.
 *
 * What only some browsers load counts: what is in `<noscript>`, in a `<template>`, under a condition. Scripts are neither run nor
 * read: what they load is not seen.
 *
 * Takes the page in pieces of any size; what it keeps of it is the piece it is in.
 */
export class PageLoads implements TokenHandler {
  readonly #found: (address: string) => void;
  readonly #tokenizer = new Tokenizer({ sourceCodeLocationInfo: false }, this);
  readonly #nested: number;
  #base = HERE;
  #hasBase = false;
  /** Text of the `<style>` that is open. */
  #style: string[] | undefined;
  /** Namespaces that are open, the innermost last: in SVG and MathML nothing but tags is markup. */
  readonly #namespaces: html.NS[] = [html.NS.HTML];

  /** @param found gets every address that is elsewhere, in the order of the page */
  constructor(found: (address: string) => void, nested = 0) {
    this.#found = found;
    this.#nested = nested;
  }

  write(text: string): void {
    this.#tokenizer.write(text, false);
  }

  end(): void {
    this.#tokenizer.write("", true);
    this.#endStyle(); // one that is never closed holds all the rest
  }

  onStartTag(token: Token.TagToken): void {
    const isForeign = this.#enter(token);
    if (!isForeign) this.#setMode(token.tagID);
    if (token.tagID === TAG.STYLE && !(isForeign && token.selfClosing)) this.#style = [];
    if (token.attrs.length > 0) this.#lookAt(token.tagName.toLowerCase(), token.attrs);
  }

  onEndTag(token: Token.TagToken): void {
    if (token.tagID === TAG.STYLE) this.#endStyle();
    this.#leave(token);
  }

  onCharacter({ chars }: Token.CharacterToken): void {
    this.#style?.push(chars);
  }

  onWhitespaceCharacter(token: Token.CharacterToken): void {
    this.onCharacter(token);
  }

  onNullCharacter(): void {
    // no address has one
  }

  onComment(): void {
    // nothing in it is loaded
  }

  onDoctype(): void {
    // loads nothing
  }

  onEof(): void {
    // see end()
  }

  #isForeign(): boolean {
    return this.#namespaces.at(-1) !== html.NS.HTML;
  }

  /** Follows SVG and MathML as far as the tokenizer has to know. @returns whether the element is one of theirs */
  #enter(token: Token.TagToken): boolean {
    if (token.tagID === TAG.SVG) this.#namespaces.push(html.NS.SVG);
    else if (token.tagID === TAG.MATH) this.#namespaces.push(html.NS.MATHML);
    const namespace = this.#namespaces.at(-1) ?? html.NS.HTML;
    if (namespace === html.NS.HTML) return false;
    if (foreignContent.causesExit(token)) {
      this.#namespaces.length = 1;
    } else if (token.selfClosing) {
      if (token.tagID === TAG.SVG || token.tagID === TAG.MATH) this.#namespaces.pop();
    } else {
      if (namespace === html.NS.SVG) foreignContent.adjustTokenSVGTagName(token);
      // a page's markup within a drawing: `<foreignObject>`, `<title>`…
      if (foreignContent.isIntegrationPoint(token.tagID, namespace, token.attrs))
        this.#namespaces.push(html.NS.HTML);
    }
    this.#tokenizer.inForeignNode = this.#isForeign();
    return this.#namespaces.length > 1;
  }

  #leave(token: Token.TagToken): void {
    const [outer, inner] = this.#namespaces.slice(-2);
    if (inner === undefined) return;
    if (inner === html.NS.HTML) {
      if (outer === html.NS.SVG) foreignContent.adjustTokenSVGTagName(token);
      if (foreignContent.isIntegrationPoint(token.tagID, outer ?? html.NS.HTML, token.attrs))
        this.#namespaces.pop();
    } else if (token.tagID === (inner === html.NS.SVG ? TAG.SVG : TAG.MATH)) {
      this.#namespaces.pop();
    }
    this.#tokenizer.inForeignNode = this.#isForeign();
  }

  /** Says what is no markup, as the parser of a browser does. `<noscript>` is read as one without scripts reads it. */
  #setMode(tag: html.TAG_ID): void {
    switch (tag) {
      case TAG.SCRIPT:
        this.#tokenizer.state = TokenizerMode.SCRIPT_DATA;
        break;
      case TAG.TITLE:
      case TAG.TEXTAREA:
        this.#tokenizer.state = TokenizerMode.RCDATA;
        break;
      case TAG.STYLE:
      case TAG.XMP:
      case TAG.IFRAME:
      case TAG.NOEMBED:
      case TAG.NOFRAMES:
        this.#tokenizer.state = TokenizerMode.RAWTEXT;
        break;
      case TAG.PLAINTEXT:
        this.#tokenizer.state = TokenizerMode.PLAINTEXT;
        break;
      default:
    }
  }

  #endStyle(): void {
    const style = this.#style?.join("");
    this.#style = undefined;
    if (style) styleLoads(style, this.#base, this.#found);
  }

  #lookAt(element: string, attributes: readonly Token.Attribute[]): void {
    const loaded = ADDRESSES.get(element);
    const list = LISTS.get(element);
    for (const { name, value } of attributes) {
      if (loaded?.includes(name) === true) this.#load(value);
      else if (name === list) for (const address of srcsetAddresses(value)) this.#load(address);
      else if (PRESENTATION.test(name)) {
        if (value.includes("(")) styleLoads(value, this.#base, this.#found);
      } else if (name === "srcdoc" && element === "iframe") this.#nestedPage(value);
    }
    if (element === "link" || element === "meta" || element === "base") this.#lookAtHead(element, attributes);
  }

  #lookAtHead(element: string, attributes: readonly Token.Attribute[]): void {
    const valueOf = (name: string): string | undefined =>
      attributes.find((other) => other.name === name)?.value;
    const address = valueOf("href");
    if (element === "link") {
      const relations = (valueOf("rel") ?? "").toLowerCase().split(/[\t\n\f\r ]+/);
      if (address !== undefined && relations.some((relation) => LOADING_RELATIONS.has(relation)))
        this.#load(address);
    } else if (element === "base") {
      // only the first one counts, and only from here on
      if (address === undefined || this.#hasBase) return;
      this.#hasBase = true;
      this.#base = baseOf(address);
    } else if (valueOf("http-equiv")?.toLowerCase() === "refresh") {
      const next = DELAY_AND_ADDRESS.exec(valueOf("content") ?? "")?.[1] ?? "";
      this.#load(/^(["'])(.*?)(?:\1|$)/s.exec(next)?.[2] ?? next);
    }
  }

  #nestedPage(text: string): void {
    if (this.#nested === MOST_NESTED) return;
    const page = new PageLoads(this.#found, this.#nested + 1);
    page.#base = this.#base;
    page.write(text);
    page.end();
  }

  #load(address: string): void {
    const found = elsewhere(address, this.#base);
    if (found !== undefined) this.#found(found);
  }
}
