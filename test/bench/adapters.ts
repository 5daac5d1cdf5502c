import { join } from "node:path";
import { availableEngines, type EngineKind, type Stack, type StateResource } from "../engine/index.ts";
import type { Adapter } from "../stack/adapters.ts";
import { type BenchSites, domainsOf, openBenchStack, withBenchSites } from "./benchSites.ts";
import { printTable, verdict } from "./resultTable.ts";
import { percentile } from "./statistics.ts";

const COUNT = 100;
const JOB_SECONDS = 10;
const IDLE_COUNT = 1_000;
const RUNS = 3;
const ADAPTERS: readonly Adapter[] = ["dynamic", "native"];
/** Of the dynamic adapter's time: the noise of two runs of the same. */
const LIMIT_TIMES = 1.1;
/** As it is published: one file with all that it loads. */
const PLUGINS = { "docs-hosting": join(import.meta.dirname, "../../plugin/plugin.js") };

/** Both adapters in turn: a hundred exports at once, and an `up` of a thousand without changes. */
export function adapters(): Promise<boolean> {
  return withBenchSites(domainsOf(COUNT), JOB_SECONDS * 1_000, async (sites) => {
    const { kinds, skipped } = availableEngines();
    if (skipped !== undefined) console.log(skipped);
    const rows: string[][] = [];
    const missed: string[] = [];
    for (const kind of kinds) {
      const seconds: Record<string, Record<Adapter, number[]>> = {
        [`${COUNT} exports of ${JOB_SECONDS} s`]: { dynamic: [], native: [] },
        [`${IDLE_COUNT} exports without changes`]: { dynamic: [], native: [] },
      };
      const [exporting, idle] = Object.values(seconds);
      for (let run = 0; run < RUNS; run++) {
        for (const adapter of ADAPTERS) exporting?.[adapter].push(await exportAll(kind, adapter, sites, run));
      }
      const stacks = {
        dynamic: await idleStack(kind, "dynamic", sites),
        native: await idleStack(kind, "native", sites),
      };
      for (let run = 0; run < RUNS; run++) {
        for (const adapter of ADAPTERS) idle?.[adapter].push(await upWithoutChanges(stacks[adapter]));
      }
      for (const [what, { dynamic, native }] of Object.entries(seconds)) {
        const [before, now] = [percentile(dynamic, 0.5), percentile(native, 0.5)];
        rows.push([`${what}, on the ${kind} engine`, `${before.toFixed(1)} s`, `${now.toFixed(1)} s`]);
        if (now > LIMIT_TIMES * before) missed.push(`${kind}: ${what}: ${(now / before).toFixed(2)} times`);
      }
    }
    printTable("adapters", [`median of ${RUNS}`, "dynamic", "native"], rows);
    console.log("");
    return verdict(missed, `${LIMIT_TIMES} times the dynamic adapter`);
  });
}

const openStack = (
  kind: EngineKind,
  adapter: Adapter,
  sites: BenchSites,
  name: string,
  lines: string,
): Promise<Stack> =>
  openBenchStack(kind, sites, `${kind}-${adapter}-${name}`, lines, {
    adapter,
    ...(adapter === "native" && { plugins: PLUGINS }),
  });

async function timed(stack: Stack): Promise<{ seconds: number; summary: Record<string, number> }> {
  const begunMs = performance.now();
  const { ok, text, summary } = await stack.up({ parallel: COUNT });
  if (!ok) throw new Error(text);
  return { seconds: (performance.now() - begunMs) / 1_000, summary };
}

async function exportAll(
  kind: EngineKind,
  adapter: Adapter,
  sites: BenchSites,
  run: number,
): Promise<number> {
  const lines = `for (const domain of ${JSON.stringify(domainsOf(COUNT))}) new StaticExport(domain, { domain });`;
  const { seconds, summary } = await timed(await openStack(kind, adapter, sites, `exports-${run}`, lines));
  if (summary["create"] !== COUNT + 1) throw new Error(`${String(summary["create"])} resources were created`);
  return seconds;
}

/** A stack with many exports, which are copies of one. */
async function idleStack(kind: EngineKind, adapter: Adapter, sites: BenchSites): Promise<Stack> {
  const [domain = ""] = domainsOf(1);
  const program = (count: number): string =>
    `for (let i = 0; i < ${count}; i++) new StaticExport("site-" + i, { domain: ${JSON.stringify(domain)} });`;
  const first = await openStack(kind, adapter, sites, "idle", program(1));
  await timed(first);
  const state = await first.exportState();
  const text = JSON.stringify(state.filter(({ custom }) => custom));
  const copies = Array.from(
    { length: IDLE_COUNT },
    (_, index) => JSON.parse(text.replaceAll("::site-0", `::site-${index}`)) as StateResource[],
  ).flat();
  await first.importState([...state.filter(({ custom }) => !custom), ...copies]);
  return openStack(kind, adapter, sites, "idle", program(IDLE_COUNT));
}

async function upWithoutChanges(stack: Stack): Promise<number> {
  const { seconds, summary } = await timed(stack);
  if (summary["same"] !== IDLE_COUNT + 1) throw new Error(`something changed: ${JSON.stringify(summary)}`);
  return seconds;
}
