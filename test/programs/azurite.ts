import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { cp, mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { cacheFolder } from "./cacheFolder.ts";
import { runCommand } from "./commands.ts";

const SOURCE = join(import.meta.dirname, "../copies/stores/azurite");
const MAIN = "node_modules/azurite/dist/src/blob/main.js";

/** Azurite, the emulator of Azure Blob Storage: installed once. @returns the path of its program */
export async function prepareAzurite(say: (what: string) => void): Promise<string> {
  const lock = await readFile(join(SOURCE, "package-lock.json"));
  const version = createHash("sha256").update(lock).digest("hex").slice(0, 12);
  const folder = join(await cacheFolder("azurite"), version);
  if (existsSync(folder)) return join(folder, MAIN);
  say("installing Azurite, which takes a minute or two, once");
  const draft = await mkdtemp(`${folder}.draft-`);
  try {
    await cp(SOURCE, draft, { recursive: true });
    const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
    await runCommand("npm", ["ci", ...quiet], { cwd: draft });
    await rename(draft, folder);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return join(folder, MAIN);
}
