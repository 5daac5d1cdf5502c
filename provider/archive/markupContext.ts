import { foreignContent, html, type Token, type Tokenizer, TokenizerMode } from "parse5";

const TAG = html.TAG_ID;

/**
 * What a tokenizer must know about the open elements: without it, the tokenizer would read scripts, styles and the content of
 * SVG as HTML. Much smaller than a tree, so that hostile markup costs neither memory nor stack.
 */
export class MarkupContext {
  readonly #tokenizer: Tokenizer;
  readonly #isXml: boolean;
  /** Open namespaces, the innermost last: in SVG and MathML, only tags are markup. */
  readonly #namespaces: html.NS[] = [html.NS.HTML];

  constructor(tokenizer: Tokenizer, isXml: boolean) {
    this.#tokenizer = tokenizer;
    this.#isXml = isXml;
    tokenizer.inForeignNode = isXml;
  }

  /** Whether the text that follows belongs to SVG or MathML. */
  get isForeign(): boolean {
    return this.#namespaces.at(-1) !== html.NS.HTML;
  }

  /** Call it for every start tag. @returns whether the element belongs to SVG, MathML or XML */
  startTag(token: Token.TagToken): boolean {
    const isForeign = this.#isXml || this.#enter(token);
    if (!isForeign) this.#setMode(token.tagID);
    return isForeign;
  }

  /** Call it for every end tag. */
  endTag(token: Token.TagToken): void {
    if (!this.#isXml) this.#leave(token);
  }

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
      if (foreignContent.isIntegrationPoint(token.tagID, namespace, token.attrs))
        this.#namespaces.push(html.NS.HTML);
    }
    this.#tokenizer.inForeignNode = this.isForeign;
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
    this.#tokenizer.inForeignNode = this.isForeign;
  }

  /** Sets what is not markup, as a browser's parser does. `<noscript>` is read as a browser without scripts reads it. */
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
}
