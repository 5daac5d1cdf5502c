import { describe, expect, test, vi } from "vitest";
import { startReferenceService } from "../../examples/reference-service/index.ts";
import { JOBS, serviceCalls } from "./serviceCalls.ts";
import { download, KEY, serviceOfEachTest } from "./testedService.ts";

const { tested, call, start, startJob, completeJob, mintLink } = serviceOfEachTest();

describe("the admin API key", () => {
  test.each([
    ["GET", "/v2/agent/project/job/agent-1"],
    ["GET", "/v2/agent/project/job/agent-2"],
    ["POST", JOBS],
    ["GET", `${JOBS}/job-1`],
    ["POST", `${JOBS}/job-1/bundle`],
  ])("is needed for %s %s", async (method, path) => {
    tested.service.agentJobs.create("project", { id: "agent-1" });
    expect(await call(method, path, undefined, "")).toEqual({
      status: 401,
      body: { error: "the admin API key is missing" },
    });
    expect(await call(method, path, undefined, "svc_another")).toEqual({
      status: 401,
      body: { error: "the admin API key is not valid" },
    });
  });

  test("is accepted only as a bearer token", async () => {
    const response = await fetch(tested.service.url + JOBS, {
      method: "POST",
      headers: { authorization: `Basic ${KEY}` },
    });
    expect(response.status).toBe(401);
    expect(await response.json()).toEqual({ error: "the admin API key is not a bearer token" });
  });

  test("must have the prefix of such keys", async () => {
    await expect(startReferenceService({ sites: {}, adminApiKey: "secret" })).rejects.toThrow("svc_");
  });
});

describe("for tests", () => {
  test("every request is logged, without the key and without the signature of a link", async () => {
    const { jobId } = await completeJob();
    await download(await mintLink(jobId));
    await call("GET", `${JOBS}/job-1`, undefined, "");
    const [first] = tested.service.requests;
    const domain = "docs.example.com";
    const withKey = { hasAuthorization: true, domain };
    const withoutKey = { method: "GET", hasAuthorization: false };
    expect(first).toEqual({ method: "POST", path: JOBS, status: 202, ...withKey });
    expect(tested.service.requests.slice(-3)).toEqual([
      { method: "POST", path: `${JOBS}/${jobId}/bundle`, status: 200, jobId, ...withKey },
      { path: `/bundles/${jobId}.tar.gz`, status: 200, domain, jobId, ...withoutKey },
      { path: `${JOBS}/job-1`, status: 401, ...withoutKey },
    ]);
    expect(JSON.stringify(tested.service.requests)).not.toContain(KEY);
  });

  test("the log of requests has a limit, and so has each text in it, also without a key", async () => {
    const long = await startReferenceService({ sites: {}, adminApiKey: KEY, loggedRequests: 3 });
    const nameless = serviceCalls(long.url, "");
    for (let index = 1; index <= 5; index++) await nameless("GET", `/${index}/${"a".repeat(15_000)}`);
    await nameless("POST", "/6", { domain: "b".repeat(100_000) });
    await long.close();
    expect(long.requests.map(({ path }) => path.slice(0, 3))).toEqual(["/4/", "/5/", "/6"]);
    expect(long.requests.map(({ path }) => path.length)).toEqual([1_024, 1_024, 2]);
    expect(long.requests[2]?.domain).toHaveLength(1_024);
  });

  test("unexpected errors are reported to the operator of the service, and clients get no path of the machine", async () => {
    const output = vi.spyOn(console, "error").mockImplementation(() => undefined);
    tested.service.intercept(() => {
      throw new Error(`ENOENT: no such file, open '${tested.source}/one.html'`);
    });
    expect(await start()).toEqual({
      status: 500,
      body: { error: "the service failed; what happened is in its own output" },
    });
    expect(String(output.mock.calls[0]?.[1])).toContain(tested.source);
    output.mockRestore();
  });

  test("a request can be answered differently, until the interceptor is removed", async () => {
    const remove = tested.service.intercept(({ method, domain }) =>
      method === "POST" && domain === "docs.example.com"
        ? { status: 503, headers: { "retry-after": "2" }, body: { error: "busy" } }
        : undefined,
    );
    expect(await start()).toEqual({ status: 503, body: { error: "busy" } });
    expect((await call("GET", `${JOBS}/job-1`)).status).toBe(404);
    remove();
    await startJob();
  });

  test("a connection can be closed before or after the request was handled", async () => {
    for (const hangUp of ["unprocessed", "processed"] as const) {
      const remove = tested.service.intercept(({ method }) => (method === "POST" ? { hangUp } : undefined));
      await expect(start()).rejects.toThrow();
      remove();
    }
    expect(tested.service.requests.map(({ status }) => status)).toEqual([undefined, 202]);
  });

  test("a site can be replaced, and reset forgets everything and restores the first site", async () => {
    tested.service.setSite("docs.example.com", { source: tested.source, plan: "starter" });
    tested.service.agentJobs.create("project", { id: "agent-1" });
    tested.service.intercept(() => undefined);
    expect((await start()).status).toBe(403);
    await tested.service.reset();
    expect(tested.service.requests).toEqual([]);
    const jobId = await startJob();
    await tested.service.reset();
    expect((await call("GET", `${JOBS}/${jobId}`)).status).toBe(404);
    expect((await call("GET", "/v2/agent/project/job/agent-1")).status).toBe(404);
  });

  test("replies have the time of the service's own clock", async () => {
    const response = await fetch(tested.service.url);
    expect(response.headers.get("date")).toBe("Tue, 01 Jan 2030 12:00:00 GMT");
  });
});
