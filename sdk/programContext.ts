import * as pulumi from "@pulumi/pulumi";
import type { Reporter } from "../provider/base/runtime/messages/reporter";
import { systemClock as clock } from "../provider/base/runtime/time/clock";
import { noTracer as tracer } from "../provider/base/runtime/tracing/tracer";
import type { VerificationContext } from "../provider/installation/verifyInstalledImage";
import type { ClientContext } from "../provider/resource/lifeCycle";

/** Reports what the program itself does: its lines are on the stack's row. */
const reporter: Reporter = {
  progress: (line) => void pulumi.log.debug(line),
  debug: (line) => void pulumi.log.debug(line),
  info: (line) => void pulumi.log.info(line),
  warn: (line) => void pulumi.log.warn(line),
};

const environment = (name: string): string | undefined => process.env[name];

/**
 * What the program's own requests need from the outside. Loaded on demand: most programs send no request, and the HTTP client is
 * slow to load.
 */
export async function programContext(): Promise<ClientContext & VerificationContext> {
  const [{ Secrets }, { Pacers }, { JobsSeen }, { default: fetch }] = await Promise.all([
    import("../provider/base/runtime/messages/secrets.js"),
    import("../provider/base/http/pacer.js"),
    import("../provider/service/jobsSeen.js"),
    import("node-fetch"),
  ]);
  const secrets = new Secrets();
  return {
    fetch,
    clock,
    pacers: new Pacers(clock),
    jobsSeen: new JobsSeen(),
    reporter,
    tracer,
    secrets,
    signal: new AbortController().signal,
    environment,
    configuration: { secrets, environment, stackConfig: (name) => pulumi.runtime.getConfig(name) },
  };
}
