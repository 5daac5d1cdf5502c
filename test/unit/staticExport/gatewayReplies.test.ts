// A gateway, a proxy or a login page that answers in place of the service: no job is forgotten, and none is started twice, because of it.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { caught, SimulatedExport, unfinished } from "../../simulation/simulatedExport.ts";
import { URN } from "../../simulation/testContext.ts";

let site: SimulatedExport;

beforeEach(() => {
  site = new SimulatedExport();
});

afterEach(() => {
  site.expectNoSecretShown();
});

/** Replies with 404 that have not the form of the API's errors. */
const NOT_FOUND = {
  "a gateway without a route": { status: 404, body: { message: "no Route matched with those values" } },
  "a framework without a route": { status: 404, body: { statusCode: 404, error: "Not Found", path: "/v1" } },
  "nothing but the status": { status: 404 },
};

test("a job that the API does not find is over, however short its reason is", async () => {
  site.service.fault = ({ method }) =>
    method === "GET" ? { status: 404, body: { error: "Not found" } } : undefined;
  expect((await caught(site.create())).message).not.toContain("is kept");
});

describe.each(Object.entries(NOT_FOUND))("a 404 of %s", (_, reply) => {
  test("to the bundle of a completed job leaves the job to the next run", async () => {
    site.service.fault = ({ path }) => (path.endsWith("/bundle") ? reply : undefined);
    const { message, state } = await unfinished(site.create());
    expect(message).toContain("Nothing is lost: job job-1 is kept");
    site.service.fault = () => undefined;
    site.records.operationEnded();
    expect((await site.update(state)).outputs.jobId).toBe("job-1");
    expect(site.service.started).toBe(1);
  });

  test("to each poll of a job that was just started leaves the job to the next run", async () => {
    site.service.fault = ({ method }) => (method === "GET" ? reply : undefined);
    const { state } = await unfinished(site.create());
    site.service.fault = () => undefined;
    site.records.operationEnded();
    expect((await site.update(state)).outputs.jobId).toBe("job-1");
    expect(site.service.started).toBe(1);
  });

  test("to each poll leaves the job to every next run: none starts another", async () => {
    site.service.fault = ({ method }) => (method === "GET" ? reply : undefined);
    let { state, message } = await unfinished(site.create());
    for (let run = 0; run < 2; run++) {
      site.records.operationEnded();
      ({ state, message } = await unfinished(site.update(state)));
      expect(message).toMatch(/proves nothing of the job .*Nothing is lost: job job-1 is kept/);
    }
    site.service.fault = () => undefined;
    expect((await site.update(state)).outputs.jobId).toBe("job-1");
    expect(site.service.started).toBe(1);
  });

  test("to each poll of the job of a killed run starts no other one", async () => {
    await unfinished(site.create({}, 20_000));
    site.records.processKilled();
    site.service.fault = ({ method }) => (method === "GET" ? reply : undefined);
    const { state } = await unfinished(site.create());
    site.service.fault = () => undefined;
    expect((await site.update(state)).outputs.jobId).toBe("job-1");
    expect(site.service.started).toBe(1);
  });

  test("of the service itself does not hold a job for ever: another version starts another one", async () => {
    const { state } = await unfinished(site.create({}, 20_000));
    site.service.jobs.clear();
    site.service.fault = ({ path }) => (path.includes("/job-1") ? reply : undefined);
    const again = await unfinished(site.update(state));
    expect(again.message).toContain(
      "If the service did remove the job, run `pulumi up` with another `version`",
    );
    expect((await site.update(again.state, { version: "v2" })).outputs.jobId).toBe("job-2");
  });

  test("to the bundle of a completed job leaves the job to every next run, until its status is missing, too", async () => {
    site.service.fault = ({ path }) => (path.endsWith("/bundle") ? reply : undefined);
    let { state } = await unfinished(site.create());
    ({ state } = await unfinished(site.update(state)));
    ({ state } = await unfinished(site.update(state)));
    expect(site.service.started).toBe(1);
    site.service.fault = ({ path }) => (path.includes("/job-1") ? reply : undefined);
    expect((await site.update(state)).outputs.jobId).toBe("job-2");
  });

  test("to an adopted job names what to give in its place", async () => {
    site.service.fault = ({ method }) => (method === "GET" ? reply : undefined);
    const { message } = await unfinished(site.create({ jobId: "job-7" }));
    expect(message).toContain("run `pulumi up` with no `jobId`, or that of another job");
  });

  test("to a refresh and to the bundle of a job that is really gone leads to another export", async () => {
    const state = await site.create();
    site.records.operationEnded();
    site.service.fault = ({ path }) => (path.includes("/job-1") ? reply : undefined);
    expect(await site.read(state)).toBeUndefined();
    expect((await site.create()).outputs.jobId).toBe("job-2");
  });

  test("to a refresh of both jobs keeps the state: that of an interrupted update to other content cannot be found otherwise", async () => {
    const state = await site.create({ version: "v1" });
    site.service.outcome = "never";
    const update = await unfinished(site.update(state, { version: "v2" }, 30_000));
    site.service.fault = () => reply;
    const { message } = await caught(site.read(update.state));
    expect(message).toMatch(
      /proves nothing of the job .*The state is unchanged.*without a refresh and with another/,
    );
  });

  test("to a refresh of the link's job alone is recorded for its own content", async () => {
    const state = await site.create({ version: "v1" });
    site.service.outcome = "never";
    const update = await unfinished(site.update(state, { version: "v2" }, 30_000));
    site.records.processKilled();
    site.records.forget({ ...site.inputs, baseUrl: site.service.baseUrl, urn: URN });
    site.service.jobs.delete("job-2");
    site.service.fault = ({ path }) => (path.includes("/job-1") ? reply : undefined);
    expect(await site.read(update.state)).toBeUndefined();
    site.service.fault = () => undefined;
    expect((await site.create({ version: "v1" })).outputs.jobId).toBe("job-1");
  });

  test("to a refresh takes the resource out of the state, and the next create finds its job", async () => {
    const state = await site.create();
    site.records.operationEnded();
    site.service.fault = () => reply;
    expect(await site.read(state)).toBeUndefined();
    site.service.fault = () => undefined;
    expect((await site.create()).outputs.jobId).toBe("job-1");
    expect(site.service.started).toBe(1);
  });

  test("to a refresh of a job that is really gone delays the next export, and does not prevent it", async () => {
    const state = await site.create();
    site.records.operationEnded();
    site.service.fault = ({ method }) => (method === "GET" ? reply : undefined);
    expect(await site.read(state)).toBeUndefined();
    site.service.jobs.clear();
    site.service.fault = () => undefined;
    expect((await site.create()).outputs.jobId).toBe("job-2");
  });

  test("to a renewal is asked about: the job is there, and the old link stays", async () => {
    const state = await site.create();
    site.clock.advance(3_600_000);
    site.service.fault = ({ path }) => (path.endsWith("/bundle") ? reply : undefined);
    site.requests();
    expect((await caught(site.update(state))).message).toContain("The old link stays in place.");
    expect(site.requests()).toEqual(["POST /jobs/job-1/bundle", "GET /jobs/job-1"]);
    expect(site.service.started).toBe(1);
  });

  test("to a renewal and to the question for its job leads to another export", async () => {
    const state = await site.create();
    site.clock.advance(3_600_000);
    site.service.fault = ({ path }) => (path.includes("/job-1") ? reply : undefined);
    expect((await site.update(state)).outputs.jobId).toBe("job-2");
  });
});

