import { execFile } from "node:child_process";
import { redact } from "../../../base/runtime/messages/plainText";
import { parseJson } from "../../../base/runtime/values/json";
import { type Credential, helperCredential } from "./dockerConfiguration";
import type { RegistryContext } from "./exchange";

/** What the search for a credential needs from the outside. */
export type CredentialContext = Pick<RegistryContext, "environment" | "reporter" | "secrets" | "signal">;

/** Maximum time of a helper, in milliseconds: some ask a remote service. */
const HELPER_LIMIT_MS = 20_000;

/** Maximum size of what a helper prints, in bytes. */
const ANSWER_LIMIT = 1024 * 1024;

/**
 * Runs `docker-credential-NAME`, see https://github.com/docker/docker-credential-helpers. A missing or failing helper causes a
 * warning, and counts as one without a credential.
 *
 * @throws the signal's reason
 */
export async function runCredentialHelper(
  name: string,
  server: string,
  { environment, reporter, signal }: Omit<CredentialContext, "secrets">,
): Promise<Credential | undefined> {
  signal.throwIfAborted();
  const command = `docker-credential-${name}`;
  const { code, output } = await new Promise<{ code: number | string; output: string }>((resolve) => {
    const options = {
      // it may need any variable: settings of its cloud, the session's key ring
      env: { ...process.env, HOME: environment("HOME"), PATH: environment("PATH") },
      timeout: HELPER_LIMIT_MS,
      killSignal: "SIGKILL",
      maxBuffer: ANSWER_LIMIT,
      signal,
    } as const;
    const { stdin } = execFile(command, ["get"], options, (error, printed) =>
      resolve({ code: error ? (error.code ?? error.signal ?? "ended") : 0, output: printed }),
    );
    stdin?.on("error", () => undefined); // a helper need not read its input
    stdin?.end(server);
  });
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
