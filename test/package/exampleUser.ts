// A user who follows the README of an example.
import { execFile, execFileSync } from "node:child_process";
import { delimiter, dirname } from "node:path";
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
    npm_config_cache: NPM_CACHE,
    npm_config_update_notifier: "false",
  };
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
