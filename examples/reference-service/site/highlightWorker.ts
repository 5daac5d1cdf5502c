// The highlighting itself, in its own thread: grammars are patterns that can take hours for a line of two thousand characters,
// and only a thread can be stopped during one.
import { parentPort } from "node:worker_threads";
import { createCssVariablesTheme, createHighlighterCore } from "shiki/core";
import { createOnigurumaEngine } from "shiki/engine/oniguruma";
import { type BundledLanguage, bundledLanguages } from "shiki/langs";

/** A code block, in a language for which `isKnownLanguage` is true. */
export interface CodeBlock {
  code: string;
  language: BundledLanguage;
}

export interface Token {
  className: string | undefined;
  value: string;
}

/** `begun` follows when the grammar is loaded: only the time after it depends on the code. */
export type HighlightReply = "begun" | Token[];

/**
 * A theme whose colours are names: each token becomes a class, and the stylesheet decides its colour for light and dark. That
 * needs no inline style and tokenizes once for both.
 */
const THEME = createCssVariablesTheme({ name: "classes", variablePrefix: "--", fontStyle: false });
const TOKEN_COLOUR = /^var\(--token-([\w-]+)\)$/;

/** Characters. A longer line (minified code) is not highlighted. */
const LONGEST_LINE = 2_000;

/** Creating it takes a quarter of a second and some megabytes. */
const highlighter = createHighlighterCore({
  themes: [THEME],
  engine: createOnigurumaEngine(import("shiki/wasm")),
});

parentPort?.on("message", ({ code, language }: CodeBlock) => {
  void (async () => {
    const loaded = await highlighter;
    await loaded.loadLanguage(bundledLanguages[language]);
    reply("begun");
    const lines = loaded.codeToTokensBase(code, {
      lang: language,
      theme: "classes",
      tokenizeMaxLineLength: LONGEST_LINE,
      tokenizeTimeLimit: 0, // it would highlight one half of a line; a block that is too slow stays plain as a whole
    });
    reply(lines.flatMap((line, index) => mergeTokens(line, index > 0)));
  })();
});

function reply(message: HighlightReply): void {
  parentPort?.postMessage(message);
}

/** Joins neighbours of one colour: a third of the spans, with the same appearance. */
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
