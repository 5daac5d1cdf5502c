import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { packageText } from "../../base/runtime/files/packageText";
import { spaced } from "../../base/runtime/messages/plainText";

/** Values of a kit's README: a text, whether a section stays, or the entries of a list. */
export type TextValues = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/** Characters that would make a label Markdown instead of plain text. */
const MARKUP = /[\\`*<[\]]/g;

/** Scripts of a kit, from the folder `scripts/`. */
export type Script = "verify.sh" | "load.sh" | "install.sh";

/** Writes an operator's script into a kit, executable. */
export async function writeScript(name: Script, kit: string): Promise<void> {
  const to = join(kit, name);
  await writeFile(to, packageText(`provider/kits/scripts/${name}`));
  await chmod(to, 0o755);
}

/** Writes the schema of `manifest.json` into a kit. */
export async function writeSchema(kit: string): Promise<void> {
  await writeFile(
    join(kit, "manifest.schema.json"),
    packageText("provider/kits/contents/manifest.schema.json"),
  );
}

/** Writes the README of a kit. */
export async function writeReadme(kit: string, values: TextValues): Promise<void> {
  const template = packageText("provider/kits/scripts/README.template.md");
  await writeFile(join(kit, "README.md"), filledIn(template, values));
}

/**
 * Fills a template: `{{name}}` is replaced by its value. Lines between `{{#name}}` and `{{/name}}` stay if the value exists,
 * lines between `{{^name}}` and `{{/name}}` stay if it does not. A text value becomes one line.
 */
export function filledIn(template: string, values: TextValues): string {
  const isThere = (name: string): boolean => values[name] !== undefined && values[name] !== false;
  /** For each section around the current line, whether it stays. */
  const sections: boolean[] = [];
  const lines = template.split("\n").filter((line) => {
    const [, kind, name = ""] = /^\{\{([#^/])(\w+)\}\}$/.exec(line) ?? [];
    if (kind === "/") sections.pop();
    else if (kind !== undefined) sections.push(isThere(name) === (kind === "#"));
    return kind === undefined && !sections.includes(false);
  });
  return lines.join("\n").replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = values[name];
    if (typeof value === "string") return spaced(value).replace(MARKUP, "\\$&");
    if (Array.isArray(value)) return value.map((each) => `- \`${String(each)}\``).join("\n");
    throw new Error(`the text of a kit has no value for ${name}`);
  });
}
