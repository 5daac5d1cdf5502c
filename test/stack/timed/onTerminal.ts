import { spawn } from "node:child_process";
import { delimiter, dirname, join } from "node:path";
import { CANARY_KEY, type World } from "../world.ts";

/** The exit code and everything that a run of the CLI wrote to its terminal. */
export interface TerminalRun {
  readonly code: number | null;
  readonly written: string;
}

/** Runs `pulumi up` on a terminal of its own. @param environment variables beside those that the stack needs */
export async function upOnTerminal(
  world: World,
  columns: number,
  environment: NodeJS.ProcessEnv,
): Promise<TerminalRun> {
  const state = dirname(world.pulumiHome);
  const command = `stty cols ${columns} rows 60; exec pulumi up --yes --skip-preview --stack test`;
  const child = spawn("script", ["-qefc", command, "/dev/null"], {
    cwd: join(state, "scenario.test"),
    stdio: ["ignore", "pipe", "inherit"],
    env: {
      ...process.env,
      ...environment,
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
  let written = "";
  child.stdout.on("data", (chunk: Buffer) => (written += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { code, written };
}
