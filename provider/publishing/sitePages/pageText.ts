import { type Token, TokenizerMode } from "parse5";
import { MarkupReader } from "../inspection/markupReader";
import type { Section } from "../search/sections";
import { ContentElements, isHidden } from "./contentElements";
import { type Attribute, isMainPart, isSection } from "./contentTable";
import { type PageFacts, PageFactsReader } from "./pageFacts";
import { PageSections, titleOf } from "./pageSections";

/** What a page contributes to its site's search. */
export interface PageText extends PageFacts {
  readonly title: string;
  readonly sections: readonly Section[];
}

const VOID = new Set("area base br col embed hr img input link meta source track wbr".split(" "));
/** Elements that often have no end tag: their end cannot be found by counting. */
const UNCLOSED = new Set("p li dt dd option optgroup tr td th thead tbody tfoot html head body".split(" "));
interface OpenElement {
  readonly tag: string;
  depth: number;
}

/** Receives what a page is read as, beside its text. */
interface MarkupListener {
  startTag(token: Token.TagToken, isForeign: boolean): void;
  /** @param offset behind the tag's name, in UTF-16 units */
  endTag(token: Token.TagToken, offset: number): void;
  text(characters: string): void;
}

/** Reads a page's text. It follows tags and builds no tree, so that a page of any size and nesting costs little. */
export class PageReader extends MarkupReader {
  readonly #listener: MarkupListener | undefined;
  readonly #facts = new PageFactsReader();
  readonly #content = new ContentElements();
  readonly #sections = new PageSections();
  #skipped: OpenElement | undefined;
  #main: OpenElement | undefined;
  /** Number of open elements that can have their own header. */
  #sectionDepth = 0;
  /** An element that a browser does not show. */
  #hidden: OpenElement | undefined;

  constructor(listener?: MarkupListener) {
    super();
    this.#listener = listener;
  }

  end(): PageText {
    const isClosed = this.tokenizer.state === TokenizerMode.DATA && !this.isInForeign;
    this.tokenizer.write("", true);
    const sections = this.#sections.end();
    return { ...this.#facts.end(isClosed), title: titleOf(this.#facts.title), sections };
  }

  protected override startTag(token: Token.TagToken, isForeign: boolean): void {
    const { tagName: tag } = token;
    this.#listener?.startTag(token, isForeign);
    // as browsers that run scripts read it
    if (tag === "noscript" && !isForeign) this.tokenizer.state = TokenizerMode.RAWTEXT;
    if (isForeign && tag !== "svg" && tag !== "math") return;
    const attribute: Attribute = (name) => token.attrs.find((other) => other.name === name)?.value;
    this.#facts.startTag(tag, attribute, this.isInForeign);
    if (token.attrs.length > 0) this.#content.note(attribute);
    if (deepen(this.#skipped, tag)) return;
    const isOpen = !VOID.has(tag) && !(isForeign && token.selfClosing);
    const canBeFollowed = isOpen && !UNCLOSED.has(tag);
    const surroundings = {
      isInMain: this.#main !== undefined,
      isInHeading: this.#sections.isInHeading,
      isInSection: this.#sectionDepth > 0,
    };
    if (canBeFollowed && this.#content.isLeftOut(tag, attribute, surroundings)) {
      this.#skipped = { tag, depth: 1 };
      return;
    }
    if (!deepen(this.#main, tag) && isOpen && isMainPart(tag, attribute)) {
      this.#main = { tag, depth: 1 };
      this.#sections.beginMain(attribute("id"));
    }
    if (!deepen(this.#hidden, tag) && canBeFollowed && isHidden(attribute)) this.#hidden = { tag, depth: 1 };
    if (isSection(tag)) this.#sectionDepth++;
    this.#sections.startTag(tag, attribute, this.#hidden !== undefined);
  }

  protected override endTag(token: Token.TagToken): void {
    const { tagName: tag } = token;
    this.#listener?.endTag(token, this.tokenizer.preprocessor.offset);
    this.#facts.endTag(tag);
    if (this.#skipped) {
      if (this.#skipped.tag === tag && --this.#skipped.depth === 0) this.#skipped = undefined;
      return;
    }
    if (isSection(tag)) this.#sectionDepth = Math.max(0, this.#sectionDepth - 1);
    this.#sections.endTag(tag);
    if (this.#hidden?.tag === tag && --this.#hidden.depth === 0) this.#hidden = undefined;
    if (this.#main?.tag === tag && --this.#main.depth === 0) {
      this.#main = undefined;
      this.#sections.endMain();
    }
  }

  override onCharacter({ chars }: Token.CharacterToken): void {
    this.#listener?.text(chars);
    if (this.#facts.text(chars) || this.#skipped || this.isInForeign) return;
    this.#sections.text(chars);
  }

  override onWhitespaceCharacter({ chars }: Token.CharacterToken): void {
    this.#listener?.text(chars);
    if (!this.#facts.text(chars) && !this.#skipped) this.#sections.space(chars);
  }

  override onComment(): void {} // no text
}

/** Counts an element of the same name inside an open one. @returns whether there is an open one */
function deepen(open: OpenElement | undefined, tag: string): boolean {
  if (open?.tag === tag) open.depth++;
  return open !== undefined;
}
