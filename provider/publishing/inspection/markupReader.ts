import { foreignContent, html, type Token, type TokenHandler, Tokenizer, TokenizerMode } from "parse5";

const TAG = html.TAG_ID;

/** Elements whose content is not markup, as in a browser without scripts: `<noscript>` is none of them. */
const MODES: ReadonlyMap<html.TAG_ID, Tokenizer["state"]> = new Map([
  [TAG.SCRIPT, TokenizerMode.SCRIPT_DATA],
  [TAG.TITLE, TokenizerMode.RCDATA],
  [TAG.TEXTAREA, TokenizerMode.RCDATA],
  [TAG.STYLE, TokenizerMode.RAWTEXT],
  [TAG.XMP, TokenizerMode.RAWTEXT],
  [TAG.IFRAME, TokenizerMode.RAWTEXT],
  [TAG.NOEMBED, TokenizerMode.RAWTEXT],
  [TAG.NOFRAMES, TokenizerMode.RAWTEXT],
  [TAG.PLAINTEXT, TokenizerMode.PLAINTEXT],
]);

/**
 * Reads markup tag by tag. Of the open elements it knows only what the tokenizer must know: otherwise, the tokenizer would read
 * scripts, styles and the content of SVG as HTML. That is much smaller than a tree, so that hostile markup costs neither memory
 * nor stack.
 */
export abstract class MarkupReader implements TokenHandler {
  protected readonly tokenizer: Tokenizer;
  protected readonly isXml: boolean;
  /** Open namespaces, the innermost last: in SVG and MathML, only tags are markup. */
  readonly #namespaces: html.NS[] = [html.NS.HTML];

  /** @param hasLocations whether tokens say where they are in the text */
  constructor(isXml = false, hasLocations = false) {
    this.isXml = isXml;
    this.tokenizer = new Tokenizer({ sourceCodeLocationInfo: hasLocations }, this);
    this.tokenizer.inForeignNode = isXml;
  }

  /** Whether the text that follows belongs to SVG or MathML. */
  protected get isInForeign(): boolean {
    return this.#namespaces.at(-1) !== html.NS.HTML;
  }

  /** Whether the text that follows is that of a page, in no SVG or MathML. */
  protected get isInPage(): boolean {
    return !this.isXml && this.#namespaces.length === 1;
  }

  /** @param isForeign whether the element belongs to SVG, MathML or XML */
  protected abstract startTag(token: Token.TagToken, isForeign: boolean): void;
  protected abstract endTag(token: Token.TagToken): void;
  abstract onCharacter(token: Token.CharacterToken): void;
  abstract onComment(token: Token.CommentToken): void;

  /** Accepts the text in pieces of any size. */
  write(text: string): void {
    this.tokenizer.write(text, false);
  }

  onStartTag(token: Token.TagToken): void {
    const isForeign = this.isXml || this.#enter(token);
    const mode = isForeign ? undefined : MODES.get(token.tagID);
    if (mode !== undefined) this.tokenizer.state = mode;
    this.startTag(token, isForeign);
  }

  onEndTag(token: Token.TagToken): void {
    if (!this.isXml) this.#leave(token);
    this.endTag(token);
  }

  onWhitespaceCharacter(token: Token.CharacterToken): void {
    this.onCharacter(token);
  }

  // the tokenizer calls these, too; no reader needs them
  onNullCharacter(): void {}
  onDoctype(): void {}
  onEof(): void {}

  /** Tracks SVG and MathML for the tokenizer. @returns whether the element belongs to one of them */
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
      // HTML markup within SVG: `<foreignObject>`, `<title>`…
      if (foreignContent.isIntegrationPoint(token.tagID, namespace, token.attrs)) {
        this.#namespaces.push(html.NS.HTML);
      }
    }
    this.tokenizer.inForeignNode = this.isInForeign;
    return this.#namespaces.length > 1;
  }

  #leave(token: Token.TagToken): void {
    const [outer, inner] = this.#namespaces.slice(-2);
    if (inner === undefined) return;
    if (inner === html.NS.HTML) {
      if (outer === html.NS.SVG) foreignContent.adjustTokenSVGTagName(token);
      if (foreignContent.isIntegrationPoint(token.tagID, outer ?? html.NS.HTML, token.attrs)) {
        this.#namespaces.pop();
      }
    } else if (token.tagID === (inner === html.NS.SVG ? TAG.SVG : TAG.MATH)) {
      this.#namespaces.pop();
    }
    this.tokenizer.inForeignNode = this.isInForeign;
  }
}
