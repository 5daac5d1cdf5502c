// The output of a long job on terminals of 80, 100 and 120 columns, and in a log without one.
import { spawn } from "node:child_process";
import { delimiter, dirname, join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { expect, test, type TestContext } from "vitest";
import { typeOf, type Setting } from "../adapters.ts";
import { buildWorld, CANARY_KEY, cliOnly, onEachEngine, type World } from "../world.ts";

const SPEED = 8;
/** The duration of the job, by the provider's clock. */
const JOB_MS = 60_000;
const PAGES = 40;
const ENVIRONMENT = {
  NODE_OPTIONS: `--import ${join(import.meta.dirname, "../fastClock.ts")}`,
  CLOCK_SPEED: String(SPEED),
};
/** The changing part, the shortest facts first: `37% · 15 pages · ~15s`. */
const FACTS = /^\d+% · \d+ pages?(?: · ~(?:\d+m )?\d+s)?/;

/** A world whose job advances steadily for a minute. */
async function worldOfLongJob(context: TestContext, kind: Setting): Promise<World> {
  const world = await buildWorld(context, kind, { env: ENVIRONMENT });
  let startedAt = 0;
  world.service.intercept(({ method, path }) => {
    if (method === "POST") startedAt = Date.now();
    const part = ((Date.now() - startedAt) * SPEED) / JOB_MS;
    if (method !== "GET" || !/\/jobs\/[^/]+$/.test(path) || part >= 1) return undefined;
    const [progress, pageCount] = [Math.floor(100 * part), Math.floor(PAGES * part)];
    return { body: { status: "running", progress, pageCount } };
  });
  return world;
}

const program = (version: string): string =>
  `new StaticExport("docs", { domain: "docs.example.com", version: "${version}" });`;

/**
 * A row of the CLI's tree, cut off as the CLI does: https://github.com/pulumi/pulumi/blob/master/pkg/backend/display/tree.go. The
 * second test reads it from the CLI itself.
 */
function treeRow(type: string, columns: number, status: string, info: string): string {
  const nameWidth = "scenario-test".length; // the stack's row is the widest
  const cells = [
    " +  ",
    ` └─ ${type}`,
    "  ",
    "docs".padEnd(nameWidth),
    "  ",
    status.padEnd(status.length + 3),
    "  ",
    info,
  ];
  return cells.join("").slice(0, columns - 1);
}

/** The job's progress in each of the lines, in percent. */
const percents = (lines: readonly string[]): number[] =>
  lines.flatMap((line) => /^(\d+)% · \d+ pages? · ~.* · running$/.exec(line)?.[1] ?? []).map(Number);

/** Persistent lines show the progress of a job: three quarters of it, at most one each 10 s. */
function expectStory(lines: readonly string[]): void {
  expect(lines).toContainEqual(expect.stringMatching(/^export job \S+ started$/));
  const printed = percents(lines);
  expect(printed.length).toBeGreaterThanOrEqual(2);
  expect(printed.length).toBeLessThanOrEqual(4);
  expect(printed).toEqual([...new Set(printed)].sort((one, other) => one - other));
}

onEachEngine("rows of a terminal", (kind) => {
  const type = typeOf(kind.adapter, "StaticExport");
  test("a row has the shortest facts first, and the persistent lines show the same where it is too narrow", async (context) => {
    const world = await worldOfLongJob(context, kind);
    const { logs } = await world.up(program("v1"));
    const running = logs
      .filter(({ ephemeral, message }) => ephemeral && message.includes("running"))
      .map(({ message }) => message);
    expect(running.length).toBeGreaterThan(5);
    const status = "creating (59s)";
    const start = treeRow(type, 999, status, "").length;
    for (const text of running) {
      const facts = FACTS.exec(text)?.[0] ?? "";
      expect(facts).not.toBe("");
      const visible = (columns: number): string => treeRow(type, columns, status, text).slice(start);
      expect(visible(120).startsWith(facts)).toBe(true);
      expect(visible(100)).toMatch(/^\d+% · /);
      // the native type's name is shorter
      expect(visible(80)).toMatch(kind.adapter === "native" ? /^\d+%/ : /^$/);
    }
    expectStory(logs.filter(({ ephemeral }) => !ephemeral).map(({ message }) => message));
  });

  test("the CLI's own rows on terminals of 80, 100 and 120 columns, and its log without one", async (context) => {
    cliOnly(context, kind, "the test engine draws no rows");
    const world = await worldOfLongJob(context, kind);
    const log = (await world.up(program("v1"))).text;
    expect(log).toMatch(/docs creating \(\d+s\) \d+% · \d+ pages · ~\d+s · running/);
    expectStory(linesBelow(log));
    for (const columns of [80, 100, 120]) {
      world.program(program(`v${columns}`));
      const shown = await upOnTerminal(world, columns);
      const rows = shown.split(/[\r\n]+/).filter((line) => line.includes(`─ ${type}`));
      console.log(`${columns} columns: ${rows[Math.floor(rows.length / 2)] ?? ""}`);
      expect(Math.max(...rows.map((row) => row.length))).toBe(columns - 1);
      // the CLI puts its own `[diff: ~version]; ` before
      const infos = rows.map((row) => row.replace(/^.*\[diff: ~version\]; /, ""));
      if (columns === 120)
        expect(infos.filter((info) => /^\d+% · \d+ p/.test(info)).length).toBeGreaterThan(2);
      expectStory(linesBelow(shown));
    }
  });
});

/** The lines that the CLI repeats at the end. */
function linesBelow(text: string): string[] {
  const [, diagnostics = ""] = text.split("Diagnostics:");
  return diagnostics.split(/\r?\n/).map((line) => line.trim());
}

/** Runs the CLI on its own terminal. @returns all output there, without colors and movements */
async function upOnTerminal(world: World, columns: number): Promise<string> {
  const state = dirname(world.pulumiHome);
  const command = `stty cols ${columns} rows 40; exec pulumi up --yes --skip-preview --stack test`;
  const child = spawn("script", ["-qefc", command, "/dev/null"], {
    cwd: join(state, "scenario.test"),
    stdio: ["ignore", "pipe", "inherit"],
    env: {
      ...process.env,
      ...ENVIRONMENT,
      TERM: "xterm-256color",
      PATH: `${dirname(process.execPath)}${delimiter}${process.env["PATH"] ?? ""}`,
      PULUMI_HOME: world.pulumiHome,
      PULUMI_BACKEND_URL: `file://${join(state, "backend")}`,
      PULUMI_CONFIG_PASSPHRASE: "correct horse",
      PULUMI_SKIP_UPDATE_CHECK: "true",
      DOCS_HOSTING_BASE_URL: world.service.url,
      DOCS_HOSTING_ADMIN_API_KEY: CANARY_KEY,
    },
  });
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
  const code = await new Promise((resolve) => child.once("close", resolve));
  expect(`${code as number}: ${code === 0 ? "" : text}`).toBe("0: ");
  return stripVTControlCharacters(text);
}
