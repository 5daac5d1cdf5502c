// The reads of a refresh, the result of `StaticExport.get`, and the leftovers of a deletion.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { staticExport } from "../../../provider/staticExport/lifeCycle.ts";
import type { StaticExportState } from "../../../provider/staticExport/state.ts";
import { caught, SimulatedExport, unfinished } from "../../simulation/simulatedExport.ts";

let site: SimulatedExport;

beforeEach(() => {
  site = new SimulatedExport();
});

afterEach(() => {
  site.expectNoSecretShown();
});

describe("refresh", () => {
  test("waits for the job of a run that was interrupted a moment after the start", async () => {
    site.service.lagMs = 6_000;
    const { state } = await unfinished(site.create({}, 2_000));
    expect(await site.read(state)).toMatchObject({ outputs: { jobId: "job-1", status: "running" } });
  });

  test("polls a known job once, and proves that it is gone", async () => {
    const state = await site.create();
    site.service.jobs.clear();
    site.service.forgetRequests();
    expect(await site.read(state)).toBeUndefined();
    expect(site.service.requests).toEqual(["GET /jobs/job-1"]);
  });

  test("polls the job of the link, and only once that is gone the one to be continued", async () => {
    const whole = await site.create();
    const { state } = await unfinished(site.update(whole, { version: "v2" }, 30_000));
    site.requests();
    expect(await site.read(state)).toEqual(state);
    expect(site.requests()).toEqual(["GET /jobs/job-1"]);
    site.service.jobs.delete("job-1");
    expect(await site.read(state)).toEqual(state);
    expect(site.requests()).toEqual(["GET /jobs/job-1", "GET /jobs/job-2"]);
  });

  test("polls the job that replaced the first, and not the first", async () => {
    const first = await unfinished(site.create({}, 30_000));
    site.service.jobs.delete("job-1");
    const { state } = await unfinished(site.update(first.state, {}, 30_000));
    site.requests();
    expect(await site.read(state)).toEqual(state);
    expect(site.requests()).toEqual(["GET /jobs/job-2"]);
  });

  test("polls nothing where no job was ever known", async () => {
    const { state } = await unfinished(site.create({}, 30_000));
    const unknown = {
      outputs: { ...state.outputs, jobId: "" },
      bookkeeping: { given: [], unfinished: { intent: "", completed: false } },
    };
    site.service.forgetRequests();
    expect(await site.read(unknown)).toBe(unknown);
    expect(site.service.requests).toEqual([]);
  });

  test("polls for ten seconds for a job that may be new", async () => {
    const { state } = await unfinished(site.create({}, 2_000));
    site.service.jobs.clear();
    site.service.forgetRequests();
    const startedAt = site.clock.monotonic();
    expect(await site.read(state)).toBeUndefined();
    // and a second for other jobs of the account that might be missing, too
    expect(site.clock.monotonic() - startedAt).toBe(13_000);
    expect(site.service.requests).toHaveLength(7);
  });

  test("keeps the pages where the service does not report them any more", async () => {
    const state = await site.create();
    site.answer("status", () => ({ body: { status: "completed" } }));
    expect((await site.read(state))?.outputs).toStrictEqual(state.outputs);
  });

  test.each([401, 410, 503])("%i fails and leaves the state as it was", async (status) => {
    const state = await site.create();
    site.service.fault = () => ({ status });
    const error = await caught(site.read(state));
    expect(error.message).toContain("docs.example.com");
    expect(error.message).toContain("The state is unchanged.");
  });
});

test("a deletion forgets the records of the resource, and sends no request", async () => {
  const { state } = await unfinished(site.create({}, 30_000));
  site.service.forgetRequests();
  const { urn, ...nameless } = site.context();
  await staticExport.remove(nameless, state);
  await staticExport.remove({ ...nameless, urn: `${urn}-2` }, state);
  expect(site.records.jobs.size).toBe(1);
  await staticExport.remove(site.context(), state);
  expect(site.records.jobs.size).toBe(0);
  expect(site.service.requests).toEqual([]);
});

describe("an export that another program manages", () => {
  const lookUp = async (given: Record<string, unknown>): Promise<StaticExportState> => {
    const wanted = { baseUrl: site.service.baseUrl, ...given };
    return (await site.clock.run(staticExport.lookUp(site.context(), "docs.example.com", wanted))).state;
  };

  test("is read once by its job, and has no link", async () => {
    await site.create();
    site.requests();
    const { outputs } = await lookUp({ jobId: "job-1", version: "v1" });
    expect(site.requests()).toEqual(["GET /jobs/job-1"]);
    expect(outputs).toMatchObject({ jobId: "job-1", version: "v1", status: "completed", pageCount: 41 });
    expect(outputs.bundleUrl).toBeUndefined();
  });

  test("is an error when its job is of another site", async () => {
    site.answer("status", () => ({ body: { status: "completed", domain: "other.example.com" } }));
    const error = await caught(lookUp({ jobId: "job-1" }));
    expect(error.message).toContain("job job-1 is an export of other.example.com, not of docs.example.com");
  });

  test("is an error when its job is not there", async () => {
    const error = await caught(lookUp({ jobId: "job-7" }));
    expect(error.message).toMatch(
      /^docs.example.com: there is no job job-7 at https:.* Check the jobId and the account.$/,
    );
    expect(error).toMatchObject({ name: "NotFoundError", status: 404 });
  });
});
