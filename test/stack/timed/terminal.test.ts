// The output of a long job on terminals of 80, 100 and 120 columns, and in a log without one.
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { expect, test, type TestContext } from "vitest";
import { type Setting, typeOf } from "../adapters.ts";
import { buildWorld, cliOnly, onEachEngine, type World } from "../world.ts";
import { upOnTerminal } from "./onTerminal.ts";
import { recordedScreen, runningRow } from "./screens.ts";

const SPEED = 8;
/** The duration of the job, by the provider's clock. */
const JOB_MS = 60_000;
/** That of a job whose last screen is recorded alone. */
const SHORT_JOB_MS = 24_000;
const PAGES = 40;
const ENVIRONMENT = {
  NODE_OPTIONS: `--import ${join(import.meta.dirname, "../fastClock.ts")}`,
  CLOCK_SPEED: String(SPEED),
};
/** The changing part, the shortest facts first: `37% · 15 pages · ~15s`. */
const FACTS = /^\d+% · \d+ pages?(?: · ~(?:\d+m )?\d+s)?/;

/** The reason of a job that fails. */
const REASON = "the repository cannot be read";

/** A world whose jobs advance steadily for a minute. */
async function worldOfLongJobs(
  context: TestContext,
  kind: Setting,
  jobMs = JOB_MS,
): Promise<World & { failJobs(): void }> {
  const world = await buildWorld(context, kind, { env: ENVIRONMENT });
  const startedAt = new Map<string, number>();
  let isFailing = false;
  world.service.intercept(({ method, path }) => {
    if (method !== "GET" || !/\/jobs\/[^/]+$/.test(path)) return undefined;
    const first = startedAt.get(path) ?? Date.now();
    startedAt.set(path, first);
    const part = ((Date.now() - first) * SPEED) / jobMs;
    if (isFailing && part > 0.3) return { body: { status: "failed", error: REASON } };
    if (part >= 1) return undefined;
    const [progress, pageCount] = [Math.floor(100 * part), Math.floor(PAGES * part)];
    return { body: { status: "running", progress, pageCount } };
  });
  return { ...world, failJobs: () => void (isFailing = true) };
}

const program = (version: string): string =>
  `const docs = new StaticExport("docs", { domain: "docs.example.com", version: "${version}" });
   module.exports = { pages: docs.pageCount, link: docs.bundleUrl };`;

const fleet = (sites: number): string =>
  `for (let site = 0; site < ${sites}; site++) new StaticExport("site-" + site, { domain: "docs.example.com" });`;

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
    const world = await worldOfLongJobs(context, kind);
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
    const world = await worldOfLongJobs(context, kind);
    const log = (await world.up(program("v1"))).text;
    expect(log).toMatch(/docs creating \(\d+s\) \d+% · \d+ pages · ~\d+s · running/);
    expectStory(linesBelow(log));
    for (const columns of [80, 100, 120]) {
      world.program(program(`v${columns}`));
      const shown = stripVTControlCharacters((await upOnTerminal(world, columns, ENVIRONMENT)).written);
      const rows = shown.split(/[\r\n]+/).filter((line) => line.includes(`─ ${type}`));
      console.log(`${columns} columns: ${rows[Math.floor(rows.length / 2)] ?? ""}`);
      expect(Math.max(...rows.map((row) => row.length))).toBe(columns - 1);
      // the CLI puts its own `[diff: ~version]; ` before
      const infos = rows.map((row) => row.replace(/^.*\[diff: ~version\]; /, ""));
      if (columns === 120) {
        expect(infos.filter((info) => /^\d+% · \d+ p/.test(info)).length).toBeGreaterThan(2);
      }
      expectStory(linesBelow(shown));
    }
  });

  test("after a failed update the lines tell the story, the reason, and that the link stays", async (context) => {
    const world = await worldOfLongJobs(context, kind);
    await world.up(program("v1"));
    const { bundleUrl } = (await world.exported()).outputs;
    world.failJobs();
    world.program(program("v2"));
    const failed = await world.stack.up();
    expect(failed.ok).toBe(false);
    const lasting = failed.logs.filter(({ ephemeral }) => !ephemeral).map(({ message }) => message);
    expect(lasting).toContainEqual(expect.stringMatching(/^export job \S+ started$/));
    expect(failed.text).toContain(`failed: the service says: ${REASON}. The link to job `);
    expect(failed.text).not.toMatch(/done in \d/);
    expect((await world.exported()).outputs["bundleUrl"]).toEqual(bundleUrl);
  });

  test("a fleet of ten has one line a site, lines of how many run, and a last one that sums up", async (context) => {
    const world = await worldOfLongJobs(context, kind);
    const { logs } = await world.up(fleet(10));
    const lasting = logs.filter(({ ephemeral }) => !ephemeral);
    const ofSites = lasting.filter(({ urn = "" }) => urn.includes("StaticExport"));
    expect(ofSites.map(({ message }) => message)).toEqual(
      Array.from({ length: 10 }, () => expect.stringMatching(/^NEW: /) as unknown),
    );
    const ofAll = lasting.filter(({ urn = "" }) => !urn.includes("StaticExport"));
    expect(ofAll.at(-1)?.message).toMatch(/^10 resources in (?:\d+m )?\d+s: 10 done$/);
    for (const { message } of ofAll.slice(0, -1)) {
      expect(message).toMatch(/^after \d+m: \d+ done, \d+ running \(/);
    }
  });

  test("the recorded screens of 80, 100 and 120 columns are still those of the CLI", async (context) => {
    cliOnly(context, kind, "the test engine draws no rows");
    const screens: Record<string, string[]> = {};
    const record = async (name: string, world: World, columns: number, lines: string): Promise<void> => {
      world.program(lines);
      const { code, written } = await upOnTerminal(world, columns, ENVIRONMENT);
      expect(code, `${name}:\n${recordedScreen(written)}`).toBe(name === "failedUpdate" ? 1 : 0);
      const rows = `while it runs:\n${runningRow(written)}`;
      (screens[name] ??= []).push(
        `${"─".repeat(columns)}\n${rows}\n\nat the end:\n${recordedScreen(written)}\n`,
      );
    };
    for (const columns of [80, 100, 120]) {
      const world = await worldOfLongJobs(context, kind, SHORT_JOB_MS);
      await record("firstExport", world, columns, program("v1"));
      await record("update", world, columns, program("v2"));
      world.failJobs();
      await record("failedUpdate", world, columns, program("v3"));
      await record("fleetOfTen", await worldOfLongJobs(context, kind, SHORT_JOB_MS), columns, fleet(10));
    }
    for (const [name, texts] of Object.entries(screens)) {
      await expect.soft(texts.join("\n")).toMatchFileSnapshot(`screens/${kind.adapter}/${name}.txt`);
    }
  }, 900_000);
});

/** The lines that the CLI repeats at the end. */
function linesBelow(text: string): string[] {
  const [, diagnostics = ""] = text.split("Diagnostics:");
  return diagnostics.split(/\r?\n/).map((line) => line.trim());
}
