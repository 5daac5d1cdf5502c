// The real Node.js program runtime of @pulumi/pulumi, running the program of a stack.
import { type Child, type ChildOptions, startNode } from "./childProcess.ts";
import { resolveFromProgram } from "./programLocation.ts";

export interface ProgramOptions extends ChildOptions {
  engineAddress: string;
  project: string;
  stack: string;
  entry: string;
  parallel: number;
  dryRun: boolean;
}

/** The runtime has already logged the error. */
const exitCodeAfterLoggedError = 32;

export function startProgram(options: ProgramOptions): Child {
  const flags = {
    monitor: options.engineAddress,
    engine: options.engineAddress,
    organization: "organization", // the message of the CLI's file backend
    project: options.project,
    stack: options.stack,
    "root-directory": options.folder,
    pwd: options.folder,
    parallel: String(options.parallel),
  };
  const args = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]);
  const file = resolveFromProgram(options.folder, "@pulumi/pulumi/cmd/run");
  return startNode(file, [...args, ...(options.dryRun ? ["--dry-run"] : []), options.entry], options);
}

/** An error message about the program's end, or nothing. */
export async function describeExit(program: Child): Promise<{ failed: boolean; message?: string }> {
  const { code, signal } = await program.exited;
  if (code === 0) return { failed: false };
  if (code === exitCodeAfterLoggedError) return { failed: true };
  if (code === null) return { failed: true, message: `Program was ended by ${signal ?? "a signal"}` };
  return {
    failed: true,
    message: `an unhandled error occurred: Program exited with non-zero exit code: ${code}`,
  };
}
