import { ownCopy } from "./ownMemory";
import type { Word } from "./words";

/** The words of runs of letters that were split before. They keep no page's text alive. */
export class KnownWords extends Map<string, readonly Word[]> {
  override set(run: string, words: readonly Word[]): this {
    const copies = words.map(({ text, parts }) => ({ text: ownCopy(text), parts: parts.map(ownCopy) }));
    return super.set(ownCopy(run), copies);
  }
}
