import { spawn } from "node:child_process";
import { parseJson } from "../../http/reply";
import { redact } from "../../runtime/messages/plainText";
import { type Credential, helperCredential } from "./dockerConfiguration";
import type { RegistryContext } from "./exchange";

/** What the search for a credential needs from the outside. */
export type CredentialContext = Pick<RegistryContext, "environment" | "reporter" | "signal">;

/** Maximum time of a helper, in milliseconds: some ask a remote service. */
const HELPER_LIMIT_MS = 20_000;
/** Maximum size of a helper's output, in bytes. */
const ANSWER_LIMIT = 64 * 1024;

/**
 * Runs `docker-credential-NAME`, see https://github.com/docker/docker-credential-helpers. A missing or failing helper causes a
 * warning, and counts as one without a credential.
 *
 * @throws the signal's reason
 */
export async function runCredentialHelper(
  name: string,
  server: string,
  { environment, reporter, signal }: CredentialContext,
): Promise<Credential | undefined> {
  signal.throwIfAborted();
  const command = `docker-credential-${name}`;
  const { code, output } = await run(command, server, environment, signal);
  signal.throwIfAborted();
  if (code === 0) {
    const credential = helperCredential(parseJson(output));
    if (credential === undefined) reporter.warn(`${command} printed no credential for ${server}`);
    return credential;
  }
  // the output says that the helper has no credential: it has no exit code for that
  if (!/credentials not found/i.test(output)) {
    const details = typeof code === "number" ? redact(output, 200) : "";
    reporter.warn(`${command} gave no credential for ${server} (${code})${details && `: ${details}`}`);
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
      // it may need any variable: settings of its cloud, the session's key ring
      env: { ...process.env, HOME: environment("HOME"), PATH: environment("PATH") },
      timeout: HELPER_LIMIT_MS,
      killSignal: "SIGKILL",
      signal,
    });
    let output = "";
    child.stdin.on("error", () => undefined); // a helper need not read its input
    child.stdin.end(server);
    child.stdout.on("data", (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(0, ANSWER_LIMIT);
    });
    child.once("error", (error: NodeJS.ErrnoException) => resolve({ code: error.code ?? "failed", output }));
    child.once("close", (code, killed) => resolve({ code: code ?? killed ?? "ended", output }));
  });
}
