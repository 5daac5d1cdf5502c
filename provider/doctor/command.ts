import { packageText, packageVersion } from "../base/runtime/files/packageText";
import { printable } from "../base/runtime/messages/plainText";
import { Secrets } from "../base/runtime/messages/secrets";
import { examine } from "./doctor";
import { isHealthy, resultOf } from "./finding";
import type { DoctorHost } from "./host";
import { type Options, readOptions, UsageError } from "./options";
import { jsonReport, textReport } from "./report";
import type { ServiceResult } from "./service";

/** What a command printed, without a secret, and how it ended. */
interface CommandResult {
  readonly stdout: string;
  readonly stderr: string;
  /** 0 if no check failed, 1 if one failed, 2 for a wrong command line. */
  readonly exitCode: 0 | 1 | 2;
}

/** Runs `pulumi-docs-hosting` with these arguments. */
export async function runCommand(args: readonly string[], host: DoctorHost): Promise<CommandResult> {
  let options: Options;
  try {
    options = readOptions(args);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const stderr = `pulumi-docs-hosting: ${printable(error.message)}\nRun \`pulumi-docs-hosting --help\` for all options.\n`;
    return { stdout: "", stderr, exitCode: 2 };
  }
  if (options.help) return { stdout: packageText("provider/doctor/help.txt"), stderr: "", exitCode: 0 };
  const version = packageVersion();
  if (options.version) return { stdout: `${version}\n`, stderr: "", exitCode: 0 };
  const secrets = new Secrets();
  // also an error outside of the checks is in the report, so that programs can read it
  const examination = await resultOf<ServiceResult>(
    "doctor",
    () => examine({ options, host, secrets }),
    (finding) => ({ findings: [finding], mayHaveStarted: options.start }),
  );
  const report = (options.json ? jsonReport : textReport)(examination, version);
  const exitCode = isHealthy(examination.findings) ? 0 : 1;
  return { stdout: secrets.removeFrom(report), stderr: "", exitCode };
}
