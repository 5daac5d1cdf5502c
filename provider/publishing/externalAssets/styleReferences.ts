import { type CSSToken, tokenizer, TokenType } from "@csstools/css-tokenizer";
import { mayLoad } from "../inspection/cssLoads";
import { SITE_HOST } from "../inspection/externalAddress";
import type { LoadKind } from "./loadKinds";
import {
  type AssetReference,
  type Edit,
  edited,
  fragmentOf,
  referenceIn,
  type Replacement,
  type Replacing,
  type TextBase,
} from "./references";

/** Longer styles are left as they are, in characters: the inspection does not read them either. */
const MAX_CHARACTERS = 4 * 1_024 * 1_024;
/** More errors than that are not a style sheet: each costs time. */
const MAX_ERRORS = 1_000;

const IMAGE_SET = /^(?:-webkit-)?image-set$/;
const ADDRESS = /^(?:url|src)$/;
/** An address with a scheme or a host. */
const WHOLE = /^[\0- ]*(?:[a-z][a-z0-9+.-]*:|[\\/]{2})/i;
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
  /** The custom property whose value follows, and whether the last token was a name that may begin one. */
  let property: string | undefined;
  let used: ReadonlySet<string> | undefined;
  let name: string | undefined;
  /** How many parentheses are open within an `image-set()`, including its own. */
  let depth = 0;
  while (!endOfFile()) {
    const token: CSSToken = nextToken();
    if (errors > MAX_ERRORS) return css;
    const [type, , start, end] = token;
    if (type === TokenType.Whitespace || type === TokenType.Comment) continue;
    const wasAddressNext = isAddressNext;
    isAddressNext = false;
    if (type === TokenType.Colon && name !== undefined) property = name;
    name = type === TokenType.Ident && token[4].value.startsWith("--") ? token[4].value : undefined;
    if (type === TokenType.URL || type === TokenType.String) {
      const isAddress = type === TokenType.URL || wasAddressNext || depth === 1;
      if (!isAddress || rule === "naming") continue;
      const { value } = token[4];
      const url = referenceIn(value, base, SITE_HOST);
      if (url === undefined) continue;
      const reference: AssetReference = { url, kind: kindIn(rule) };
      let replacement: Replacement | undefined;
      if (property !== undefined && WHOLE.test(value)) {
        used ??= propertiesUsedIn(css);
        replacement = replacing.replace({ ...reference, property: { isUsedHere: used.has(property) } }, base);
      } else replacement = replacing.replace(reference, base);
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
      property = undefined;
      if (rule !== "font-face" || type === TokenType.CloseCurly) rule = "other";
    }
  }
  return edited(css, edits);
}

/** The custom properties that a style uses: `var(--name)`. */
const propertiesUsedIn = (css: string): ReadonlySet<string> =>
  new Set(css.matchAll(/var\(\s*(--[^\s,)]+)/gi).map(([, name = ""]) => name));

function kindIn(rule: "import" | "font-face" | "naming" | "other"): LoadKind {
  if (rule === "import") return "style";
  return rule === "font-face" ? "font" : "any";
}
