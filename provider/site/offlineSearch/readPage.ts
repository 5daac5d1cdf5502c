import { hash } from "node:crypto";
import { ownBytes } from "../search/ownMemory";
import type { Section } from "../search/textIndex";
import type { PageText } from "./pageText";
import { renderedText, type RenderedText } from "./renderedPages";

/** A page as the search keeps it until all pages are read: its text once, and outside of the heap. */
export class ReadPage {
  readonly path: string;
  readonly language: string;
  readonly title: string;
  /** The first one; empty if the page has none. */
  readonly heading: string;
  /** The same for pages with the same text and anchors. */
  readonly digest: string;
  /** Set if a script runs on the page. */
  readonly rendered: RenderedText;
  #sections: Buffer | undefined;

  constructor(path: string, text: PageText) {
    const { language, title, sections } = text;
    this.path = path;
    this.language = language;
    this.title = title;
    this.heading = sections.find(({ heading }) => heading !== "")?.heading ?? "";
    this.rendered = renderedText(text);
    this.#sections = ownBytes(JSON.stringify(sections));
    this.digest = hash("sha256", this.#sections, "base64");
  }

  /** Gives the text away, and keeps none. */
  takeSections(): Section[] {
    const json = this.#sections?.toString() ?? "[]";
    this.#sections = undefined;
    return JSON.parse(json) as Section[];
  }
}
