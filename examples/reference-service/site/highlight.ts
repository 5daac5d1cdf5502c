import { on } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { type BundledLanguage, bundledLanguages } from "shiki/langs";
import type { CodeBlock, HighlightReply, Token } from "./highlightWorker.ts";
import {
  attribute,
  type Element,
  element,
  elementsOf,
  type Fragment,
  replace,
  text,
  textOf,
} from "./htmlTree.ts";

/** Characters. A longer block is not highlighted. */
const LONGEST_BLOCK = 100_000;

/** The number of blocks of a site that may be too slow; after them no more code is highlighted. */
const MOST_SLOW_BLOCKS = 3;

/** Between two looks at what a block has used, in milliseconds. */
const SHORTEST_WAIT_MS = 50;

/** Created for the first code block, then kept. One block after the other uses it. */
let worker: Worker | undefined;
let turn: Promise<unknown> = Promise.resolve();

/** Highlights the code of one site. */
export class CodeHighlighter {
  readonly #timeLimitMs: number;
  #slowBlocks = 0;

  /**
   * @param timeLimitMs for a block, of processor time. Ordinary blocks take a thousandth of it, so that the result depends neither
   *   on the speed of the machine nor on what else runs there
   */
  constructor(timeLimitMs: number) {
    this.#timeLimitMs = timeLimitMs;
  }

  /**
   * Replaces every code block of the page by a highlighted one. Other work runs meanwhile.
   *
   * @param onSlow called with the language of each block that took too long and is not highlighted
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
      const block = element("pre", {}, [element("code", {}, content)]);
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

/** Resolves once a thread has used this much processor time from now on: beside busy processes, an ordinary block may take seconds. */
async function usedUp(thread: Worker, limitMs: number, signal: AbortSignal): Promise<void> {
  const before = await thread.cpuUsage();
  for (let leftMs = limitMs; leftMs > 0;) {
    await delay(Math.max(leftMs, SHORTEST_WAIT_MS), undefined, { signal });
    const { user, system } = await thread.cpuUsage(before);
    leftMs = limitMs - (user + system) / 1_000;
  }
}

/** Undefined when it takes longer than the limit, or fails: the thread is then stopped, and the next block gets a new one. */
async function tokenizeInWorker(block: CodeBlock, timeLimitMs: number): Promise<Token[] | undefined> {
  const asked = (worker ??= new Worker(new URL("./highlightWorker.ts", import.meta.url)));
  const limit = new AbortController();
  const ended = new AbortController();
  asked.ref(); // the thread keeps the process alive only while a block waits for it
  try {
    const replies = on(asked, "message", { signal: limit.signal });
    asked.postMessage(block);
    for await (const [reply] of replies as AsyncIterable<[HighlightReply]>) {
      if (reply !== "begun") return reply;
      void usedUp(asked, timeLimitMs, ended.signal).then(
        () => limit.abort(),
        () => undefined,
      );
    }
  } catch {
    // too slow, or a thread that ran out of memory: the page is exported without highlighting
  } finally {
    ended.abort();
    asked.unref();
  }
  worker = undefined;
  await asked.terminate();
  return undefined;
}
