import type { Context } from "../../provider/context.ts";
import * as staticExport from "../../provider/staticExport.ts";
import type { CheckedInputs } from "../../provider/staticExportInputs.ts";
import type { StaticExportState } from "../../provider/staticExportState.ts";
import { MemoryRecords } from "../simulation/memoryRecords.ts";
import { recordingReporter } from "../simulation/recordingReporter.ts";
import { SimulatedService } from "../simulation/simulatedService.ts";
import { VirtualClock } from "../simulation/virtualClock.ts";
import { show } from "./canary.ts";

/** Whole exports of one site on a virtual clock. */
export interface SimulatedExport {
  service: SimulatedService;
  clock: VirtualClock;
  lines: ReturnType<typeof recordingReporter>["lines"];
  create: () => Promise<StaticExportState>;
  read: (state: StaticExportState) => Promise<StaticExportState | undefined>;
  /** What an operation throws. */
  failed: (operation: Promise<unknown>) => Promise<Error>;
}

export function simulatedExport(): SimulatedExport {
  const clock = new VirtualClock();
  const service = new SimulatedService(clock);
  const reporter = recordingReporter();
  show(reporter.lines);
  const inputs: CheckedInputs = { domain: "docs.example.com", baseUrl: service.baseUrl, apiKeyEnv: "KEY" };
  const context: Context = {
    configuration: {
      environment: (name) => (name === "KEY" ? service.key : undefined),
      stackConfig: () => undefined,
    },
    fetch: service.fetch,
    clock,
    reporter,
    resumeRecords: new MemoryRecords(),
    machine: "build-agent",
    inFlight: () => 1,
    signal: new AbortController().signal,
  };
  return {
    service,
    clock,
    lines: reporter.lines,
    create: () => clock.run(staticExport.create(context, inputs)),
    read: (state) => clock.run(staticExport.read(context, state)),
    failed: async (operation) => {
      const error: unknown = await operation.then(
        () => new Error("it did not fail"),
        (thrown: unknown) => thrown,
      );
      show(error);
      return error as Error;
    },
  };
}
