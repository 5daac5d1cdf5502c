// The steps of the examples' workflows that run Pulumi, as a runner runs them: each in a bash of its own. `pulumi` is a stand-in here;
// test/stack/long/cancelledJobs.test.ts runs the steps with the engine.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { parse } from "yaml";
import { PATIENTLY } from "../../simulation/patience.ts";
import { notOnWindows, POSIX_PROGRAMS } from "../../systems.ts";

const ROOT = join(import.meta.dirname, "../../..");
const WORKFLOWS = [
  "fleet/actions/docs-fleet.yml",
  "promotion/actions/docs-promotion.yml",
  "promotion/actions/docs-preview.yml",
];

interface Step {
  id?: string;
  name?: string;
  run?: string;
  uses?: string;
  if?: string;
  with?: { path?: string };
}
interface Job {
  steps: Step[];
}
const jobsOf = (workflow: string): Record<string, Job> => {
  const text = readFileSync(join(ROOT, "examples", workflow), "utf8");
  return (parse(text, { merge: true }) as { jobs: Record<string, Job> }).jobs;
};
const steps = WORKFLOWS.flatMap((workflow) =>
  Object.values(jobsOf(workflow)).flatMap((job) => job.steps.map((step) => ({ workflow, ...step }))),
);
const named = (name: string): string => steps.find((step) => step.name === name)?.run ?? "";

/** Operations that take time, and that a user must be able to interrupt. */
const OPERATION = /\bpulumi (?:up|destroy|preview|refresh)\b/;

let folder: string;
let env: NodeJS.ProcessEnv;
beforeEach(async (context) => {
  notOnWindows(context, POSIX_PROGRAMS);
  folder = await mkdtemp(join(tmpdir(), "steps-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "bin"));
  env = {
    ...process.env,
    PATH: [join(folder, "bin"), process.env["PATH"]].join(delimiter),
    STACK: "pr-12",
    VERSION: "v1",
    GITHUB_OUTPUT: join(folder, "output"),
  };
});

/** `pulumi` as this script. @param script sees the arguments */
function standIn(script: string): void {
  writeFileSync(join(folder, "bin/pulumi"), `#!/bin/bash\n${script}\n`, { mode: 0o755 });
}

const BASH = ["--noprofile", "--norc", "-e", "-o", "pipefail"];

/** Runs a step. */
function run(text: string): { status: number | null; stderr: string } {
  writeFileSync(join(folder, "step.sh"), text);
  return spawnSync("bash", [...BASH, "step.sh"], { cwd: folder, env, encoding: "utf8" });
}

describe("an interrupt of the step's first process, and of nothing else, reaches pulumi", () => {
  const interruptible = steps.filter(({ run: text }) => OPERATION.test(text ?? ""));

  test("in every step that runs an operation", () => {
    expect(interruptible.map(({ name }) => name)).toEqual([
      "Run pulumi up; a failure prints the names of the failed sites",
      "Export, copy and sign",
      "Version, digest and changed pages, for the approval",
      "Promote",
      "The preview",
      "Its end",
    ]);
  });

  test.each(interruptible.map(({ name = "", run: text = "" }) => [name, text]))("«%s»", async (_, text) => {
    standIn(
      `case "$1" in
up | destroy | preview)
  trap 'echo "$1" > interrupted; exit 130' INT
  : > begun
  while :; do sleep 0.05; done ;;
esac`,
    );
    writeFileSync(join(folder, "step.sh"), text);
    const step = spawn("bash", [...BASH, "step.sh"], { cwd: folder, env, stdio: "ignore", detached: true });
    const ended = new Promise<number | null>((resolve) => step.once("exit", resolve));
    onTestFinished(() => {
      // what an interrupted bash leaves behind
      try {
        if (step.pid !== undefined) process.kill(-step.pid, "SIGKILL");
      } catch {
        // nothing is left
      }
    });
    await vi.waitUntil(() => existsSync(join(folder, "begun")), PATIENTLY);
    step.kill("SIGINT");
    await vi.waitUntil(() => existsSync(join(folder, "interrupted")), PATIENTLY);
    expect(await ended).toBe(130);
  });
});

test("ids of jobs that are in no state are kept between runs, wherever a workflow starts exports", () => {
  for (const [workflow, job] of [
    ["fleet/actions/docs-fleet.yml", "up"],
    ["promotion/actions/docs-promotion.yml", "staging"],
  ] as const) {
    const uses = jobsOf(workflow)[job]?.steps.filter(({ uses: action }) =>
      action?.startsWith("actions/cache/"),
    );
    expect(uses?.map((step) => [step.uses?.replace(/@.*/, ""), step.with?.path, step.if])).toEqual([
      ["actions/cache/restore", "~/.pulumi/docs-hosting/resume", undefined],
      ["actions/cache/save", "~/.pulumi/docs-hosting/resume", "always()"],
    ]);
  }
});

describe("the end of a preview", () => {
  const LOOK = "Whether there is a preview to end";
  const output = (): string => readFileSync(join(folder, "output"), "utf8");

  test.each([
    ["[]", "false"],
    ['[{ "name": "pr-1" }, { "name": "pr-123" }]', "false"],
    ['[{ "name": "pr-1" }, { "name": "pr-12" }]', "true"],
    ['[{ "name": "acme/pr-12" }]', "true"],
  ])("of the stacks %s: there is one: %s", (stacks, exists) => {
    standIn(`[ "$*" = "stack ls --json" ] && echo '${stacks}'`);
    expect(run(named(LOOK)).status).toBe(0);
    expect(output()).toBe(`exists=${exists}\n`);
  });

  test.each([
    ["an expired token", 'echo "error: invalid access token" >&2; exit 255'],
    ["a backend that does not answer", "exit 1"],
    ["an empty answer", "exit 0"],
    ["an answer that is no list", "echo '{}'"],
  ])("with %s is red, and says nothing about the stack", (_, script) => {
    standIn(script);
    expect(run(named(LOOK)).status).not.toBe(0);
    expect(existsSync(join(folder, "output")) ? output() : "").toBe("");
  });

  test("destroys and removes the stack only if there is one, and fails if either fails", () => {
    const end = steps.filter(
      ({ name }) => name === "Its end" || name === "Its stack, which has no resources now",
    );
    expect(end.map((step) => step.if)).toEqual(
      Array(2).fill("github.event.action == 'closed' && steps.end.outputs.exists == 'true'"),
    );
    standIn('echo "$*" >> calls; [ "$1" != destroy ]');
    expect(run(named("Its end")).status).toBe(1);
    expect(readFileSync(join(folder, "calls"), "utf8")).toBe(
      "stack select pr-12\ndestroy --yes --skip-preview --non-interactive\n",
    );
  });
});
