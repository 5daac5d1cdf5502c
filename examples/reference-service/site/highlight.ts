import { setImmediate as nextTurn } from "node:timers/promises";
import { createCssVariablesTheme, createHighlighterCore } from "shiki/core";
import { createOnigurumaEngine } from "shiki/engine/oniguruma";
import { bundledLanguages } from "shiki/langs";
import {
  type Element,
  type Fragment,
  attribute,
  element,
  elementsOf,
  replace,
  text,
  textOf,
} from "./htmlTree.ts";

/**
 * A theme whose colours are names: each token becomes a class and the stylesheet decides, for light and for dark. That
 * needs no inline style and tokenizes once for both.
 */
const THEME = createCssVariablesTheme({ name: "classes", variablePrefix: "--", fontStyle: false });
const TOKEN_COLOUR = /^var\(--token-([\w-]+)\)$/;

/** Characters. A longer line (minified code) stays plain. */
const LONGEST_LINE = 2_000;

/** Made when the first code block is met, then kept: it takes a quarter of a second and some megabytes. */
let highlighter: ReturnType<typeof createHighlighterCore> | undefined;

const grammars = new Map(Object.entries(bundledLanguages));

/** Replaces every code block of the page by a coloured one. Lets other work run between two blocks. */
export async function highlightCode(tree: Fragment): Promise<void> {
  for (const pre of elementsOf(tree)) {
    const code = pre.childNodes.find((child): child is Element => child.nodeName === "code");
    if (pre.tagName !== "pre") continue;
    const language = code && attribute(code, "class")?.replace("language-", "");
    const source = textOf(code ?? pre).replace(/\n$/, "");
    const tokens = await tokenize(source, language?.toLowerCase() ?? "");
    const content = tokens.map(({ className, value }) =>
      className ? element("span", { class: className }, [text(value)]) : text(value),
    );
    // reachable by keyboard, because it may have to be scrolled
    const block = element("pre", { tabindex: "0" }, [element("code", {}, content)]);
    replace(pre, element("div", { class: "code", ...(language && { "data-language": language }) }, [block]));
    await nextTurn();
  }
}

interface Token {
  className: string | undefined;
  value: string;
}

async function tokenize(code: string, language: string): Promise<Token[]> {
  const plain = [{ className: undefined, value: code }];
  const grammar = grammars.get(language);
  if (!grammar) return plain;
  highlighter ??= createHighlighterCore({
    themes: [THEME],
    engine: createOnigurumaEngine(import("shiki/wasm")),
  });
  const loaded = await highlighter;
  await loaded.loadLanguage(grammar);
  const lines = loaded.codeToTokensBase(code, {
    lang: language,
    theme: "classes",
    tokenizeMaxLineLength: LONGEST_LINE,
    tokenizeTimeLimit: 0, // a limit in time would let the machine's speed decide what an export looks like
  });
  return lines.flatMap((line, index) => mergeTokens(line, index > 0));
}

/** Joins neighbours of one colour: a third of the spans, the same picture. */
function mergeTokens(line: readonly { content: string; color?: string }[], startsNewLine: boolean): Token[] {
  const merged: Token[] = startsNewLine ? [{ className: undefined, value: "\n" }] : [];
  for (const { content, color } of line) {
    const name = TOKEN_COLOUR.exec(color ?? "")?.[1];
    const className = name === undefined || content.trim() === "" ? undefined : `t-${name}`;
    const last = merged.at(-1);
    if (last && last.className === className) last.value += content;
    else merged.push({ className, value: content });
  }
  return merged;
}
