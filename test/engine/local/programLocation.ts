// Where and how a program runs: the real CLI's rules (engine/project.go, getPwdMain).
import { existsSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, resolve } from "node:path";

export interface ProgramLocation {
  folder: string;
  /**
   * «.» for a folder: the runtime then looks for `exports["."]` and `main` of the nearest package.json. A file runs as that file,
   * whatever that package.json says.
   */
  entry: string;
  /** The runtime compiles it with the project's TypeScript. */
  typescript: boolean;
}

export function locateProgram(program: string): ProgramLocation {
  const path = resolve(program);
  if (statSync(path).isDirectory()) {
    const typescript = existsSync(join(path, "index.ts")) && !existsSync(join(path, "index.js"));
    return { folder: path, entry: ".", typescript };
  }
  return { folder: dirname(path), entry: basename(path), typescript: /\.[cm]?ts$/.test(path) };
}

/** The program's own @pulumi/pulumi provides both processes, as with the real CLI. */
export function resolveFromProgram(folder: string, module: string): string {
  return createRequire(join(folder, "_")).resolve(module);
}
