// `npm test -- cli`: all stacks on the real Pulumi CLI. `npm test` runs them on the test engine.
import { join } from "node:path";
import { findCommand } from "../programs/commands.ts";
import { runVitest } from "../programs/runVitest.ts";

if (findCommand("pulumi", process.env["PATH"])) {
  const given = process.argv.slice(2);
  const config = join(import.meta.dirname, "../vitest.config.ts");
  process.exitCode = await runVitest(config, { ENGINE: "cli" }, given.length > 0 ? given : ["stack/"]);
} else {
  console.error("npm test -- cli needs the Pulumi CLI: there is no `pulumi` on PATH.");
  process.exitCode = 1;
}
