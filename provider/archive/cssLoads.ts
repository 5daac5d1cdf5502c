import { type CSSToken, tokenizer, TokenType } from "@csstools/css-tokenizer";
import { elsewhere, NOT_LOOKED_AT } from "./elsewhere";

/** Of one style: it is read in one go, in which nobody can stop it. */
const MOST_CHARACTERS = 4 * 1_024 * 1_024;

/** Without one of these a style loads nothing. A backslash can hide any of them. */
const MAY_LOAD = /url\(|@import|image-set\(|src\(|\\/i;

const IMAGE_SET = /^(?:-webkit-)?image-set$/;
const ADDRESS = /^(?:url|src)$/;
/** Rules whose address is only a name. */
const NAMING = /^(?:namespace|(?:-moz-)?document)$/;

/**
 * The addresses that a style loads when it is used: `@import`, `url()`, `src()`, the strings of `image-set()`. Conditions (`@media`)
 * are not asked, as another screen has other ones.
 */
export function* cssLoads(css: string): Generator<string, void, undefined> {
  if (!MAY_LOAD.test(css)) return;
  const { nextToken, endOfFile } = tokenizer({ css });
  let isNaming = false;
  let isAddressNext = false;
  /** How many parentheses are open within an `image-set()`, its own included. */
  let depth = 0;
  while (!endOfFile()) {
    const token: CSSToken = nextToken();
    const wasAddressNext: boolean = isAddressNext;
    isAddressNext = false;
    switch (token[0]) {
      case TokenType.Whitespace:
      case TokenType.Comment:
        isAddressNext = wasAddressNext;
        break;
      case TokenType.URL:
        if (!isNaming) yield token[4].value;
        break;
      case TokenType.String:
        if (!isNaming && (wasAddressNext || depth === 1)) yield token[4].value;
        break;
      case TokenType.AtKeyword: {
        const name = token[4].value.toLowerCase();
        isNaming = NAMING.test(name);
        isAddressNext = name === "import";
        break;
      }
      case TokenType.Function: {
        const name = token[4].value.toLowerCase();
        isAddressNext = ADDRESS.test(name);
        if (depth > 0 || IMAGE_SET.test(name)) depth++;
        break;
      }
      case TokenType.OpenParen:
        if (depth > 0) depth++;
        break;
      case TokenType.CloseParen:
        if (depth > 0) depth--;
        break;
      case TokenType.Semicolon:
      case TokenType.OpenCurly:
      case TokenType.CloseCurly:
        isNaming = false;
        depth = 0;
        break;
      default:
    }
  }
}

/**
 * Tells what a style loads from elsewhere.
 *
 * @param base that its addresses are below
 */
export function styleLoads(css: string, base: string, found: (address: string) => void): void {
  if (css.length > MOST_CHARACTERS) return found(NOT_LOOKED_AT);
  for (const address of cssLoads(css)) {
    const outside = elsewhere(address, base);
    if (outside !== undefined) found(outside);
  }
}
