import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { startReferenceService } from "../../examples/reference-service/index.ts";
import { openStack } from "../engine/index.ts";
import { printTable, verdict } from "./resultTable.ts";

const ROOT = join(import.meta.dirname, "../..");
const COUNTS = [1, 10, 50];
const LIMIT_BYTES = 4_096;

const KEY = "svc_bench";

/** How much of the state exports take: inputs and outputs of each, as JSON, before encryption. */
export async function stateSize(): Promise<boolean> {
  mkdirSync(join(ROOT, ".work"), { recursive: true });
  const folder = await mkdtemp(join(ROOT, ".work/bench-"));
  const site = join(folder, "site");
  mkdirSync(site);
  writeFileSync(join(site, "index.md"), "# Welcome\n\nThe only page.\n");
  const domains = (count: number): string[] =>
    Array.from({ length: count }, (_, index) => `docs-${index}.example.com`);
  const service = await startReferenceService({
    sites: Object.fromEntries(domains(Math.max(...COUNTS)).map((domain) => [domain, site])),
    adminApiKey: KEY,
  });
  try {
    const program = join(folder, "program");
    mkdirSync(join(program, "node_modules/@pulumi"), { recursive: true });
    symlinkSync(ROOT, join(program, "node_modules/pulumi-docs-hosting"), "dir");
    symlinkSync(
      join(ROOT, "node_modules/@pulumi/pulumi"),
      join(program, "node_modules/@pulumi/pulumi"),
      "dir",
    );
    writeFileSync(join(program, "package.json"), '{ "name": "bench", "main": "index.js" }');
    const rows: string[][] = [];
    let mostBytes = 0;
    for (const count of COUNTS) {
      writeFileSync(
        join(program, "index.js"),
        `const { StaticExport } = require("pulumi-docs-hosting");
         for (const domain of ${JSON.stringify(domains(count))}) new StaticExport(domain, { domain });`,
      );
      const stack = await openStack("local", {
        program,
        project: "bench",
        stack: `of-${count}`,
        stateFolder: join(folder, `state-${count}`),
        passphrase: "bench",
        env: { DOCS_HOSTING_BASE_URL: service.url, DOCS_HOSTING_ADMIN_API_KEY: KEY },
      });
      const up = await stack.up();
      if (!up.ok) throw new Error(up.text);
      const exports = (await stack.exportState()).filter(({ custom }) => custom);
      if (exports.length !== count)
        throw new Error(`${exports.length} exports in the state instead of ${count}`);
      const bytes = exports
        .map(({ inputs, outputs }) => Buffer.byteLength(JSON.stringify({ inputs, outputs })))
        .reduce((sum, size) => sum + size, 0);
      mostBytes = Math.max(mostBytes, bytes / count);
      rows.push([String(count), `${bytes} bytes`, `${(bytes / count).toFixed(0)} bytes`]);
    }
    printTable("state-size", ["exports in a stack", "inputs and outputs in the state", "per export"], rows);
    console.log("");
    return verdict(
      mostBytes > LIMIT_BYTES ? [`${mostBytes.toFixed(0)} bytes per export`] : [],
      `${LIMIT_BYTES} bytes per export`,
    );
  } finally {
    await service.close();
    await rm(folder, { recursive: true, force: true });
  }
}
