// The colouring itself, in a thread of its own: grammars are patterns that can take hours for a line of two thousand characters,
// and only a thread can be stopped in the middle of one.
import { parentPort } from "node:worker_threads";
import { createCssVariablesTheme, createHighlighterCore } from "shiki/core";
import { createOnigurumaEngine } from "shiki/engine/oniguruma";
import { type BundledLanguage, bundledLanguages } from "shiki/langs";

/** A code block, in a language that `isKnownLanguage`. */
export interface CodeBlock {
  code: string;
  language: BundledLanguage;
}

export interface Token {
  className: string | undefined;
  value: string;
}

/** `begun` follows as soon as the grammar is loaded: only what comes then depends on the code. */
export type HighlightReply = "begun" | Token[];

/**
 * A theme whose colours are names: each token becomes a class and the stylesheet decides, for light and for dark. That
 * needs no inline style and tokenizes once for both.
 */
const THEME = createCssVariablesTheme({ name: "classes", variablePrefix: "--", fontStyle: false });
const TOKEN_COLOUR = /^var\(--token-([\w-]+)\)$/;

/** Characters. A longer line (minified code) stays plain. */
const LONGEST_LINE = 2_000;

/** It takes a quarter of a second and some megabytes. */
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
      tokenizeTimeLimit: 0, // it would colour one half of a line; too slow a block stays plain as a whole
    });
    reply(lines.flatMap((line, index) => mergeTokens(line, index > 0)));
  })();
});

function reply(message: HighlightReply): void {
  parentPort?.postMessage(message);
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
