import { Pacers } from "../../provider/base/http/pacer.ts";
import { Semaphore } from "../../provider/base/runtime/concurrency/semaphore.ts";
import { Secrets } from "../../provider/base/runtime/messages/secrets.ts";
import { noTracer } from "../../provider/base/runtime/tracing/tracer.ts";
import type { PublicationContext } from "../../provider/copies/publication/context.ts";
import { JobsSeen } from "../../provider/service/jobsSeen.ts";
import { MemoryNotes } from "./memoryNotes.ts";
import { MemoryRecords } from "./memoryRecords.ts";
import { recordingReporter } from "./recordingReporter.ts";

/** The API key in every variable of a test's environment whose name ends like one. */
export const KEY = "svc_c4n4ry";

/** The URN of a static export. */
export const URN = "urn:pulumi:test::docs::pulumi-nodejs:dynamic/docs-hosting:StaticExport::docs";

/** The context of an operation; a test passes the parts that it is about. */
export function testContext(
  given: Pick<PublicationContext, "fetch" | "clock"> & Partial<PublicationContext>,
): PublicationContext {
  return {
    configuration: {
      environment: (name) => (name.endsWith("_KEY") ? KEY : undefined),
      stackConfig: () => undefined,
    },
    // a DNS that knows no host
    lookup: (_host, _options, callback) =>
      callback(Object.assign(new Error("unknown"), { code: "ENOTFOUND" }), []),
    pacers: new Pacers(given.clock),
    jobsSeen: new JobsSeen(),
    downloads: new Semaphore(8),
    publications: new Semaphore(4),
    reporter: recordingReporter(),
    secrets: new Secrets(),
    resumeRecords: new MemoryRecords(),
    publicationRecords: new MemoryNotes(),
    declaredPlaces: { isDeclared: () => true },
    tracer: noTracer,
    machine: "build-agent",
    runningOperations: () => 1,
    signal: new AbortController().signal,
    ...given,
  };
}
