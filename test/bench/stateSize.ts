import { domainsOf, openBenchStack, withBenchSites, type BenchSites } from "./benchSites.ts";
import { printTable, verdict } from "./resultTable.ts";

const COUNTS = [1, 10, 50];
const LIMIT_BYTES = 4_096;

/** The size of exports in the state: inputs and outputs of each, as JSON, before encryption. */
export async function stateSize(): Promise<boolean> {
  const sizes = await withBenchSites(domainsOf(Math.max(...COUNTS)), 0, async (sites) => {
    const all: { count: number; bytes: number }[] = [];
    for (const count of COUNTS) all.push({ count, bytes: await bytesOf(count, sites) });
    return all;
  });
  printTable(
    "state-size",
    ["exports in a stack", "inputs and outputs in the state", "per export"],
    sizes.map(({ count, bytes }) => [String(count), `${bytes} bytes`, `${(bytes / count).toFixed(0)} bytes`]),
  );
  console.log("");
  const mostBytes = Math.max(...sizes.map(({ count, bytes }) => bytes / count));
  return verdict(
    mostBytes > LIMIT_BYTES ? [`${mostBytes.toFixed(0)} bytes per export`] : [],
    `${LIMIT_BYTES} bytes per export`,
  );
}

async function bytesOf(count: number, sites: BenchSites): Promise<number> {
  const stack = await openBenchStack(
    "local",
    sites,
    `of-${count}`,
    `for (const domain of ${JSON.stringify(domainsOf(count))}) new StaticExport(domain, { domain });`,
  );
  const up = await stack.up();
  if (!up.ok) throw new Error(up.text);
  const exports = (await stack.exportState()).filter(({ custom }) => custom);
  if (exports.length !== count) throw new Error(`${exports.length} exports in the state instead of ${count}`);
  return exports
    .map(({ inputs, outputs }) => Buffer.byteLength(JSON.stringify({ inputs, outputs })))
    .reduce((sum, size) => sum + size, 0);
}
