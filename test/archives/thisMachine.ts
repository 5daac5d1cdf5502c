import { readFileSync } from "node:fs";
import { join } from "node:path";
import { arch, platform } from "node:process";

const ROOT = join(import.meta.dirname, "../..");
const SYSTEMS: Readonly<Record<string, string>> = { linux: "linux", darwin: "darwin", win32: "windows" };

/** The kind of this machine by Pulumi's name, the version of the package, and where `npm run archives` writes the archive. */
export function thisMachine(): { target: string; version: string; archive: string } {
  const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };
  const target = `${SYSTEMS[platform] ?? platform}-${arch === "x64" ? "amd64" : arch}`;
  const name = `pulumi-resource-docs-hosting-v${version}-${target}.tar.gz`;
  return { target, version, archive: join(ROOT, ".work/archives", name) };
}
