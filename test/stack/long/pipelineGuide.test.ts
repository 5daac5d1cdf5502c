// The guide «In a pipeline», by the letter: its program and its steps, on runners that keep nothing.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { notOnWindows, POSIX_PROGRAMS } from "../../systems.ts";
import { startsOf } from "../requests.ts";
import { type Job, pipelineRunner } from "./pipelineRunner.ts";

const GUIDE = readFileSync(join(import.meta.dirname, "../../../docs/guides/pipeline.md"), "utf8");
const blocks = (language: string): string[] =>
  [...GUIDE.matchAll(new RegExp("^```" + language + "\\n([^]*?)^```$", "gm"))].map(([, text = ""]) => text);
const [program = ""] = blocks("ts");
const [github = "", gitlab = ""] = blocks("yaml");

interface Event {
  readonly name: "push" | "schedule";
  readonly commit: string;
}
/** The variables that a pipeline gives its job, and the job's scripts, in order. */
interface Pipeline {
  readonly variables: (event: Event) => NodeJS.ProcessEnv;
  readonly scripts: readonly string[];
}

const githubSteps = (
  parse(github) as { jobs: { docs: { steps: { run?: string; name?: string; env?: object }[] } } }
).jobs.docs.steps;
interface GitlabJob {
  script: string[];
}
const { export: exporting, publish } = parse(gitlab) as { export: GitlabJob; publish: GitlabJob };

const PIPELINES: [string, Pipeline][] = [
  [
    "GitHub Actions",
    {
      variables: ({ name, commit }) => ({ EVENT: name, COMMIT: commit }),
      scripts: githubSteps.flatMap(({ run }) => run ?? []),
    },
  ],
  [
    "GitLab",
    {
      variables: ({ name, commit }) => ({ CI_PIPELINE_SOURCE: name, CI_COMMIT_SHA: commit }),
      // GitLab joins the lines of a script
      scripts: [exporting, publish].map(({ script }) => script.join("\n")),
    },
  ],
];

const HOUR_MS = 3_600_000;
const mints = (requests: readonly { path: string }[]): number =>
  requests.filter(({ path }) => path.endsWith("/bundle")).length;

describe.each(PIPELINES)("%s", (_, { variables, scripts }) => {
  test(
    "a push exports, a schedule renews and exports nothing, and each run has the site",
    { timeout: 180_000 },
    async (context) => {
      notOnWindows(context, POSIX_PROGRAMS);
      const { outputText } = ts.transpileModule(program, {
        compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 },
      });
      const runner = await pipelineRunner(
        context,
        { "Pulumi.yaml": "name: docs\nruntime: nodejs\n", "index.js": outputText },
        { linkLifetimeMs: 24 * HOUR_MS },
      );
      const { service } = runner;
      const run = async (event: Event, afterHours = 0): Promise<Job> => {
        const job = await runner.job({
          ...variables(event),
          NODE_OPTIONS: `--import ${join(import.meta.dirname, "../skewedClock.ts")}`,
          CLOCK_SKEW_MS: String(afterHours * HOUR_MS),
        });
        for (const script of scripts) await job.step(script);
        expect(existsSync(join(job.folder, "published/index.html"))).toBe(true);
        return job;
      };
      const counted = async (event: Event, afterHours?: number) => {
        const [starts, links] = [startsOf(service.requests).length, mints(service.requests)];
        await run(event, afterHours);
        return {
          starts: startsOf(service.requests).length - starts,
          links: mints(service.requests) - links,
        };
      };

      expect(await counted({ name: "push", commit: "c1" })).toMatchObject({ starts: 1 });
      // the branch has a newer commit, which was not exported
      const early = await counted({ name: "schedule", commit: "c2" }, 6);
      expect(early.starts).toBe(0);
      const due = await counted({ name: "schedule", commit: "c2" }, 18);
      expect(due).toEqual({ starts: 0, links: early.links + 1 });
      expect(await counted({ name: "push", commit: "c2" }, 18)).toMatchObject({ starts: 1 });
    },
  );
});

test.concurrent(
  "a schedule before the first push exports the commit",
  { timeout: 60_000 },
  async (context) => {
    notOnWindows(context, POSIX_PROGRAMS);
    const runner = await pipelineRunner(context, { "Pulumi.yaml": "name: docs\nruntime: nodejs\n" });
    const select = githubSteps.find(({ name }) => name?.startsWith("The stack"))?.run ?? "";
    const job = await runner.job({ EVENT: "schedule", COMMIT: "c1" });
    await job.step(select);
    expect(parse(readFileSync(join(job.folder, "Pulumi.docs.yaml"), "utf8"))).toEqual({
      config: { version: "c1" },
    });
  },
);
