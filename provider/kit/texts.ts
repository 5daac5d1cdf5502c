import { existsSync } from "node:fs";
import { chmod, copyFile, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { spaced } from "../messages/plainText";

/**
 * The folder of files that the package contains unchanged: compiled code is in another folder, and a compiler copies no scripts.
 */
const OWN_FOLDER = "provider/kit";

/** Values of a kit's README: a text, whether a section stays, or the entries of a list. */
export type TextValues = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/** Characters that would make a label Markdown instead of plain text. */
const MARKUP = /[\\`*<[\]]/g;

/** Scripts of a kit, from the folder `scripts/`. */
export type Script = "verify.sh" | "load.sh" | "install.sh";

export async function writeScript(name: Script, kit: string): Promise<void> {
  const to = join(kit, name);
  await copyFile(ownFile(`scripts/${name}`), to);
  await chmod(to, 0o755);
}

export async function writeSchema(kit: string): Promise<void> {
  await copyFile(ownFile("manifest.schema.json"), join(kit, "manifest.schema.json"));
}

export async function writeReadme(kit: string, values: TextValues): Promise<void> {
  const template = await readFile(ownFile("scripts/README.template.md"), "utf8");
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
    const [, kind, name = ""] = /^\{\{([#^/])(\w+)\}\}$/.exec(line.trim()) ?? [];
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

function ownFile(path: string): string {
  return join(packageFolder(__dirname), OWN_FOLDER, path);
}

function packageFolder(folder: string): string {
  return existsSync(join(folder, "package.json")) ? folder : packageFolder(dirname(folder));
}
