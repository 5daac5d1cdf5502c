import { mkdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";

/** The folder that keeps slow builds between runs: the user's cache folder. */
export async function cacheFolder(name: string): Promise<string> {
  const caches = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
  const folder = join(caches, "pulumi-docs-hosting", name);
  await mkdir(folder, { recursive: true });
  return folder;
}
