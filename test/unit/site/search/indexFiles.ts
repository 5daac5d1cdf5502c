import type { DataFile, TextIndex } from "../../../../provider/site/search/textIndex.ts";

/** All files of an index: the list, and the others in their order. */
export function indexFiles(
  index: TextIndex,
  language: string,
  addressOf: (path: string) => string = (path) => path,
): { readonly list: DataFile; readonly parts: readonly DataFile[] } {
  const parts: DataFile[] = [];
  const files = index.files(language, addressOf);
  for (;;) {
    const { done, value } = files.next();
    if (done === true) return { list: value, parts };
    parts.push(value);
  }
}
