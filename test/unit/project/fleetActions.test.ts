// The workflow of examples/fleet/actions runs at GitHub only: here its own script makes the list of stacks. `npm
// test -- workflows` runs actionlint on it.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { notOnWindows, POSIX_PROGRAMS } from "../../systems.ts";

const ROOT = join(import.meta.dirname, "../../..");
const TEXT = readFileSync(join(ROOT, "examples/fleet/actions/docs-fleet.yml"), "utf8");

interface Step {
  id?: string;
  run?: string;
  uses?: string;
  if?: string;
}
interface Job {
  steps: Step[];
  strategy?: object;
  concurrency?: object;
}
const { jobs } = parse(TEXT) as { jobs: Record<"list" | "up", Job> };

beforeEach((context) => notOnWindows(context, POSIX_PROGRAMS));

/** The script's output for a folder with these files of sites. */
async function listOf(files: readonly string[]) {
  const folder = await mkdtemp(join(tmpdir(), "fleet-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "sites"));
  for (const file of files) writeFileSync(join(folder, "sites", file), "{}");
  const output = join(folder, "output");
  writeFileSync(output, "");
  const script = jobs.list.steps.find(({ id }) => id === "stacks")?.run ?? "";
  // as a runner runs it
  const { status, stderr } = spawnSync("bash", ["-e", "-c", script], {
    cwd: folder,
    env: { ...process.env, GITHUB_OUTPUT: output },
    encoding: "utf8",
  });
  const [, stacks] = /^stacks=(.*)\n$/.exec(readFileSync(output, "utf8")) ?? [];
  return { status, stderr, stacks: stacks === undefined ? undefined : (JSON.parse(stacks) as unknown) };
}

test("each file of sites is a stack of its team, and nothing else is", async () => {
  expect(await listOf(["team-b-1.json", "docs-01.json", "team-b-12.json", "README.md"])).toMatchObject({
    status: 0,
    stacks: [
      { stack: "docs-01", team: "docs" },
      { stack: "team-b-1", team: "team-b" },
      { stack: "team-b-12", team: "team-b" },
    ],
  });
});

const numbered = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `team-${index}.json`);

test("256 files are accepted", async () => {
  const { stacks } = await listOf(numbered(256));
  expect(stacks).toHaveLength(256);
});

test.each([
  ["no file", [], "sites/ has no file of sites"],
  ["more files than a matrix has jobs", numbered(257), "sites/ has 257 files: a matrix has at most 256 jobs"],
  ["a file without a number", ["team.json"], "sites/team.json is not named TEAM-NN.json"],
  ["a name for a shell", ["$(id)-1.json"], "is not named TEAM-NN.json"],
  ["a name that is too long", [`${"t".repeat(41)}-1.json`], "more than 42 characters"],
])("%s is refused, with its name", async (_, files, says) => {
  const { status, stderr, stacks } = await listOf(files);
  expect(status).toBe(1);
  expect(stderr).toContain("::error::");
  expect(stderr).toContain(says);
  expect(stacks).toBeUndefined();
});

test("one run of a stack at a time, and no running one is cancelled", () => {
  expect(jobs.up.concurrency).toEqual({
    group: "docs-fleet-${{ matrix.stack }}",
    "cancel-in-progress": false,
  });
  expect(jobs.up.strategy).toMatchObject({ "fail-fast": false });
});

test("a lock is removed before a run and never after it, and only where the runner of the run before is gone", () => {
  const at = (text: string): number => jobs.up.steps.findIndex(({ run }) => run?.includes(text));
  expect(at("pulumi cancel")).toBeGreaterThan(0);
  expect(at("pulumi cancel")).toBeLessThan(at("pulumi up"));
  expect(jobs.up.steps[at("pulumi cancel")]?.if).toBe("runner.environment == 'github-hosted'");
});

test("the records of a failed run are kept for the next one", () => {
  const saves = jobs.up.steps.findIndex(({ uses }) => uses?.startsWith("actions/cache/save@"));
  expect(jobs.up.steps.slice(saves - 1).map((step) => step.if)).toEqual(["always()", "always()"]);
});

test("no expression is inserted into a script, where it could be an injection", () => {
  const scripts = [...jobs.list.steps, ...jobs.up.steps].map(({ run = "" }) => run);
  expect(scripts.filter((script) => script.includes("${{"))).toEqual([]);
});

test("actions are those of the repository's own workflows, where these have them, and pinned by their commits", () => {
  const own = ["tests.yml", "release.yml"].map((name) =>
    readFileSync(join(ROOT, ".github/workflows", name), "utf8"),
  );
  const pins = (text: string): Map<string, string> =>
    new Map([...text.matchAll(/uses: (\S+)@(.*)/g)].map(([, action = "", pin = ""]) => [action, pin]));
  const known = pins(own.join("\n"));
  for (const [action, pin] of pins(TEXT)) {
    expect(pin).toMatch(/^[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    if (known.has(action)) expect(`${action} ${pin}`).toBe(`${action} ${known.get(action)}`);
  }
});
