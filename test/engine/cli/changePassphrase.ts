// The one command without a method in the Automation API: it reads the new passphrase from its standard input.
import { execFile } from "node:child_process";
import type { LocalWorkspace } from "@pulumi/pulumi/automation/index.js";

export async function changePassphrase(
  { workDir, envVars, pulumiHome, pulumiCommand }: LocalWorkspace,
  stack: string,
  passphrase: string,
): Promise<void> {
  const args = ["stack", "change-secrets-provider", "passphrase", "--stack", stack, "--non-interactive"];
  const env = { ...process.env, ...envVars, ...(pulumiHome !== undefined && { PULUMI_HOME: pulumiHome }) };
  await new Promise<void>((done, fail) => {
    const child = execFile(pulumiCommand.command, args, { cwd: workDir, env }, (error, _stdout, stderr) => {
      if (error) fail(new Error(`the passphrase could not be changed: ${stderr.trim() || error.message}`));
      else done();
    });
    child.stdin?.end(`${passphrase}\n`);
  });
}
