import type { Token } from "parse5";
import { mayLoad } from "./cssLoads";
import type { InspectedText, TextKind } from "./embedded";
import { baseUrlOf } from "./externalAddress";
import { NotInspected } from "./inspectionBudget";
import { ADDRESSES, FRAMES, LISTS, LOADING_RELATIONS, PRESENTATION, SCRIPTS, valueOf } from "./loadingTags";
import { srcsetAddresses } from "./srcset";
import { TagReader } from "./tagReader";

const DELAY_AND_ADDRESS =
  /^[\t\n\f\r ]*[0-9.]*[\t\n\f\r ]*[;,]?[\t\n\f\r ]*(?:url[\t\n\f\r ]*=[\t\n\f\r ]*)?(.*)$/is;

/** Maximum number of addresses in one attribute. */
const MAX_LISTED = 1_000;

/** Receives what a text loads. */
export interface LoadSink {
  /** @param isFrame whether the address is a separate document */
  load(address: string, base: string, isFrame: boolean): void;
  /** Receives the address of a module script, in addition to {@link load}. */
  module(address: string, base: string): void;
  /** Receives a style or a document embedded in the text: it is inspected next. */
  within(text: InspectedText): void;
}

/**
 * Finds what a page or an SVG file loads when it is opened: scripts, styles, images, fonts, media, frames, early connections,
 * and the page that it redirects to. Links that a reader follows and targets of forms are not loads.
 *
 * Loads of only some browsers count: in `<noscript>`, in a `<template>`, under a condition. Scripts are not run: what they request
 * then is not detected. Module scripts are read for their imports, which browsers load before any script runs.
 *
 * The same tokenizer reads XML, as it reads SVG within pages: CDATA is text, `<script/>` is closed, and the content of every
 * element is markup. Text that the two would read differently is either not XML, or reported nevertheless (`<IMG>`).
 */
export class MarkupLoads extends TagReader {
  readonly #sink: LoadSink;
  #base: string;
  #hasBase = false;
  /** Text of the open `<style>` or script. */
  #text: { readonly kind: TextKind; readonly pieces: string[] } | undefined;

  constructor(sink: LoadSink, base: string, isXml: boolean) {
    super(isXml);
    this.#sink = sink;
    this.#base = base;
  }

  protected override get isReadingText(): boolean {
    return this.#text !== undefined;
  }

  end(): void {
    this.tokenizer.write("", true);
    this.#endText(); // an unclosed element contains all the rest
  }

  protected override startTag(token: Token.TagToken, isForeign: boolean): void {
    const name = this.#localName(token.tagName).toLowerCase();
    const isOpen = !(isForeign && token.selfClosing);
    if (name === "style" && isOpen) this.#text = { kind: "css", pieces: [] };
    if (token.attrs.length === 0) return;
    const attributes = this.isXml ? token.attrs.map((each) => this.#localAttribute(each)) : token.attrs;
    this.#inspect(name, attributes);
    if (name === "script") this.#script(attributes, isOpen);
  }

  protected override endTag(token: Token.TagToken): void {
    if (/^(?:style|script)$/.test(this.#localName(token.tagName))) this.#endText();
  }

  override onCharacter({ chars }: Token.CharacterToken): void {
    this.#text?.pieces.push(chars);
  }

  /** Handles XML instructions: the tokenizer reports them as comments, and other comments load nothing. */
  override onComment({ data }: Token.CommentToken): void {
    if (!this.isXml || !data.startsWith("?xml-stylesheet")) return;
    if (!data.endsWith("?")) throw new NotInspected("a processing instruction with a > in it");
    const [, one, other] = /\shref\s*=\s*(?:"([^"]*)"|'([^']*)')/.exec(data) ?? [];
    this.#sink.load(one ?? other ?? "", this.#base, false);
  }

  #script(attributes: readonly Token.Attribute[], isOpen: boolean): void {
    const type = (valueOf(attributes, "type") ?? "")
      .replace(/^[\t\n\f\r ]+|[\t\n\f\r ]+$/g, "")
      .toLowerCase();
    const kind = SCRIPTS.get(type);
    const address = valueOf(attributes, "src") ?? valueOf(attributes, "href");
    if (kind === "module" && address !== undefined) this.#sink.module(address, this.#base);
    else if (kind !== undefined && isOpen) this.#text = { kind, pieces: [] };
  }

  #endText(): void {
    const { kind = "css", pieces = [] } = this.#text ?? {};
    this.#text = undefined;
    const text = pieces.join("");
    if (text !== "") this.#sink.within({ kind, text, base: this.#base });
  }

  /** Removes the namespace prefix: pages and SVG files contain no other elements. */
  #localName(name: string): string {
    return this.isXml ? name.slice(name.indexOf(":") + 1) : name;
  }

  #localAttribute({ name, value }: Token.Attribute): Token.Attribute {
    return { name: name.startsWith("xmlns:") ? "xmlns" : this.#localName(name), value };
  }

  #inspect(element: string, attributes: readonly Token.Attribute[]): void {
    for (const { name, value } of attributes) {
      if (ADDRESSES.has(`${element} ${name}`)) {
        if (name === "values") this.#loadList(value.split(";"));
        else this.#load(value, FRAMES.test(element));
      } else if (LISTS.test(`${element} ${name}`)) this.#loadList(srcsetAddresses(value));
      else if (PRESENTATION.test(name)) {
        // Stryker disable next-line ConditionalExpression: only quicker: a style that cannot load has no loads
        if (mayLoad(value)) this.#sink.within({ kind: "css", text: value, base: this.#base });
      } else if (name === "srcdoc" && element === "iframe") {
        this.#sink.within({ kind: "html", text: value, base: this.#base });
      }
    }
    if (element === "link" || element === "meta" || element === "base") {
      this.#inspectHead(element, attributes);
    }
  }

  #inspectHead(element: string, attributes: readonly Token.Attribute[]): void {
    const address = valueOf(attributes, "href");
    if (element === "link") {
      const relations = (valueOf(attributes, "rel") ?? "").toLowerCase().split(/[\t\n\f\r ]+/);
      if (address !== undefined && relations.some((relation) => LOADING_RELATIONS.has(relation))) {
        this.#load(address);
      }
      if (address !== undefined && relations.includes("modulepreload")) {
        this.#sink.module(address, this.#base);
      }
    } else if (element === "base") {
      // only the first one counts, and only for what follows
      if (address === undefined || this.#hasBase) return;
      this.#hasBase = true;
      this.#base = baseUrlOf(address);
    } else if (valueOf(attributes, "http-equiv")?.toLowerCase() === "refresh") {
      const next = DELAY_AND_ADDRESS.exec(valueOf(attributes, "content") ?? "")?.[1] ?? "";
      this.#load(/^(["'])(.*?)(?:\1|$)/s.exec(next)?.[2] ?? next);
    }
  }

  #loadList(addresses: Iterable<string>): void {
    let count = 0;
    for (const address of addresses) {
      if (++count > MAX_LISTED) throw new NotInspected(`a list of more than ${MAX_LISTED} addresses`);
      this.#load(address);
    }
  }

  #load(address: string, isFrame = false): void {
    this.#sink.load(address, this.#base, isFrame);
  }
}
