// The ways in which package managers lay out a program's dependencies.
import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export interface Layout {
  name: string;
  /** Path of the program in the project; "." if it is the project. */
  program: string;
  /** The expected path of the package in the project, so that the test covers what its name says. */
  packagePath: RegExp;
  command: string[];
  /** No development dependency: it must be on PATH. */
  isOptional?: boolean;
}

/** The version of bun in the workflow `tests`. */
export const BUN_VERSION = "1.4.5";

export const layouts: Layout[] = [
  {
    name: "npm",
    program: ".",
    packagePath: /^node_modules\/pulumi-docs-hosting\//,
    command: ["npm", "install", "--prefer-offline", "--no-audit", "--no-fund"],
  },
  {
    name: "an npm workspace",
    program: "packages/infra",
    packagePath: /^node_modules\/pulumi-docs-hosting\//,
    command: ["npm", "install", "--prefer-offline", "--no-audit", "--no-fund"],
  },
  {
    name: "pnpm",
    program: ".",
    packagePath: /^node_modules\/\.pnpm\//,
    command: ["pnpm", "install", "--prefer-offline", "--ignore-scripts", "--no-frozen-lockfile"],
  },
  {
    name: "yarn",
    program: ".",
    packagePath: /^node_modules\/pulumi-docs-hosting\//,
    command: [
      "yarn",
      "install",
      "--prefer-offline",
      "--ignore-scripts",
      "--no-lockfile",
      "--non-interactive",
    ],
  },
  {
    name: "bun",
    program: ".",
    packagePath: /^node_modules\/pulumi-docs-hosting\//,
    command: ["bun", "install", "--ignore-scripts", "--no-save"],
    isOptional: true,
  },
];

/** Creates a project with a TypeScript program in it, and installs its dependencies. */
export async function install(
  layout: Layout,
  project: string,
  program: { source: string; dependencies: Record<string, string>; ignoreScripts?: boolean },
): Promise<void> {
  const folder = join(project, layout.program);
  mkdirSync(folder, { recursive: true });
  const write = (path: string, content: object) =>
    writeFileSync(join(path, "package.json"), JSON.stringify(content));
  if (folder !== project) write(project, { name: "root", private: true, workspaces: ["packages/*"] });
  write(folder, { name: "user", version: "1.0.0", private: true, dependencies: program.dependencies });
  writeFileSync(join(folder, "index.ts"), program.source);
  const [command = "", ...args] = layout.command;
  const env = {
    ...(await environment(project)),
    ...(program.ignoreScripts && { npm_config_ignore_scripts: "true" }),
  };
  await run(command, args, { cwd: project, env });
}

/**
 * pnpm and yarn use npm's registry. Yarn takes a tarball of the same name and version from its cache, even with other content: it gets
 * its own cache.
 */
async function environment(project: string): Promise<NodeJS.ProcessEnv> {
  const { stdout } = await run("npm", ["config", "get", "registry"]);
  return {
    ...process.env,
    CI: "true",
    npm_config_registry: stdout.trim(),
    YARN_CACHE_FOLDER: join(project, ".cache"),
  };
}
