// A site on the disk, and what an archive of it is accepted as.
import { createHash } from "node:crypto";
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { noTracer } from "../../provider/base/runtime/tracing/tracer.ts";
import { inspect } from "../../provider/copies/source/inspect.ts";
import { archiveFormat } from "../../provider/publishing/archives/format.ts";
import { forPacker } from "../../provider/publishing/archives/refusal.ts";
import { type Bundle, unpackBundle } from "../../provider/publishing/inspection/bundle.ts";
import type { LimitedContext } from "../../provider/resource/withinLimit.ts";
import { runCommand } from "../programs/commands.ts";
import { recordingReporter } from "../simulation/recordingReporter.ts";

const FILES: Readonly<Record<string, string>> = {
  "index.html": "<h1>Start</h1>",
  "v1.0/index.html": "<h1>Version one</h1>",
  "v1.0/über uns.html": "<h1>Über uns</h1>",
  "v1.0/API.html": "<h1>API</h1>",
  "v1.0/api.html": "<h1>api</h1>",
  "v1.0/drawtext(_:at:).json": "{}",
  [`v1.0/${"deep/".repeat(12)}${"long-name-".repeat(9)}.html`]: "<h1>Deep</h1>",
  // more than one part of a split zip, whatever the compression
  "noise.bin": Array.from({ length: 4_000 }, (_, at) =>
    createHash("sha256").update(String(at)).digest("hex"),
  ).join(""),
};

/** Writes the site. @param links also with symbolic and hard links, as sites with versions have them */
export function writeSite(parent: string, links: boolean): string {
  const folder = mkdtempSync(join(parent, "site-"));
  for (const [path, content] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  if (links) {
    symlinkSync("v1.0", join(folder, "stable"));
    linkSync(join(folder, "v1.0/index.html"), join(folder, "v1.html"));
  }
  return folder;
}

/** The files of a folder with their content, through all links. */
export function filesOf(folder: string): Record<string, string> {
  const found: Record<string, string> = {};
  const add = (path: string): void => {
    if (statSync(path).isDirectory()) for (const name of readdirSync(path)) add(join(path, name));
    else found[relative(folder, path)] = readFileSync(path, "latin1");
  };
  add(folder);
  return found;
}

/** Inspects and unpacks an archive as a copy of `source: { file }` does. @throws BundleRefusedError */
export async function accepted(path: string): Promise<Record<string, string>> {
  const bytes = readFileSync(path);
  const limits = { archiveBytes: 1e9, unpackedBytes: 1e9, files: 10_000 };
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const format = await forPacker(() => archiveFormat(path));
  const bundle: Bundle = { path, format, sha256, size: bytes.length, version: "v1" };
  const { signal } = new AbortController();
  const context = { reporter: recordingReporter(), tracer: noTracer, signal } as unknown as LimitedContext;
  const inspection = await inspect(context, { requireSelfContained: false, limits }, bundle);
  const files: Record<string, string> = {};
  const file = async (each: { path: string }, content: AsyncIterable<Uint8Array>): Promise<void> => {
    const pieces: Uint8Array[] = [];
    for await (const piece of content) pieces.push(piece);
    files[each.path] = Buffer.concat(pieces).toString("latin1");
  };
  await unpackBundle(bundle, limits, { file }, { ...inspection, signal });
  return files;
}

/** Runs the command that a remedy quotes, as its reader does: with the site's folder, beside the archive. @returns the new archive */
export async function followed(remedy: string, site: string, beside: string): Promise<string> {
  const quoted = [...remedy.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);
  const command = quoted.find((code) => code.includes("site.tar.gz"));
  if (command === undefined) throw new Error(`the remedy has no command: ${remedy}`);
  await runCommand("sh", ["-c", command.replaceAll("FOLDER", site)], { cwd: beside });
  return join(beside, "site.tar.gz");
}
