// The image of examples/fleet/Dockerfile, made from this machine's files: no registry is needed.
import { existsSync } from "node:fs";
import { chmod, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { extract } from "tar";
import { availableEngines } from "../engine/availableEngines.ts";
import type { EngineKind } from "../engine/stack.ts";
import { pack } from "../package/pack.ts";
import { findCommand } from "../programs/commands.ts";
import { addBusybox, addProgram, saveImage } from "./node/images.ts";

const ROOT = join(import.meta.dirname, "../..");
const PROGRAM = "opt/docs-fleet";
const ENGINE = "opt/test";

/** The CLI, and the programs that it starts for a program and for its dynamic resources. */
const CLI = ["pulumi", "pulumi-language-nodejs", "pulumi-resource-pulumi-nodejs"];

/** Which `pulumi` the image has: the CLI where it is on PATH with its plugins, else that of the test engine. */
export function fleetEngine(): { kind: EngineKind; why: string } {
  const { kinds, skipped } = availableEngines();
  if (!kinds.includes("cli")) return { kind: "local", why: skipped ?? "" };
  const missing = CLI.filter((name) => findCommand(name) === undefined);
  return missing.length === 0
    ? { kind: "cli", why: "`pulumi` is on PATH" }
    : { kind: "local", why: `cli: ${missing.join(" and ")} not on PATH` };
}

/** Packages of a program that is written in TypeScript, beside ours. */
const PACKAGES = ["@pulumi/pulumi", "@types/node", "typescript"];

/**
 * Writes the image into a folder, as `docker save` would.
 *
 * @returns the file
 */
export async function writeFleetImage(folder: string, tag: string, kind: EngineKind): Promise<string> {
  const draft = await mkdtemp(join(folder, "fleet-"));
  const root = join(draft, "rootfs");
  await addBusybox(root);
  await mkdir(join(root, "etc"));
  await writeFile(join(root, "etc/passwd"), "root:x:0:0::/root:/bin/sh\npulumi:x:1000:1000::/tmp:/bin/sh\n");
  await mkdir(join(root, "tmp"));
  await chmod(join(root, "tmp"), 0o1777);
  await addProgram(root, "usr/bin/node", process.execPath);
  await addFleetProgram(root, draft);
  if (kind === "cli") {
    for (const name of CLI) await addProgram(root, `usr/bin/${name}`, findCommand(name) ?? "");
  } else {
    await addEngine(root);
  }
  const file = await saveImage(folder, "fleet", root, tag, { User: "1000:1000" });
  await rm(draft, { recursive: true });
  return file;
}

/** `COPY` and `npm install` of the Dockerfile: the program as the package has it, and its dependencies. */
async function addFleetProgram(root: string, draft: string): Promise<void> {
  await extract({ file: await pack(draft), cwd: draft });
  const example = join(draft, "package/examples/fleet");
  const program = join(root, PROGRAM);
  await mkdir(program, { recursive: true });
  for (const name of ["index.ts", "siteList.ts", "package.json", "tsconfig.json", "Pulumi.yaml"]) {
    await cp(join(example, name), join(program, name));
  }
  const own = JSON.parse(await readFile(join(draft, "package/package.json"), "utf8")) as Manifest;
  const copied = new Set<string>();
  for (const name of [...PACKAGES, ...Object.keys(own.dependencies ?? {})]) {
    await addPackage(name, ROOT, program, copied);
  }
  await cp(join(draft, "package"), join(program, "node_modules", own.name), { recursive: true });
}

/**
 * Files in a package that no run loads: nested packages, which are copied where they are needed; source maps; builds for
 * bundlers.
 */
const LEFT_OUT = /\/node_modules$|\.map$|\/build\/es(m|next)$/;

interface Manifest {
  name: string;
  dependencies?: Record<string, string>;
}

/** Copies a package and all its dependencies, from where Node.js finds them. */
async function addPackage(name: string, from: string, program: string, copied: Set<string>): Promise<void> {
  const folder = findPackage(name, from);
  if (copied.has(folder)) return;
  copied.add(folder);
  await cp(folder, join(program, relative(ROOT, folder)), {
    recursive: true,
    filter: (path) => path === folder || !LEFT_OUT.test(path),
  });
  const { dependencies } = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as Manifest;
  for (const each of Object.keys(dependencies ?? {})) await addPackage(each, folder, program, copied);
}

function findPackage(name: string, from: string): string {
  const folder = join(from, "node_modules", name);
  if (existsSync(join(folder, "package.json"))) return folder;
  if (from === ROOT) throw new Error(`${name} is not installed`);
  return findPackage(name, dirname(from));
}

/** The test engine as the command `pulumi`; its imports become dependencies of the program, too. */
async function addEngine(root: string): Promise<void> {
  const test = join(root, ENGINE);
  for (const path of ["package.json", "engine", "programs/commands.ts"]) {
    await cp(join(import.meta.dirname, "..", path), join(test, path), { recursive: true });
  }
  await symlink(`/${PROGRAM}/node_modules`, join(test, "node_modules"));
  const command = join(root, "usr/bin/pulumi");
  await writeFile(command, `#!/bin/sh\nexec node /${ENGINE}/engine/command.ts "$@"\n`);
  await chmod(command, 0o755);
}
