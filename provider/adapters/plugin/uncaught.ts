// Loaded first. An error that nothing handles, such as that of an older Node.js, ends the process with one line: the engine shows
// what the process wrote. Started jobs are continued by the next run.
import { writeSync } from "node:fs";

process.on("uncaughtException", (error: unknown) => {
  const message = error instanceof Error ? error.message : typeof error;
  writeSync(2, `docs-hosting: ${message}\n`);
  process.exit(1);
});
