import { type CSSToken, tokenizer, TokenType } from "@csstools/css-tokenizer";
import { type InspectionBudget, NotInspected } from "./inspectionBudget";

/** Maximum number of characters in one style sheet. */
const MAX_CHARACTERS = 4 * 1_024 * 1_024;

/** Maximum number of errors in one style sheet: real ones have a few. */
const MAX_ERRORS = 1_000;
/** Cost of an error in characters: the default limits allow a million errors, for which the tokenizer takes some seconds. */
const ERROR_WORK = 8_000;

/** How many characters are read between two charges to the budget. */
const SLICE = 16 * 1_024;

/** A style without one of these loads nothing. A backslash can hide any of them. */
const MAY_LOAD = /url\(|@import|image-set\(|src\(|\\/i;

const IMAGE_SET = /^(?:-webkit-)?image-set$/;
const ADDRESS = /^(?:url|src)$/;
/** Rules whose address is only an identifier. */
const NAMING = /^(?:namespace|(?:-moz-)?document)$/;

/** What ends a rule or a declaration. */
const ENDS = new Set<TokenType>([TokenType.Semicolon, TokenType.OpenCurly, TokenType.CloseCurly]);

/** Whether a style sheet may load something: a quick check before it is tokenized. */
export function mayLoad(css: string): boolean {
  return MAY_LOAD.test(css);
}

/**
 * Finds the addresses that a style loads: `@import`, `url()`, `src()`, the strings of `image-set()`. Conditions (`@media`) are
 * ignored, because they differ between screens.
 *
 * @throws NotInspected; the signal's reason
 */
export async function cssLoads(
  css: string,
  budget: InspectionBudget,
  load: (address: string) => void,
): Promise<void> {
  if (!mayLoad(css)) return budget.spend(css.length);
  if (css.length > MAX_CHARACTERS) throw new NotInspected("too large");
  let errors = 0;
  let spent = 0;
  const { nextToken, endOfFile } = tokenizer({ css }, { onParseError: () => errors++ });
  let isNaming = false;
  let isAddressNext = false;
  /** How many parentheses are open within an `image-set()`, including its own. */
  let depth = 0;
  while (!endOfFile()) {
    const token: CSSToken = nextToken();
    if (errors > MAX_ERRORS) throw new NotInspected(`more than ${MAX_ERRORS} errors in one style sheet`);
    // Stryker disable ArithmeticOperator,ConditionalExpression,EqualityOperator: it decides when others get their turn
    const work = token[3] + errors * ERROR_WORK;
    if (work - spent > SLICE) {
      await budget.spend(work - spent);
      spent = work;
    }
    // Stryker restore all
    if (token[0] === TokenType.Whitespace || token[0] === TokenType.Comment) continue;
    const wasAddressNext: boolean = isAddressNext;
    isAddressNext = false;
    if (token[0] === TokenType.URL || token[0] === TokenType.String) {
      const isAddress = token[0] === TokenType.URL || wasAddressNext || depth === 1;
      if (isAddress && !isNaming) load(token[4].value);
    } else if (token[0] === TokenType.AtKeyword) {
      const name = token[4].value.toLowerCase();
      isNaming = NAMING.test(name);
      isAddressNext = name === "import";
    } else if (token[0] === TokenType.Function) {
      const name = token[4].value.toLowerCase();
      isAddressNext = ADDRESS.test(name);
      if (depth > 0 || IMAGE_SET.test(name)) depth++;
    } else if (token[0] === TokenType.OpenParen && depth > 0) depth++;
    else if (token[0] === TokenType.CloseParen && depth > 0) depth--;
    else if (ENDS.has(token[0])) [isNaming, depth] = [false, 0];
  }
  await budget.spend(css.length + errors * ERROR_WORK - spent);
}
