import { on } from "node:events";
import { Worker } from "node:worker_threads";
import { type BundledLanguage, bundledLanguages } from "shiki/langs";
import type { CodeBlock, HighlightReply, Token } from "./highlightWorker.ts";
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

/** Characters. A longer block stays plain. */
const LONGEST_BLOCK = 100_000;

/** So often a block of a site may be too slow; then the rest of its code stays plain. */
const MOST_SLOW_BLOCKS = 3;

/** Made when the first code block is met, then kept. Blocks take it in turns. */
let worker: Worker | undefined;
let turn: Promise<unknown> = Promise.resolve();

/** Colours the code of one site. */
export class CodeHighlighter {
  readonly #timeLimitMs: number;
  #slowBlocks = 0;

  /**
   * @param timeLimitMs for a block. Ordinary ones take a thousandth of it, so that the machine's speed does not decide what an
   *   export looks like
   */
  constructor(timeLimitMs: number) {
    this.#timeLimitMs = timeLimitMs;
  }

  /**
   * Replaces every code block of the page by a coloured one. Other work runs meanwhile.
   *
   * @param onSlow called with the language of each block that took too long and stays plain
   */
  async highlight(tree: Fragment, onSlow: (language: string) => void): Promise<void> {
    for (const pre of elementsOf(tree)) {
      const code = pre.childNodes.find((child): child is Element => child.nodeName === "code");
      if (pre.tagName !== "pre") continue;
      const language = code && attribute(code, "class")?.replace("language-", "");
      const source = textOf(code ?? pre).replace(/\n$/, "");
      const tokens = await this.#tokenize(source, language?.toLowerCase() ?? "", onSlow);
      const content = tokens.map(({ className, value }) =>
        className ? element("span", { class: className }, [text(value)]) : text(value),
      );
      // reachable by keyboard, because it may have to be scrolled
      const block = element("pre", { tabindex: "0" }, [element("code", {}, content)]);
      replace(
        pre,
        element("div", { class: "code", ...(language && { "data-language": language }) }, [block]),
      );
    }
  }

  async #tokenize(code: string, language: string, onSlow: (language: string) => void): Promise<Token[]> {
    const plain = [{ className: undefined, value: code }];
    const mayColour = code.length <= LONGEST_BLOCK && this.#slowBlocks < MOST_SLOW_BLOCKS;
    if (!mayColour || !isKnownLanguage(language)) return plain;
    const tokens = await inTurn(() => tokenizeInWorker({ code, language }, this.#timeLimitMs));
    if (tokens) return tokens;
    this.#slowBlocks++;
    onSlow(language);
    return plain;
  }
}

function isKnownLanguage(language: string): language is BundledLanguage {
  return Object.hasOwn(bundledLanguages, language);
}

function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  const result = turn.then(work);
  turn = result.catch(() => undefined);
  return result;
}

/** Undefined when it takes longer than the limit, or fails: the thread is then gone, and the next block gets a new one. */
async function tokenizeInWorker(block: CodeBlock, timeLimitMs: number): Promise<Token[] | undefined> {
  const asked = (worker ??= new Worker(new URL("./highlightWorker.ts", import.meta.url)));
  const limit = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  asked.ref(); // while a block waits for it the thread keeps the process, and only then
  try {
    const replies = on(asked, "message", { signal: limit.signal });
    asked.postMessage(block);
    for await (const [reply] of replies as AsyncIterable<[HighlightReply]>) {
      if (reply !== "begun") return reply;
      timer = setTimeout(() => limit.abort(), timeLimitMs);
    }
  } catch {
    // too slow, or a thread that ran out of memory: the page is worth more than its colours
  } finally {
    clearTimeout(timer);
    asked.unref();
  }
  worker = undefined;
  await asked.terminate();
  return undefined;
}
