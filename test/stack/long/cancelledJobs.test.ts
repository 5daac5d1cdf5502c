// A cancelled job of a pipeline: the runner interrupts only the first process of the step, and kills what is left soon after. A new
// machine, which has only the state, must find no lock, and must start no second job.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { parse } from "yaml";
import { PATIENTLY } from "../../simulation/patience.ts";
import { notOnWindows, POSIX_PROGRAMS } from "../../systems.ts";
import { startsOf } from "../requests.ts";
import { DOMAIN, pipelineRunner } from "./pipelineRunner.ts";

const EXAMPLES = join(import.meta.dirname, "../../../examples");
const PROGRAM = `
const { StaticExport } = require("pulumi-docs-hosting");
const pulumi = require("@pulumi/pulumi");
const docs = new StaticExport("docs", { domain: ${JSON.stringify(DOMAIN)}, version: new pulumi.Config().get("version") });
exports.version = docs.version;`;

function stepOf(workflow: string, name: string): string {
  const text = readFileSync(join(EXAMPLES, workflow), "utf8");
  const { jobs } = parse(text, { merge: true }) as {
    jobs: Record<string, { steps: { name?: string; run?: string }[] }>;
  };
  const steps = Object.values(jobs).flatMap((job) => job.steps);
  return steps.find((step) => step.name === name)?.run ?? "";
}

test.concurrent.for([
  ["fleet/actions/docs-fleet.yml", "Run pulumi up; a failure prints the names of the failed sites"],
  ["promotion/actions/docs-promotion.yml", "Export, copy and sign"],
  ["promotion/actions/docs-preview.yml", "The preview"],
] as const)(
  "after a cancelled job of %s no lock is left, and the next machine continues its export",
  { timeout: 120_000 },
  async ([workflow, name], context) => {
    notOnWindows(context, POSIX_PROGRAMS);
    let jobDurationMs = 600_000;
    const runner = await pipelineRunner(
      context,
      { "Pulumi.yaml": "name: docs\nruntime: nodejs\n", "index.js": PROGRAM },
      { jobDurationMs: () => jobDurationMs },
    );
    const step = stepOf(workflow, name);
    expect(step).toContain("pulumi up");
    const variables = { STACK: "staging", VERSION: "v1", REPOSITORY: "r", BASE: "b" };

    const cancelled = await runner.job(variables);
    await cancelled.step("pulumi stack select --create staging");
    const running = cancelled.start(step);
    await vi.waitUntil(() => runner.service.requests.some(({ method }) => method === "GET"), PATIENTLY);
    running.child.kill("SIGINT");
    expect(await running.ended, running.said()).not.toBe(0);
    expect(running.said()).toContain("stopped: the run was cancelled");
    expect(locksIn(runner.backend)).toEqual([]);

    jobDurationMs = 0; // of a second job, which would end at once
    const next = await runner.job(variables);
    const again = next.start(step);
    await vi.waitUntil(() => again.said().includes("RESUMED"), PATIENTLY);
    again.child.kill("SIGINT");
    await again.ended;
    expect(startsOf(runner.service.requests)).toHaveLength(1);
  },
);

/** Files of locks: of the test engine `….lock`, of the CLI below `.pulumi/locks`. */
function locksIn(backend: string): string[] {
  if (!existsSync(backend)) return [];
  return readdirSync(backend, { recursive: true, encoding: "utf8" }).filter((path) =>
    /\.lock$|locks\/.*\.json$/.test(path),
  );
}
