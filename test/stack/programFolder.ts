// The folder of a scenario's program, with its dependencies laid out as npm does.
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** @param root of this repository */
export function programFolderIn(folder: string, root: string): string {
  const programFolder = join(folder, "program");
  mkdirSync(join(programFolder, "node_modules/@pulumi"), { recursive: true });
  symlinkSync(root, join(programFolder, "node_modules/pulumi-docs-hosting"), "dir");
  symlinkSync(
    join(root, "node_modules/@pulumi/pulumi"),
    join(programFolder, "node_modules/@pulumi/pulumi"),
    "dir",
  );
  writeFileSync(join(programFolder, "package.json"), '{ "name": "scenario", "main": "index.js" }');
  return programFolder;
}

/** @param lines with `StaticExport`, `staticExportValues` and `pulumi` in scope */
export function writeProgram(programFolder: string, lines: string): void {
  writeFileSync(
    join(programFolder, "index.js"),
    `const pulumi = require("@pulumi/pulumi");\n` +
      `const { StaticExport, staticExportValues } = require("pulumi-docs-hosting");\n${lines}\n`,
  );
}
