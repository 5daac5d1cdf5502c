import { parseCommandLine, USAGE, UsageError } from "./commandLine.ts";
import { startReferenceService } from "./service.ts";

try {
  const options = parseCommandLine(process.argv.slice(2), process.env);
  if (options) {
    const service = await startReferenceService(options);
    for (const { projectId, job } of options.agentJobs) service.agentJobs.create(projectId, job);
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void service.close());
    console.log(`listening on ${service.url}`);
  } else {
    process.stdout.write(USAGE);
  }
} catch (error) {
  if (!(error instanceof Error)) throw error;
  process.stderr.write(`reference-service: ${error.message}\n`);
  if (error instanceof UsageError) process.stderr.write("Try --help.\n");
  process.exitCode = 1;
}
