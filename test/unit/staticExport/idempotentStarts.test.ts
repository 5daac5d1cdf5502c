// The idempotency key by which a service distinguishes a repeated start from a second one.
import { beforeEach, expect, test } from "vitest";
import { caught, SimulatedExport } from "../../simulation/simulatedExport.ts";

let site: SimulatedExport;

beforeEach(() => {
  site = new SimulatedExport();
  site.service.knowsIdempotencyKeys = true;
});

/** Breaks these starts off: the service processes them, and the reply is lost. */
function loseReplies(count: number): void {
  let left = count;
  site.service.fault = ({ method, path }, _, process) => {
    if (method !== "POST" || !path.endsWith("/jobs") || left-- <= 0) return undefined;
    process();
    return { error: "ECONNRESET" };
  };
}

test("a start whose reply was lost is repeated with the same key, and one job is started", async () => {
  loseReplies(1);
  expect((await site.create()).outputs.jobId).toBe("job-1");
  expect(site.service.startKeys).toEqual([
    expect.stringMatching(/^"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"$/),
    site.service.startKeys[0],
  ]);
  expect(site.service.started).toBe(1);
});

test("the next run uses the key again when no reply came at all", async () => {
  loseReplies(2);
  expect((await caught(site.create())).message).toContain("No job is known to have been started.");
  expect((await site.create()).outputs.jobId).toBe("job-1");
  expect(new Set(site.service.startKeys).size).toBe(1);
  expect(site.service.started).toBe(1);
});

test("other content, and the next export of the same, have another key", async () => {
  loseReplies(2);
  await caught(site.create());
  await site.create({ version: "v2" });
  site.records.operationEnded();
  await site.create({ version: "v2" });
  expect(new Set(site.service.startKeys).size).toBe(3);
  expect(site.service.started).toBe(3);
});

test("a refused start is finished: the next one has another key", async () => {
  site.service.fault = () => ({ status: 403, body: { error: "not on the plan" } });
  expect((await caught(site.create())).message).toContain("No job was started.");
  site.service.fault = () => undefined;
  await site.create();
  expect(new Set(site.service.startKeys).size).toBe(2);
});

test("a failed job is finished: the next start has another key", async () => {
  site.service.outcome = "failed";
  expect((await caught(site.create())).message).toContain("job-1 failed");
  site.service.outcome = "completed";
  expect((await site.create()).outputs.jobId).toBe("job-2");
});

test("without a disk to record it, the key is still the same for all attempts of a run", async () => {
  site.records.diskIsFull = true;
  loseReplies(1);
  expect((await site.create()).outputs.jobId).toBe("job-1");
  expect(site.service.started).toBe(1);
});
