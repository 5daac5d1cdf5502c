import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { TestContext } from "vitest";
import { findCommand, runCommand } from "../../programs/commands.ts";

export const ROOT = join(import.meta.dirname, "../../..");

/** What a program in YAML needs, and is not on PATH. */
export const missingForYaml = ["pulumi", "pulumi-language-yaml"].filter((command) => !findCommand(command));

/**
 * The first preview of a program in YAML, on the real CLI. No service is asked.
 *
 * @param files by their paths in a new folder, which is below the repository: packages find the modules there
 * @param program the folder of the program among them
 * @throws Error with what the CLI printed, if the preview fails
 */
export async function firstPreview(
  context: TestContext,
  files: Readonly<Record<string, string>>,
  program = ".",
): Promise<string> {
  await mkdir(join(ROOT, ".work"), { recursive: true });
  const folder = await mkdtemp(join(ROOT, ".work/yaml-"));
  context.onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, "state"));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  const cwd = join(folder, program);
  const env = {
    ...process.env,
    DOCS_HOSTING_BASE_URL: "http://127.0.0.1:1",
    DOCS_HOSTING_ADMIN_API_KEY: "svc_c4n4ry",
    PULUMI_HOME: join(folder, "home"),
    PULUMI_BACKEND_URL: `file://${join(folder, "state")}`,
    PULUMI_CONFIG_PASSPHRASE: "scratch",
    PULUMI_SKIP_UPDATE_CHECK: "true",
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
  };
  await runCommand("pulumi", ["stack", "init", "dev"], { cwd, env });
  return runCommand("pulumi", ["preview", "--non-interactive"], { cwd, env });
}
