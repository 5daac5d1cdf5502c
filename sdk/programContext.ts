import * as pulumi from "@pulumi/pulumi";
import type { VerificationContext } from "../provider/installation/verifyInstalledImage";
import type { Reporter } from "../provider/runtime/messages/reporter";
import { systemClock } from "../provider/runtime/time/clock";

/** Reports what the program itself does: its lines are on the stack's row. */
const reporter: Reporter = {
  progress: (line) => void pulumi.log.debug(line),
  debug: (line) => void pulumi.log.debug(line),
  info: (line) => void pulumi.log.info(line),
  warn: (line) => void pulumi.log.warn(line),
};

/**
 * What the program's own requests need from the outside. Loaded on demand: most programs send no request, and the HTTP client is
 * slow to load.
 */
export async function programContext(): Promise<VerificationContext> {
  const [{ Secrets }, { default: fetch }] = await Promise.all([
    import("../provider/runtime/messages/secrets.js"),
    import("node-fetch"),
  ]);
  return {
    fetch,
    clock: systemClock,
    reporter,
    secrets: new Secrets(),
    signal: new AbortController().signal,
    environment: (name: string) => process.env[name],
  };
}
