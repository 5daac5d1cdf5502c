// Texts that keep no other text in memory.
import type { Word } from "./words";

/** Shorter pieces of a text are copies anyway. In UTF-16 units. */
const SHORTEST_SLICE = 13;

/** A copy of a word: in V8, a longer piece of a text keeps the whole text in memory. */
export function ownCopy(word: string): string {
  return word.length < SHORTEST_SLICE ? word : Buffer.from(word).toString();
}

/** A text in UTF-8. `Buffer.from` would take the bytes from a pool that other buffers share, and keep all of it alive. */
export function ownBytes(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}

/** The words of runs of letters that were split before. They keep no page's text alive. */
export class KnownWords extends Map<string, readonly Word[]> {
  override set(run: string, words: readonly Word[]): this {
    const copies = words.map(({ text, parts }) => ({ text: ownCopy(text), parts: parts.map(ownCopy) }));
    return super.set(ownCopy(run), copies);
  }
}
