// A runner of a pipeline that keeps nothing: each job has a new checkout, a new home, and a bash of its own for each step. Only the
// backend of the state stays. `pulumi` is the command of the test engine, or the CLI if it is on PATH.
import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { delimiter, join } from "node:path";
import type { TestContext } from "vitest";
import { type ReferenceService, startReferenceService } from "../../../examples/reference-service/index.ts";
import { findCommand } from "../../programs/commands.ts";
import { programFolderIn } from "../programFolder.ts";

const ROOT = join(import.meta.dirname, "../../..");
const KEY = "svc_pipeline";
export const DOMAIN = "docs.example.com";

/** A step that runs. */
export interface RunningStep {
  readonly child: ChildProcess;
  /** What it has printed. */
  said(): string;
  readonly ended: Promise<number | null>;
}

/** One job: a machine that ends with it. */
export interface Job {
  /** The checkout. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  start(script: string): RunningStep;
  /** @throws with all that the step printed if it fails */
  step(script: string): Promise<string>;
}

export interface Runner {
  readonly service: ReferenceService;
  readonly backend: string;
  /** A new machine. @param env variables of the job */
  job(env?: NodeJS.ProcessEnv): Promise<Job>;
}

/** As GitHub and GitLab start bash. */
const BASH = ["--noprofile", "--norc", "-e", "-o", "pipefail"];

/**
 * @param files of the repository, besides the package, by path
 * @param service options of the reference service
 */
export async function pipelineRunner(
  context: TestContext,
  files: Readonly<Record<string, string>>,
  options: Partial<Parameters<typeof startReferenceService>[0]> = {},
): Promise<Runner> {
  mkdirSync(join(ROOT, ".work"), { recursive: true });
  const folder = await mkdtemp(join(ROOT, ".work/runner-"));
  context.onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const site = join(folder, "site");
  mkdirSync(site);
  writeFileSync(join(site, "index.md"), "# Start\n");
  const service = await startReferenceService({ sites: { [DOMAIN]: site }, adminApiKey: KEY, ...options });
  context.onTestFinished(() => service.close());
  const repository = programFolderIn(folder);
  for (const [path, text] of Object.entries(files)) writeFileSync(join(repository, path), text);
  const [bin, backend] = [join(folder, "bin"), join(folder, "state")];
  for (const each of [bin, backend]) mkdirSync(each);
  if (!findCommand("pulumi", process.env["PATH"])) {
    const words = [process.execPath, join(ROOT, "test/engine/command.ts")].map((word) => `"${word}"`);
    writeFileSync(join(bin, "pulumi"), `#!/bin/sh\nexec ${words.join(" ")} "$@"\n`, { mode: 0o755 });
  }
  // the package is in the checkout
  writeFileSync(join(bin, "npm"), '#!/bin/sh\ntest "$*" = ci\n', { mode: 0o755 });
  let jobs = 0;

  return {
    service,
    backend,
    job: (more = {}) => {
      const machine = join(folder, `machine-${++jobs}`);
      const checkout = join(machine, "checkout");
      mkdirSync(join(machine, "home"), { recursive: true });
      cpSync(repository, checkout, { recursive: true, verbatimSymlinks: true });
      const env: NodeJS.ProcessEnv = {
        ...process.env,
        PATH: [bin, process.env["PATH"]].join(delimiter),
        HOME: join(machine, "home"),
        PULUMI_HOME: join(machine, "home/.pulumi"),
        PULUMI_BACKEND_URL: `file://${backend}`,
        PULUMI_CONFIG_PASSPHRASE: "scratch",
        PULUMI_SKIP_UPDATE_CHECK: "true",
        DOCS_HOSTING_BASE_URL: service.url,
        DOCS_HOSTING_ADMIN_API_KEY: KEY,
        ...more,
      };
      const start = (script: string): RunningStep => startStep(context, script, checkout, env);
      return Promise.resolve({
        folder: checkout,
        env,
        start,
        step: async (script) => {
          const running = start(script);
          const code = await running.ended;
          if (code !== 0) throw new Error(`status ${code} of «${script}»:\n${running.said()}`);
          return running.said();
        },
      });
    },
  };
}

let scripts = 0;

function startStep(context: TestContext, script: string, cwd: string, env: NodeJS.ProcessEnv): RunningStep {
  const file = join(cwd, "..", `step-${++scripts}.sh`);
  writeFileSync(file, script);
  const log = `${file}.log`;
  // a file, because a pipe would stay open as long as any process that the step leaves behind
  const child = spawn("bash", ["-c", `exec bash ${BASH.join(" ")} "$1" > "$2" 2>&1`, "step", file, log], {
    cwd,
    env,
    stdio: "ignore",
    detached: true,
  });
  context.onTestFinished(() => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    } catch {
      // nothing is left of the step
    }
  });
  const said = (): string => {
    try {
      return readFileSync(log, "utf8");
    } catch {
      return "";
    }
  };
  return { child, said, ended: new Promise((resolve) => child.once("exit", (code) => resolve(code))) };
}
