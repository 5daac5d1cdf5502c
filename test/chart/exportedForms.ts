// Bundles as exporters for readers' own computers make them: with a program that serves the site, and files that start it.
import { type Entry, SITE } from "./tarArchive.ts";

const LAUNCHED = {
  "serve.js": "require('http').createServer()",
  "Start Docs.command": '#!/bin/sh\ncd "$(dirname "$0")" && exec node serve.js',
  "Start Docs.bat": "@echo off\r\nnode serve.js\r\n",
};
const below = (folder: string, files: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(files).map(([name, content]) => [`${folder}/${name}`, content]));

export interface ExportedForm {
  readonly what: string;
  /** Folder of the site, empty for the archive's own. */
  readonly root: string;
  /** Files besides the site's. */
  readonly files: Readonly<Record<string, string>> & { readonly "": string };
  /** Those that are not published. */
  readonly leftOut: readonly string[];
}

const form = (
  what: string,
  root: string,
  files: Readonly<Record<string, string>>,
  leftOut = Object.keys(files),
): ExportedForm => ({ what, root, files: { ...files, "": root }, leftOut });

/** Each form, with the site of `SITE`. */
export const EXPORTED_FORMS: readonly ExportedForm[] = [
  form("launch files beside the start page", "", LAUNCHED),
  form("a folder above the site and its launch files", "export", below("export", LAUNCHED)),
  form("launch files beside the site's folder", "site", { ...LAUNCHED, "README.md": "Run it." }),
  form("a folder above launch files and the site's folder", "export/site", below("export", LAUNCHED)),
];

/** The entries of an archive of this form. */
export function exported({ "": root, ...files }: ExportedForm["files"]): Entry[] {
  const site = root === "" ? SITE : SITE.map((entry) => ({ ...entry, name: `${root}/${entry.name}` }));
  return [...Object.entries(files).map(([name, content]) => ({ name, content })), ...site];
}
