import type { Attribute } from "./contentTable";
import { type Redirect, redirectIn } from "./redirect";

/** Types of `<script>` elements that are programs. */
const PROGRAM = /^\s*(?:$|module\s*$|(?:text|application)\/(?:x-)?(?:java|ecma)script\b)/i;
/** Most links of one page that are read. */
const MOST_LINKS = 500;

/** What a page says of itself, beside its text. */
export interface PageFacts {
  /** Language in lower case, such as `de` or `pt-br`; empty if the page does not say. */
  readonly language: string;
  /** Whether the page asks search engines to leave it out. */
  readonly isNoindex: boolean;
  /** Where a browser goes from the page without being asked to. */
  readonly redirect: Redirect | undefined;
  /** The nonce of its scripts, for a content security policy; empty without one. */
  readonly nonce: string;
  /** Whether a script runs on the page, which may make its content. */
  readonly hasScript: boolean;
  /** Whether an element at the end of the file belongs to the page's content. */
  readonly canAppend: boolean;
  /** Addresses of other pages that the page links to, as written. */
  readonly links: readonly string[];
  /** Addresses of scripts and styles that start with one slash. */
  readonly rootedLoads: readonly string[];
}

type Writable<Type> = {
  -readonly [Key in keyof Type]: Type[Key] extends readonly (infer Item)[] ? Item[] : Type[Key];
};

/** Reads what a page says of itself. */
export class PageFactsReader {
  readonly #facts: Writable<PageFacts> = {
    language: "",
    isNoindex: false,
    redirect: undefined,
    nonce: "",
    hasScript: false,
    canAppend: true,
    links: [],
    rootedLoads: [],
  };
  readonly #title: string[] = [];
  #isInTitle = false;
  /** Open `<template>` and `<select>`: a script in them does not run. */
  readonly #inert: string[] = [];

  /** The text of its first `<title>`. */
  get title(): string {
    return this.#title.join("");
  }

  /** @param isClosed whether the page ends outside of tags, scripts and the like */
  end(isClosed: boolean): PageFacts {
    const canAppend = this.#facts.canAppend && isClosed && this.#inert.length === 0;
    return { ...this.#facts, canAppend };
  }

  startTag(tag: string, attribute: Attribute, isForeign: boolean): void {
    if (tag === "template" || tag === "select") this.#inert.push(tag);
    if (tag === "frameset") this.#facts.canAppend = false;
    if (tag === "script" && PROGRAM.test(attribute("type") ?? "")) this.#facts.hasScript = true;
    if (tag === "html") this.#facts.language = languageOf(attribute("lang"));
    else if (tag === "title") this.#isInTitle = this.#title.length === 0 && !isForeign;
    else if (tag === "base" && attribute("href") !== undefined) this.#facts.canAppend = false;
    else if (tag === "meta") {
      const content = attribute("content") ?? "";
      if (/^(?:robots|googlebot)$/i.test(attribute("name") ?? "")) {
        this.#facts.isNoindex ||= isNoindex(content);
      }
      if (/^refresh$/i.test(attribute("http-equiv") ?? "")) this.#facts.redirect ??= redirectIn(content);
    } else if (tag === "a") {
      const address = attribute("href");
      if (address !== undefined && this.#facts.links.length < MOST_LINKS) this.#facts.links.push(address);
    } else if (tag === "script" || tag === "link") {
      const address = attribute(tag === "script" ? "src" : "href") ?? "";
      const { rootedLoads } = this.#facts;
      if (/^\/[^/]/.test(address) && rootedLoads.length < MOST_LINKS) rootedLoads.push(address);
      if (tag === "script") this.#facts.nonce ||= attribute("nonce") ?? "";
    }
  }

  endTag(tag: string): void {
    if (tag === "title") this.#isInTitle = false;
    if (tag === "template" && this.#inert.includes(tag)) this.#inert.length = this.#inert.lastIndexOf(tag);
    if (tag === "select" && this.#inert.at(-1) === tag) this.#inert.pop(); // a template around it stays open
  }

  /** @returns whether the text belongs to the title */
  text(characters: string): boolean {
    if (this.#isInTitle) this.#title.push(characters);
    return this.#isInTitle;
  }
}

/** Whether directives of a page for search engines leave it out. Those with a value, such as `max-image-preview:none`, do not. */
function isNoindex(directives: string): boolean {
  return directives
    .split(",")
    .filter((directive) => !directive.includes(":"))
    .some((directive) => /(?:^|\s)(?:noindex|none)(?:\s|$)/i.test(directive));
}

function languageOf(tag = ""): string {
  const language = tag.trim().toLowerCase().replaceAll("_", "-");
  return /^[a-z]{2,3}(?=$|-)[a-z0-9-]*$/.exec(language)?.[0] ?? "";
}
