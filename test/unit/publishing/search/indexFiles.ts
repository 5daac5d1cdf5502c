import type { DataFile } from "../../../../provider/publishing/search/dataFile.ts";
import type { TextIndex } from "../../../../provider/publishing/search/textIndex.ts";

/** All files of an index: the list, and the others in their order. */
export function indexFiles(
  index: TextIndex,
  language: string,
  addressOf: (path: string) => string = (path) => path,
): { readonly list: DataFile; readonly parts: readonly DataFile[] } {
  const parts = [...index.files(language, addressOf)];
  const list = parts.pop();
  if (list === undefined) throw new Error("the index has no list");
  return { list, parts };
}
