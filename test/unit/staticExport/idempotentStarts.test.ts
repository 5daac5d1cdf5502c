// The idempotency key by which a service distinguishes a repeated start from a second one.
import { beforeEach, describe, expect, test } from "vitest";
import type { ScriptedReply } from "../../simulation/scriptedFetch.ts";
import { caught, SimulatedExport } from "../../simulation/simulatedExport.ts";

let site: SimulatedExport;

beforeEach(() => {
  site = new SimulatedExport();
  site.service.knowsIdempotencyKeys = true;
});

/**
 * Breaks these starts off: the service processes them, and the reply is lost.
 *
 * @param next the reply to the start after them, which is not processed; absent, as the service does
 */
function loseReplies(count: number, next?: ScriptedReply): void {
  let number = 0;
  site.service.fault = ({ method, path }, _, process) => {
    if (method !== "POST" || !path.endsWith("/jobs")) return undefined;
    if (++number > count) return number === count + 1 ? next : undefined;
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

describe("the key stays while an earlier start with it has no answer", () => {
  const IN_PROGRESS = { error: "a request with this Idempotency-Key is in progress" };
  const UNKNOWN = "No job is known to have been started.";

  test("if its repetition in the same run is answered with 409", async () => {
    loseReplies(1, { status: 409, body: IN_PROGRESS });
    expect((await caught(site.create())).message).toContain(UNKNOWN);
    expect((await site.create()).outputs.jobId).toBe("job-1");
    expect(site.service.started).toBe(1);
  });

  test("if its repetition in the same run is refused", async () => {
    loseReplies(1, { status: 403, body: { error: "no" } });
    expect((await caught(site.create())).message).toContain(UNKNOWN);
    expect((await site.create()).outputs.jobId).toBe("job-1");
    expect(site.service.started).toBe(1);
  });

  test.each([401, 403, 404, 409, 422, 503])("if the next run is answered with %i", async (status) => {
    loseReplies(2, {
      status,
      body: { error: "no" },
      ...(status === 503 && { headers: { "retry-after": "600" } }),
    });
    await caught(site.create());
    expect((await caught(site.create({}, 60_000))).message).toContain(UNKNOWN);
    expect((await site.create()).outputs.jobId).toBe("job-1");
    expect(new Set(site.service.startKeys).size).toBe(1);
    expect(site.service.started).toBe(1);
  });

  test("if the first reply is 409: a start that the service processes may be this one", async () => {
    loseReplies(0, { status: 409, body: IN_PROGRESS });
    expect((await caught(site.create())).message).toContain(UNKNOWN);
    await site.create();
    expect(new Set(site.service.startKeys).size).toBe(1);
  });

  test("if the reply is a 303, which leads from a processed request to its result", async () => {
    site.service.fault = ({ path }, _, process) => {
      if (!path.endsWith("/jobs")) return undefined;
      process();
      return { status: 303, headers: { location: "/v1/static-export/jobs/job-1" } };
    };
    expect((await caught(site.create())).message).toContain(UNKNOWN);
    site.service.fault = () => undefined;
    expect((await site.create()).outputs.jobId).toBe("job-1");
    expect(site.service.started).toBe(1);
  });

  test("but not for other content", async () => {
    loseReplies(2);
    await caught(site.create());
    site.service.fault = () => ({ status: 403, body: { error: "no" } });
    expect((await caught(site.create({ version: "v2" }))).message).toContain("No job was started.");
  });
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
