// The ways in which package managers lay out a program's dependencies.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, renameSync, writeFileSync } from "node:fs";
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

/** Without scripts: @pulumi/kubernetes downloads its plugin in one. */
const NPM_INSTALL = ["npm", "install", "--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund"];

export const layouts: Layout[] = [
  {
    name: "npm",
    program: ".",
    packagePath: /^node_modules\/pulumi-docs-hosting\//,
    command: NPM_INSTALL,
  },
  {
    name: "an npm workspace",
    program: "packages/infra",
    packagePath: /^node_modules\/pulumi-docs-hosting\//,
    command: NPM_INSTALL,
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

interface Program {
  source: string;
  dependencies: Record<string, string>;
}

/**
 * Creates a project with a TypeScript program in it, and its dependencies, without their scripts. What has the same layout and
 * dependencies is installed once.
 *
 * @param shared a folder on the same disk as the project
 */
export async function install(
  layout: Layout,
  project: string,
  { source, dependencies }: Program,
  shared: string,
): Promise<void> {
  const key = createHash("sha256")
    .update(JSON.stringify([layout, dependencies]))
    .digest("hex")
    .slice(0, 12);
  const installed = join(shared, key);
  if (!existsSync(installed)) {
    const draft = mkdtempSync(join(shared, "draft-"));
    await installAt(layout, draft, dependencies);
    // another process may have been faster
    if (!existsSync(installed)) renameSync(draft, installed);
  }
  // hard links: nobody changes an installed file
  await run("cp", ["-al", `${installed}/.`, project]);
  writeFileSync(join(project, layout.program, "index.ts"), source);
}

async function installAt(
  layout: Layout,
  project: string,
  dependencies: Record<string, string>,
): Promise<void> {
  const folder = join(project, layout.program);
  mkdirSync(folder, { recursive: true });
  const write = (path: string, content: object) =>
    writeFileSync(join(path, "package.json"), JSON.stringify(content));
  if (folder !== project) write(project, { name: "root", private: true, workspaces: ["packages/*"] });
  write(folder, { name: "user", version: "1.0.0", private: true, dependencies });
  const [command = "", ...args] = layout.command;
  await run(command, args, { cwd: project, env: await environment(project) });
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
