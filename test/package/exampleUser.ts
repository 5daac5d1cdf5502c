// A user who follows the README of an example.
import { execFile, execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import type { Registry } from "./registry.ts";

const NPM_CACHE = execFileSync("npm", ["config", "get", "cache"], { encoding: "utf8" }).trim();

/** The environment of a new user, without npm's and Pulumi's settings of the user who runs this test. */
export function newUser(folder: string, registry: Registry): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(npm|pulumi|docs_hosting)_/i.test(name),
  );
  return {
    ...Object.fromEntries(inherited),
    HOME: folder,
    PATH: `${dirname(process.execPath)}${delimiter}${process.env["PATH"] ?? ""}`,
    npm_config_registry: registry.url,
    DOCS_HOSTING_PACKAGE: registry.tarball,
    npm_config_cache: NPM_CACHE,
    npm_config_update_notifier: "false",
  };
}

/** A new user in an empty folder, logged in to a folder, who confirms all prompts. */
export function newPulumiUser(
  folder: string,
  registry: Registry,
): { folder: string; env: NodeJS.ProcessEnv & { PULUMI_HOME: string } } {
  for (const each of ["home", "empty", "state"]) mkdirSync(join(folder, each), { recursive: true });
  const env = {
    ...newUser(join(folder, "home"), registry),
    PULUMI_HOME: join(folder, "home/.pulumi"),
    PULUMI_BACKEND_URL: `file://${join(folder, "state")}`,
    PULUMI_CONFIG_PASSPHRASE: "scratch",
    PULUMI_SKIP_CONFIRMATIONS: "true",
    PULUMI_SKIP_UPDATE_CHECK: "true",
  };
  return { folder: join(folder, "empty"), env };
}

/** Writes a command that runs a program of this folder. */
export function addCommand(folder: string, name: string, program: string, ...args: string[]): void {
  mkdirSync(folder, { recursive: true });
  const command = ["node", join(import.meta.dirname, program), ...args].map((word) => `"${word}"`);
  writeFileSync(join(folder, name), `#!/bin/sh\nexec ${command.join(" ")} "$@"\n`);
  chmodSync(join(folder, name), 0o755);
}

/** Installs the replacement of Pulumi's Kubernetes plugin, in the version of a project's @pulumi/kubernetes. */
export function addKubernetesPlugin(pulumiHome: string, project: string): void {
  const manifest = join(project, "node_modules/@pulumi/kubernetes/package.json");
  const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { version: string };
  const plugin = join(pulumiHome, `plugins/resource-kubernetes-v${version}`);
  addCommand(plugin, "pulumi-resource-kubernetes", "kubernetesPlugin.ts", version);
}

/** @returns all output */
export async function type(commands: string, cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  const options = { cwd, env, maxBuffer: 2 ** 26 };
  const { stdout } = await promisify(execFile)("sh", ["-e", "-c", `exec 2>&1\n${commands}`], options).catch(
    (error: unknown) => {
      throw new Error((error as { stdout: string }).stdout, { cause: error });
    },
  );
  return stdout;
}

/** Lines that report a problem. */
export const complaints = (shown: string): string[] =>
  shown.split("\n").filter((line) => /warn|error/i.test(line));
