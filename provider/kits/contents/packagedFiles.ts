import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { packageText } from "../../base/runtime/files/packageText";
import { filledIn, type TextValues } from "./filledIn";

/** Scripts of a kit, from the folder `scripts/`. */
type Script = "verify.sh" | "load.sh" | "install.sh";

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
