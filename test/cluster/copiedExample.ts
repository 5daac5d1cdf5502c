import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestContext } from "vitest";

const ROOT = join(import.meta.dirname, "../..");

export interface CopiedExample {
  /** For the settings of a stack. */
  program: string;
  changeProgram(change: (text: string) => string): Promise<void>;
  changeTemplate(file: string, change: (text: string) => string): Promise<void>;
}

/** A copy of an example that a test can edit, with the package installed in it. Removed when the test ends. */
export async function copyExample(
  context: Pick<TestContext, "onTestFinished">,
  name = "self-hosted",
): Promise<CopiedExample> {
  await mkdir(join(ROOT, ".work"), { recursive: true });
  const folder = await mkdtemp(join(ROOT, ".work/example-"));
  context.onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await cp(join(ROOT, "examples", name), folder, { recursive: true });
  await mkdir(join(folder, "node_modules"));
  await symlink(ROOT, join(folder, "node_modules/pulumi-docs-hosting"), "dir");
  const packages = join(folder, "node_modules/@pulumi");
  await symlink(join(ROOT, "node_modules/@pulumi"), packages, "dir");
  const changeFile = async (file: string, change: (text: string) => string) => {
    const text = await readFile(join(folder, file), "utf8");
    const changed = change(text);
    if (changed === text) throw new Error(`${file} has nothing to change`);
    await writeFile(join(folder, file), changed);
  };
  return {
    program: join(folder, "index.ts"),
    changeProgram: (change) => changeFile("index.ts", change),
    changeTemplate: (file, change) => changeFile(join("chart/templates", file), change),
  };
}
