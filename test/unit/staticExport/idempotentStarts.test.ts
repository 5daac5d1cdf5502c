// The key by which a service that knows it tells a repeated start from a second one.
import { beforeEach, expect, test } from "vitest";
import { staticExport } from "../../../provider/staticExport/lifeCycle.ts";
import type { StaticExportInputs } from "../../../provider/staticExport/inputs.ts";
import type { StaticExportState } from "../../../provider/staticExport/state.ts";
import { MemoryRecords } from "../../simulation/memoryRecords.ts";
import { recordingReporter } from "../../simulation/recordingReporter.ts";
import { SimulatedService } from "../../simulation/simulatedService.ts";
import { VirtualClock } from "../../simulation/virtualClock.ts";

let clock: VirtualClock;
let service: SimulatedService;
let records: MemoryRecords;

beforeEach(() => {
  clock = new VirtualClock();
  service = new SimulatedService(clock);
  service.knowsIdempotencyKeys = true;
  records = new MemoryRecords(() => clock.now());
});

function create(more: Partial<StaticExportInputs> = {}): Promise<StaticExportState> {
  const context = {
    configuration: { environment: () => service.key, stackConfig: () => undefined },
    fetch: service.fetch,
    clock,
    reporter: recordingReporter(),
    resumeRecords: records,
    urn: "urn:pulumi:test::docs::pulumi-nodejs:dynamic/docs-hosting:StaticExport::docs",
    machine: "build-agent",
    inFlight: () => 1,
    signal: new AbortController().signal,
  };
  const inputs = { domain: "docs.example.com", baseUrl: service.baseUrl, apiKeyEnv: "KEY", ...more };
  return clock.run(staticExport.create(context, inputs));
}

/** Breaks these starts off: the service does its part, and the reply is lost. */
function loseReplies(count: number): void {
  let left = count;
  service.fault = ({ method, path }, _, process) => {
    if (method !== "POST" || !path.endsWith("/jobs") || left-- <= 0) return undefined;
    process();
    return { error: "ECONNRESET" };
  };
}

test("a start whose reply was lost is repeated with the same key, and one job is started", async () => {
  loseReplies(1);
  expect((await create()).outputs.jobId).toBe("job-1");
  expect(service.startKeys).toEqual([
    expect.stringMatching(/^"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"$/),
    service.startKeys[0],
  ]);
  expect(service.started).toBe(1);
});

test("the next run uses the key again when no reply came at all", async () => {
  loseReplies(2);
  await expect(create()).rejects.toThrow("No job is known to have been started.");
  expect((await create()).outputs.jobId).toBe("job-1");
  expect(new Set(service.startKeys).size).toBe(1);
  expect(service.started).toBe(1);
});

test("other content, and the next export of the same, have another key", async () => {
  loseReplies(2);
  await expect(create()).rejects.toThrow();
  await create({ version: "v2" });
  records.operationEnded();
  await create({ version: "v2" });
  expect(new Set(service.startKeys).size).toBe(3);
  expect(service.started).toBe(3);
});

test("a start that was refused is over: the next one has another key", async () => {
  service.fault = () => ({ status: 403, body: { error: "not on the plan" } });
  await expect(create()).rejects.toThrow("No job was started.");
  service.fault = () => undefined;
  await create();
  expect(new Set(service.startKeys).size).toBe(2);
});

test("a job that failed is over: the next start has another key", async () => {
  service.outcome = "failed";
  await expect(create()).rejects.toThrow("job-1 failed");
  service.outcome = "completed";
  expect((await create()).outputs.jobId).toBe("job-2");
});

test("without a disk to note it on, the key is still the same for all attempts of a run", async () => {
  records.diskIsFull = true;
  loseReplies(1);
  expect((await create()).outputs.jobId).toBe("job-1");
  expect(service.started).toBe(1);
});
