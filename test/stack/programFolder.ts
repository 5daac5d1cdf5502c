// The folder of a scenario's program, with its dependencies laid out as npm does.
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { extract } from "tar";
import { type Adapter, declarations } from "./adapters.ts";

const ROOT = join(import.meta.dirname, "../..");

export function programFolderIn(folder: string): string {
  const programFolder = join(folder, "program");
  mkdirSync(join(programFolder, "node_modules/@pulumi"), { recursive: true });
  installPackage(programFolder);
  symlinkSync(
    join(ROOT, "node_modules/@pulumi/pulumi"),
    join(programFolder, "node_modules/@pulumi/pulumi"),
    "dir",
  );
  writeFileSync(join(programFolder, "package.json"), '{ "name": "scenario", "main": "index.js" }');
  return programFolder;
}

/** Installs a release, or the working tree, in place of the installed one. */
export function installPackage(programFolder: string, tarball?: string): void {
  const installed = join(programFolder, "node_modules/pulumi-docs-hosting");
  rmSync(installed, { recursive: true, force: true }); // only removes a link
  if (tarball === undefined) return symlinkSync(ROOT, installed, "dir");
  mkdirSync(installed);
  extract({ file: tarball, cwd: installed, strip: 1, sync: true });
}

/** A program's export of the site of all scenarios, with more arguments than its domain. */
export const docs = (args = "", options = "{}"): string =>
  `new StaticExport("docs", { domain: "docs.example.com", ${args} }, ${options});`;

/** @param lines with `pulumi` and all that the adapter's package offers in scope */
export function writeProgram(programFolder: string, lines: string, adapter: Adapter = "dynamic"): void {
  writeFileSync(
    join(programFolder, "index.js"),
    `const pulumi = require("@pulumi/pulumi");\n${declarations(adapter, lines)}\n${lines}\n`,
  );
}