const page = (status: number, type = "text/html") => ({
  status,
  text: "<!doctype html><title>Sign in</title>",
  headers: { "content-type": type },
});

/** Replies that say nothing of a job, whatever their status. */
const PAGES = {
  "a login page": page(200),
  "a login page as a part": page(206),
  "a page with 404": page(404),
  "a page with 404 that calls itself JSON": page(404, "application/json"),
  "a page with 410": page(410),
  "a redirect to a login page": { ...page(301), headers: { location: "https://login.example.net/" } },
  "a proxy that wants a login": page(407),
  "a network that wants a login": page(511),
};

describe.each(Object.entries(PAGES))("%s", (_, reply) => {
  test("is no answer to a refresh: the state is unchanged", async () => {
    const state = await site.create();
    site.service.fault = () => reply;
    expect((await caught(site.read(state))).message).toContain("The state is unchanged.");
  });

  test("is no answer to a renewal: the old link stays, and nothing is started", async () => {
    const state = await site.create();
    site.clock.advance(3_600_000);
    site.service.fault = () => reply;
    expect((await caught(site.update(state))).message).toContain("The old link stays in place.");
    site.service.fault = () => undefined;
    expect((await site.update(state)).outputs.jobId).toBe("job-1");
  });

  test("is no answer about a started job: the next run continues it", async () => {
    site.service.fault = ({ path }) => (path.endsWith("/jobs") ? undefined : reply);
    const { state } = await unfinished(site.create({}, 60_000));
    site.service.fault = () => undefined;
    site.records.operationEnded();
    expect((await site.update(state)).outputs.jobId).toBe("job-1");
    expect(site.service.started).toBe(1);
  });
});
