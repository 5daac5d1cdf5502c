import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { cacheFolder } from "../../programs/cacheFolder.ts";
import { runCommand } from "../../programs/commands.ts";
import type { IndexCost } from "./indexedSite.ts";

const VERSION = "1.6.0";
const SAMPLE_MS = 50;
/** Of the clock of `/proc/PID/stat`. */
const TICKS_PER_SECOND = 100;

/** The path of Pagefind's program, installed once into the cache folder. */
export async function preparePagefind(say: (what: string) => void): Promise<string> {
  const folder = join(await cacheFolder("pagefind"), VERSION);
  if (!existsSync(folder)) {
    say(`installing pagefind ${VERSION}`);
    const draft = await mkdtemp(`${folder}.draft-`);
    await writeFile(join(draft, "package.json"), "{}");
    const args = ["install", "--ignore-scripts", "--no-audit", "--no-fund", `pagefind@${VERSION}`];
    await runCommand("npm", args, { cwd: draft });
    await rename(draft, folder);
  }
  const packages = join(folder, "node_modules/@pagefind");
  const [platform = ""] = await readdir(packages);
  const bin = join(packages, platform, "bin");
  const programs = await readdir(bin);
  return join(bin, programs.find((name) => name.includes("extended")) ?? programs[0] ?? "");
}

/** Makes Pagefind's index of a site. Its processor time and peak memory are sampled. */
export async function indexByPagefind(program: string, site: string, target: string): Promise<IndexCost> {
  await rm(target, { recursive: true, force: true });
  await mkdir(target, { recursive: true });
  const startedAt = performance.now();
  const child = spawn(program, ["--site", site, "--output-path", target]);
  let [output, cpuSeconds, peakMiB] = ["", 0, 0];
  const sample = (): void => {
    try {
      const [, times = ""] = /\) (.*)/s.exec(readFileSync(`/proc/${child.pid}/stat`, "utf8")) ?? [];
      const [user = 0, system = 0] = times.split(" ").slice(11, 13).map(Number);
      cpuSeconds = Math.max(cpuSeconds, (user + system) / TICKS_PER_SECOND);
      const [, peak] = /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${child.pid}/status`, "utf8")) ?? [];
      peakMiB = Math.max(peakMiB, Number(peak ?? 0) / 1_024);
    } catch {
      // it has ended
    }
  };
  const timer = setInterval(sample, SAMPLE_MS);
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (text: Buffer) => (output += text.toString()));
  }
  const code = await new Promise((resolve, reject) => child.on("error", reject).on("close", resolve));
  clearInterval(timer);
  if (code !== 0) throw new Error(`pagefind ended with ${String(code)}: ${output}`);
  const [, pages] = /Indexed (\d+) pages/.exec(output) ?? [];
  return { pages: Number(pages), seconds: (performance.now() - startedAt) / 1_000, cpuSeconds, peakMiB };
}
