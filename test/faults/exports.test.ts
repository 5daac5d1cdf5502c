// What a fault means to a whole export, on a virtual clock.
import { expect, test } from "vitest";
import { UnfinishedError } from "../../provider/resource/unfinishedError.ts";
import { caught, SimulatedExport } from "../simulation/simulatedExport.ts";
import { show } from "./canary.ts";

function simulated(): SimulatedExport {
  const site = new SimulatedExport();
  show(site.reporter.lines);
  return site;
}

/** What an operation throws. */
async function failed(operation: Promise<unknown>): Promise<Error> {
  const error = await caught(operation);
  show(error);
  return error;
}

test("N22 a network that is lost for five minutes of the wait costs no job", async () => {
  const { service, clock, create, reporter } = simulated();
  service.durationMs = 10 * 60_000;
  service.fault = () => {
    const minutes = clock.monotonic() / 60_000;
    if (minutes < 2 || minutes >= 7) return undefined;
    return { error: minutes < 4 ? "ENETUNREACH" : "ETIMEDOUT" };
  };
  expect((await create()).outputs).toMatchObject({ status: "completed", jobId: "job-1", pageCount: 41 });
  expect(service.started).toBe(1);
  expect(service.requests.filter((request) => request === "POST /jobs")).toHaveLength(1);
  expect(reporter.lines.progress).toContainEqual(
    expect.stringContaining("failed (ENETUNREACH); trying again in"),
  );
  expect(reporter.lines.warn).toEqual([]);
  expect(clock.monotonic()).toBeLessThan(11 * 60_000);
});

test("H13 a job that is unknown just after its start is waited for, ten seconds at most", async () => {
  const { service, create } = simulated();
  service.lagMs = 9_000;
  expect((await create()).outputs.status).toBe("completed");
  const late = simulated();
  late.service.lagMs = 30_000;
  expect((await failed(late.create())).message).toContain("answered 404");
  expect(late.clock.monotonic()).toBeGreaterThanOrEqual(10_000);
  expect(late.clock.monotonic()).toBeLessThan(20_000);
});

test("H14 a job that is gone later is a failure with nothing to continue", async () => {
  const { service, clock, create } = simulated();
  service.fault = ({ method }) =>
    method === "GET" && clock.monotonic() > 20_000 ? { status: 404 } : undefined;
  const error = await failed(create());
  expect(error.message).toContain("answered 404");
  expect(error).not.toBeInstanceOf(UnfinishedError);
});

test("H14 a job that is gone is gone for a refresh, and only 404 means that", async () => {
  const { service, create, read } = simulated();
  const state = await create();
  service.jobs.clear();
  expect(await read(state)).toBeUndefined();
});

test("H15 a bundle that is not ready sends us back to waiting, five times at most", async () => {
  const { service, create } = simulated();
  let refusals = 0;
  service.fault = ({ path }) => (path.endsWith("/bundle") && ++refusals <= 5 ? { status: 409 } : undefined);
  expect((await create()).outputs.status).toBe("completed");
  expect(service.requests.filter((request) => request.startsWith("GET")).length).toBeGreaterThanOrEqual(6);
  refusals = 0;
  service.fault = ({ path }) => (path.endsWith("/bundle") && ++refusals ? { status: 409 } : undefined);
  expect(await failed(create())).toBeInstanceOf(UnfinishedError);
  expect(refusals).toBe(6);
});
