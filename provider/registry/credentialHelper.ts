import { spawn } from "node:child_process";
import { redact } from "../messages/redaction";
import { helperCredential, type Credential } from "./dockerConfiguration";
import type { RegistryContext } from "./exchange";

/** What looking for a credential gets from the outside. */
export type CredentialContext = Pick<RegistryContext, "environment" | "reporter" | "signal">;

/** Longest time a helper may take, in milliseconds: some ask a service elsewhere. */
const HELPER_LIMIT_MS = 20_000;
/** Longest answer that is read, in bytes. */
const ANSWER_LIMIT = 64 * 1024;

/**
 * Asks `docker-credential-NAME`, see https://github.com/docker/docker-credential-helpers. One that is missing or fails is told
 * of, and counts as one that knows no credential.
 *
 * @throws the signal's reason
 */
export async function askHelper(
  name: string,
  server: string,
  { environment, reporter, signal }: CredentialContext,
): Promise<Credential | undefined> {
  signal.throwIfAborted();
  const command = `docker-credential-${name}`;
  const { code, output } = await run(command, server, environment, signal);
  signal.throwIfAborted();
  if (code === 0) {
    const credential = helperCredential(parsed(output));
    if (credential === undefined) reporter.warn(`${command} printed no credential for ${server}`);
    return credential;
  }
  // the one failure that is none has no code of its own
  if (!/credentials not found/i.test(output)) {
    const said = typeof code === "number" ? redact(output, 200) : "";
    reporter.warn(`${command} gave no credential for ${server} (${code})${said && `: ${said}`}`);
  }
  return undefined;
}

function run(
  command: string,
  server: string,
  environment: (name: string) => string | undefined,
  signal: AbortSignal,
): Promise<{ code: number | string; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(command, ["get"], {
      stdio: ["pipe", "pipe", "ignore"],
      // it may need anything of the environment: its own cloud's settings, the session's key ring
      env: { ...process.env, HOME: environment("HOME"), PATH: environment("PATH") },
      timeout: HELPER_LIMIT_MS,
      killSignal: "SIGKILL",
      signal,
    });
    let output = "";
    child.stdin.on("error", () => undefined); // it need not read
    child.stdin.end(server);
    child.stdout.on("data", (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(0, ANSWER_LIMIT);
    });
    child.once("error", (error: NodeJS.ErrnoException) => resolve({ code: error.code ?? "failed", output }));
    child.once("close", (code, killed) => resolve({ code: code ?? killed ?? "ended", output }));
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
