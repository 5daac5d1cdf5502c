// The engines that the tests can run on here.
import { findCommand } from "../programs/commands.ts";
import type { EngineKind } from "./stack.ts";

export interface AvailableEngines {
  kinds: EngineKind[];
  /** Why an engine is left out, in a sentence for the test's output. */
  skipped: string | undefined;
}

/** Always the local one, and the CLI when `pulumi` is on PATH. ENGINE=cli or ENGINE=local forces one. */
export function availableEngines(env: NodeJS.ProcessEnv = process.env): AvailableEngines {
  const forced = env["ENGINE"];
  if (forced === "local") return { kinds: ["local"], skipped: "cli: left out by ENGINE=local" };
  if (forced === "cli") return { kinds: ["cli"], skipped: "local: left out by ENGINE=cli" };
  if (forced) throw new Error(`ENGINE must be "local" or "cli", not ${JSON.stringify(forced)}`);
  if (findCommand("pulumi", env["PATH"])) return { kinds: ["local", "cli"], skipped: undefined };
  return { kinds: ["local"], skipped: "cli: `pulumi` is not on PATH" };
}
