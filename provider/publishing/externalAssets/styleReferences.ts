import { type CSSToken, tokenizer, TokenType } from "@csstools/css-tokenizer";
import { mayLoad } from "../inspection/cssLoads";
import { SITE_HOST } from "../inspection/externalAddress";
import type { LoadKind } from "./loadKinds";
import { type Edit, edited, fragmentOf, referenceIn, type Replacing, type TextBase } from "./references";

/** Longer styles are left as they are, in characters: the inspection does not read them either. */
const MAX_CHARACTERS = 4 * 1_024 * 1_024;
/** More errors than that are not a style sheet: each costs time. */
const MAX_ERRORS = 1_000;

const IMAGE_SET = /^(?:-webkit-)?image-set$/;
const ADDRESS = /^(?:url|src)$/;
/** Rules whose address is only an identifier. */
const NAMING = /^(?:namespace|(?:-moz-)?document)$/;

/**
 * Replaces what a style sheet, or the value of a property, loads from other hosts. Its positions are those of the tokenizer, so that all
 * else stays as it is.
 */
export function replaceInStyle(css: string, base: TextBase, replacing: Replacing): string {
  if (!mayLoad(css) || css.length > MAX_CHARACTERS) return css;
  const edits: Edit[] = [];
  let errors = 0;
  const { nextToken, endOfFile } = tokenizer({ css }, { onParseError: () => errors++ });
  /** The rule that a name begins, until its end. */
  let rule: "import" | "font-face" | "naming" | "other" = "other";
  let isAddressNext = false;
  /** How many parentheses are open within an `image-set()`, including its own. */
  let depth = 0;
  while (!endOfFile()) {
    const token: CSSToken = nextToken();
    if (errors > MAX_ERRORS) return css;
    const [type, , start, end] = token;
    if (type === TokenType.Whitespace || type === TokenType.Comment) continue;
    const wasAddressNext = isAddressNext;
    isAddressNext = false;
    if (type === TokenType.URL || type === TokenType.String) {
      const isAddress = type === TokenType.URL || wasAddressNext || depth === 1;
      if (!isAddress || rule === "naming") continue;
      const { value } = token[4];
      const url = referenceIn(value, base, SITE_HOST);
      const replacement = url && replacing.replace({ url, kind: kindIn(rule) }, base);
      if (replacement === undefined) continue;
      const address = `"${replacement.address}${fragmentOf(value)}"`;
      edits.push({ start, end: end + 1, text: type === TokenType.URL ? `url(${address})` : address });
    } else if (type === TokenType.AtKeyword) {
      const name = token[4].value.toLowerCase();
      rule = NAMING.test(name) ? "naming" : name === "import" || name === "font-face" ? name : "other";
      isAddressNext = name === "import";
    } else if (type === TokenType.Function) {
      const name = token[4].value.toLowerCase();
      isAddressNext = ADDRESS.test(name);
      if (depth > 0 || IMAGE_SET.test(name)) depth++;
    } else if (type === TokenType.OpenParen && depth > 0) depth++;
    else if (type === TokenType.CloseParen && depth > 0) depth--;
    else if (type === TokenType.OpenCurly || type === TokenType.Semicolon || type === TokenType.CloseCurly) {
      depth = 0;
      if (rule !== "font-face" || type === TokenType.CloseCurly) rule = "other";
    }
  }
  return edited(css, edits);
}

function kindIn(rule: "import" | "font-face" | "naming" | "other"): LoadKind {
  if (rule === "import") return "style";
  return rule === "font-face" ? "font" : "any";
}
