import type { Yielder } from "../archives/yielder";
import type { TextKind } from "../inspection/embedded";
import { MarkupReferences } from "./markupReferences";
import { replaceInImportMap, replaceInManifest, replaceInModule } from "./moduleReferences";
import type { Replacing, TextBase } from "./references";
import { replaceInStyle } from "./styleReferences";

/** How many characters the tokenizer for markup reads at once. */
const SLICE = 64 * 1_024;

/** How the replacements of a text are made, once it is known which of its own loads begin with a slash. */
type ReplacingIn = (rooted: readonly string[]) => Replacing;

/**
 * Replaces what a text of a site, or a text that was fetched for it, refers to at other hosts. All else stays as it is.
 *
 * @throws the signal's reason
 */
export async function replaceInText(
  kind: TextKind,
  text: string,
  base: TextBase,
  replacingIn: ReplacingIn,
  turns: Yielder,
): Promise<string> {
  if (kind === "html" || kind === "xml") {
    // the positions in a text with entities of its own would be others
    if (kind === "xml" && text.includes("<!ENTITY")) return text;
    const markup = new MarkupReferences(text, base, kind === "xml");
    for (let from = 0; from < text.length; from += SLICE) {
      markup.write(text.slice(from, from + SLICE));
      await turns.take(SLICE);
    }
    markup.end();
    return markup.replaced(replacingIn(markup.rooted));
  }
  await turns.take(text.length);
  const replacing = replacingIn([]);
  switch (kind) {
    case "css":
      return replaceInStyle(text, base, replacing);
    case "module":
      return replaceInModule(text, base, replacing);
    case "importmap":
      return replaceInImportMap(text, base, replacing);
    case "manifest":
      return replaceInManifest(text, base, replacing);
    case "json":
      return text;
  }
}
