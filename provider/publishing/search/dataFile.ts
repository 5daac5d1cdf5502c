import { hash } from "node:crypto";

/** A file of the index. */
export interface IndexFile {
  /** Name in the folder of the search. */
  readonly name: string;
  readonly text: string;
}

/** A file of data, with the key by which the search box knows it, and the part of the key that depends on its content. */
export interface DataFile extends IndexFile {
  readonly key: string;
  readonly id: string;
}

/** With this prefix, web servers recognise each name with a content id as immutable. */
export const IMMUTABLE = "c0de";

/** Part of a file's name that depends on its content. */
export function contentId(text: string): string {
  return hash("sha256", text).slice(0, 10);
}

/** A file of data for the search box: a script, because pages that are opened from a disk cannot read other files. */
export function dataFile(kind: string, content: string): DataFile {
  // valid in scripts of every age
  const json = content.replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
  const id = contentId(json);
  const key = `${kind}-${IMMUTABLE}${id}`;
  return {
    id,
    key,
    name: `${key}.js`,
    // with a byte order mark: otherwise a page in another encoding could decide how its scripts are read
    text: `\ufeff(self.docsHostingSearch??=[]).push([${JSON.stringify(key)},${json}])\n`,
  };
}

/** A part of a file. */
interface Part {
  /** What it counts for the size of the file, in characters. */
  readonly size: number;
}

/**
 * Divides parts into files.
 *
 * @param most size of a file, unless it has one part only
 * @param between characters between two parts
 */
export function* inFiles<Each extends Part>(
  parts: Iterable<Each>,
  most: number,
  between = 0,
): Generator<readonly [Each, ...Each[]], void, undefined> {
  let [file, total]: [[Each, ...Each[]] | undefined, number] = [undefined, 0];
  for (const part of parts) {
    if (file && total + part.size > most) {
      yield file;
      [file, total] = [undefined, 0];
    }
    if (file) file.push(part);
    else file = [part];
    total += part.size + between;
  }
  if (file) yield file;
}
