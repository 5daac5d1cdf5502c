import { type Token, TokenizerMode } from "parse5";
import { IDLE_TAG } from "./loadingTags";
import { MarkupReader } from "./markupReader";

/** The end of a tag before a text that is left out: to read shorter ones takes less time than a part for each of them. */
const TAG_BEFORE_TEXT = />[^<]{32}/g;
/** How much of what was read is kept to be removed at once, in characters. */
const KEPT = 1_024;
/** The least length of a part of a script or the like that is longer than that, in characters. */
const FIRST_PART = 512;
/** A title or the like, or a script without text, with its end. */
const SHORT_TEXT = /[^<]{0,512}<\/[a-z]+>/iy;

/**
 * Reads only tags that may load something. It leaves out texts between tags, and ordinary tags with them: to read them takes most of the
 * time of a page.
 */
export abstract class TagReader extends MarkupReader {
  /** How many characters were left out before the part that is read. */
  #leftOut = 0;
  /** The least length of the next part; 0 between tags. */
  #part = 0;

  constructor(isXml: boolean, hasLocations = false) {
    super(isXml, hasLocations);
    this.tokenizer.preprocessor.bufferWaterline = KEPT;
  }

  /** Whether the text that follows is wanted: of a style or a script. */
  protected abstract get isReadingText(): boolean;

  override write(text: string): void {
    for (let at = 0; at < text.length;) {
      const isBetweenTags = this.tokenizer.state === TokenizerMode.DATA && !this.isReadingText;
      const from = isBetweenTags ? this.#nextTag(text, at) : at;
      this.#leftOut += from - at;
      at = this.#endOfPart(text, from, isBetweenTags);
      super.write(text.slice(from, at));
    }
  }

  override onStartTag(token: Token.TagToken): void {
    this.place(token.location);
    for (const each of Object.values(token.location?.attrs ?? {})) this.place(each);
    super.onStartTag(token);
  }

  override onEndTag(token: Token.TagToken): void {
    this.place(token.location);
    super.onEndTag(token);
  }

  /** Corrects a position of the tokenizer, which knows nothing of what was left out. */
  protected place(location: Token.Location | null): void {
    if (location === null) return;
    location.startOffset += this.#leftOut;
    location.endOffset += this.#leftOut;
  }

  /** Where the next tag begins that may load something; the length of the text if there is none. */
  #nextTag(text: string, at: number): number {
    let from = text.indexOf("<", at);
    if (this.isInPage) {
      for (IDLE_TAG.lastIndex = from; from >= 0 && IDLE_TAG.test(text);) {
        from = text.indexOf("<", IDLE_TAG.lastIndex);
        IDLE_TAG.lastIndex = from;
      }
    }
    return from < 0 ? text.length : from;
  }

  #endOfPart(text: string, from: number, isBetweenTags: boolean): number {
    const isFirst = this.#part === 0;
    // longer and longer parts: the tokenizer copies what it keeps for each
    this.#part = isBetweenTags ? 0 : Math.max(FIRST_PART, 2 * this.#part);
    if (isBetweenTags && this.isInPage) {
      const tagEnd = text.indexOf(">", from);
      return tagEnd < 0 ? text.length : tagEnd + 1;
    }
    SHORT_TEXT.lastIndex = from;
    if (isFirst && !isBetweenTags && SHORT_TEXT.test(text)) return SHORT_TEXT.lastIndex;
    TAG_BEFORE_TEXT.lastIndex = from + this.#part;
    const tagEnd = TAG_BEFORE_TEXT.exec(text)?.index;
    return tagEnd === undefined ? text.length : tagEnd + 1;
  }
}
