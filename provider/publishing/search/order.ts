import { compareTexts } from "../../base/runtime/values/textOrder";

/** Words in the order of {@link compareTexts}, sorted in parts: all at once would take too long. */
export function* inOrder(words: Iterable<string>): Generator<string, void, undefined> {
  const byBeginning = Map.groupBy(words, (word) => word.slice(0, 1));
  for (const [, some] of [...byBeginning].sort(([one], [other]) => compareTexts(one, other))) {
    yield* some.sort(compareTexts);
  }
}
