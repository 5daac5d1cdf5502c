import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { startPlugin } from "../archives/pluginProcess.ts";
import { thisMachine } from "../archives/thisMachine.ts";
import { printTable, verdict } from "./resultTable.ts";
import { percentile } from "./statistics.ts";

const ROOT = join(import.meta.dirname, "../..");
const RUNS = 10;
/** As in states: the dynamic-provider process loads the package with the first call. */
const HANDLER =
  'exports.handler = () => require("module").createRequire(process.cwd() + "/_")("pulumi-docs-hosting/dynamic").StaticExport;';
/** Time after the first call, in milliseconds, until the memory is that of a process at rest. */
const REST_MS = 500;

interface Start {
  portMs: number;
  checkMs: number;
  memoryMiB: number;
}

/** What the native plugin costs before it does anything, beside Pulumi's dynamic-provider process with the same first call. */
export async function pluginStart(): Promise<boolean> {
  const { target, archive } = thisMachine();
  if (!existsSync(archive)) {
    execFileSync(process.execPath, [".ci/archives.mjs", "--target", target], { cwd: ROOT, stdio: "inherit" });
  }
  const folder = mkdtempSync(join(tmpdir(), "plugin-start-"));
  execFileSync("tar", ["-xzf", archive, "-C", folder]);
  const plugin = "pulumi-resource-docs-hosting";
  const dynamicHost = join(ROOT, "node_modules/@pulumi/pulumi/cmd/dynamic-provider/index.js");
  const rows = [
    { name: "Pulumi's dynamic-provider process", command: [process.execPath, dynamicHost] },
    { name: "the plugin in the folder `plugin/`", command: [join(ROOT, "plugin", plugin)] },
    { name: "the plugin in the archive", command: [join(folder, plugin)] },
  ].map((row) => ({ ...row, starts: [] as Start[] }));
  for (let round = -1; round < RUNS; round++) {
    for (const { command, starts } of rows) {
      const start = await measured(command);
      if (round >= 0) starts.push(start); // the first one fills the disk's cache
    }
  }
  rmSync(folder, { recursive: true });

  const median = ({ starts }: { starts: readonly Start[] }, figure: keyof Start): number =>
    percentile(
      starts.map((start) => start[figure]),
      0.5,
    );
  printTable(
    "plugin-start",
    ["process", "port", "first call answered", "memory at rest"],
    rows.map((row) => [
      row.name,
      `${median(row, "portMs").toFixed(0)} ms`,
      `${median(row, "checkMs").toFixed(0)} ms`,
      `${median(row, "memoryMiB").toFixed(0)} MiB`,
    ]),
  );
  console.log(`Medians of ${RUNS} starts of each in turn. The first call checks the inputs of an export.\n`);
  for (const name of readdirSync(dirname(archive)).sort()) {
    console.log(`${name}: ${(statSync(join(dirname(archive), name)).size / 1e6).toFixed(1)} MB`);
  }

  const [dynamic, ...plugins] = rows;
  const missed = plugins.flatMap((row) =>
    (["checkMs", "memoryMiB"] as const).flatMap((figure) => {
      const times = median(row, figure) / (dynamic ? median(dynamic, figure) : NaN);
      return times <= 1 ? [] : [`${row.name}: ${figure} is ${times.toFixed(2)} times`];
    }),
  );
  return verdict(missed, "time of the first answer and memory of the dynamic-provider process");
}

async function measured([command = "", ...args]: readonly string[]): Promise<Start> {
  const startedAt = performance.now();
  const env = { PATH: [dirname(process.execPath), "/usr/bin", "/bin"].join(":"), HOME: tmpdir() };
  const provider = await startPlugin(command, [...args, "127.0.0.1:1"], env);
  const portMs = performance.now() - startedAt;
  const inputs = { domain: "docs.example.com", __provider: HANDLER };
  await provider.check("StaticExport", inputs).catch(() => undefined); // without a key, it fails in all of them
  const checkMs = performance.now() - startedAt;
  await setTimeout(REST_MS);
  const status = readFileSync(`/proc/${provider.pid}/status`, "utf8");
  provider.stop();
  return { portMs, checkMs, memoryMiB: Number(/^VmRSS:\s*(\d+)/m.exec(status)?.[1]) / 1024 };
}
