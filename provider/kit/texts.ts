import { existsSync } from "node:fs";
import { chmod, copyFile, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { spaced } from "../messages/plainText";

/** What comes with the package as it is: compiled code lies in another folder, and a compiler copies no scripts. */
const OWN_FOLDER = "provider/kit";

/** Values of a kit's README: a text, whether a section stays, or names for a list. */
export type TextValues = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/** Characters by which a label would be more than text in Markdown. */
const MARKUP = /[\\`*<[\]]/g;

/** Programs of a kit, in the folder `scripts/`. */
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
 * A template with its values: `{{name}}` is replaced; lines between `{{#name}}` and `{{/name}}` stay when there is such a value,
 * those between `{{^name}}` and `{{/name}}` when there is none. A value is one line of text, whatever is in it.
 */
export function filledIn(template: string, values: TextValues): string {
  const isThere = (name: string): boolean => values[name] !== undefined && values[name] !== false;
  /** Whether each section that a line is in stays. */
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
