// Ids of jobs from the service: J01 to J06 of the faults.
import { afterEach, beforeEach, expect, test } from "vitest";
import { MalformedResponseError } from "../../provider/base/runtime/messages/errors.ts";
import { checkByTable } from "../../provider/resource/inputTable.ts";
import { type CheckedExportInputs, STATIC_EXPORT_INPUTS } from "../../provider/staticExport/inputs.ts";
import type { SeenRequest } from "../simulation/scriptedFetch.ts";
import { caught, nothing, SimulatedExport, unfinished } from "../simulation/simulatedExport.ts";

const START = "POST /jobs";
const STORE = "https://store.example.test/site.tar.gz?X-Signature=c4n4ry";
let site: SimulatedExport;

beforeEach(() => {
  site = new SimulatedExport();
});

afterEach(() => {
  site.expectNoSecretShown();
});

/** A service whose only job has this id, at any path. */
function jobIsCalled(jobId: unknown): SeenRequest[] {
  const seen: SeenRequest[] = [];
  site.service.fault = (request) => {
    seen.push(request);
    if (request.path.endsWith("/jobs")) return { status: 202, body: { jobId } };
    if (request.method === "GET") return { body: { jobId, status: "completed" } };
    return { body: { bundleUrl: STORE, expiresAt: "2026-01-01T01:00:00Z" } };
  };
  return seen;
}

/** The reply to the start is this, and nothing else is ever requested. */
async function expectRefused(reply: { body: unknown } | { text: string }): Promise<void> {
  site.answer("start", () => ({ status: 202, ...reply }));
  const { message, state } = await unfinished(site.create());
  expect(message).toContain('answered without a usable "jobId"');
  expect(message).toContain("a job may run whose id is not known");
  expect(message.length).toBeLessThan(550);
  expect(site.requests()).toEqual([START]);
  expect(site.verdict(state)).toEqual({ ...nothing, hidden: true, code: "JOB_UNKNOWN" });
  expect((await caught(site.update(state))).message).toContain("No run starts another job until");
  expect(site.requests()).toEqual([]);
}

test.each([
  {},
  { jobId: null },
  { jobId: "" },
  { JobId: "7" },
  { jobId: true },
  { jobId: ["7"] },
  { jobId: {} },
])("J01 %j is no start of a job: an error, and no poll", (body) => expectRefused({ body }));

test("J02 a number becomes a text, also where the status repeats it", async () => {
  jobIsCalled(42);
  expect((await site.create()).outputs.jobId).toBe("42");
  expect(site.requests()).toEqual([START, "GET /jobs/42", "POST /jobs/42/bundle"]);
});

test.each(["12345678901234567890", "1.5", "1e400"])(
  "J02 the number %s, which cannot be read exactly, is refused",
  (number) => expectRefused({ text: `{"jobId":${number}}` }),
);

test.each([
  "../../v2/agent/x",
  "a/b",
  "a\\b",
  "7?x=1",
  "7#x",
  "%2e%2e",
  "%2F",
  "...",
  ":@&=+$,;",
  "org::job::7",
  "#7",
  "a[1]",
])("J03 the id «%s» stays one segment of the requested path", async (jobId) => {
  const seen = jobIsCalled(jobId);
  expect((await site.create()).outputs.jobId).toBe(jobId);
  const jobs = `${site.service.baseUrl}/v1/static-export/jobs`;
  const job = `${jobs}/${encodeURIComponent(jobId)}`;
  expect(seen.map(({ url }) => url)).toEqual([jobs, job, `${job}/bundle`]);
  for (const { url } of seen) expect(new URL(url).href).toBe(url); // nothing is left for a parser to resolve
});

test.each([".", ".."])(
  "J03 the id «%s», which no encoding protects from being resolved, is refused",
  (jobId) => expectRefused({ body: { jobId } }),
);

const UNUSABLE = [
  ["line ends", "7\r\nX-Header: 1"],
  ["a line end after it", "7\n"],
  ["NUL", "7\u0000"],
  ["ten kilobytes", "7".repeat(10_240)],
  ["an emoji", "job-🚀"],
  ["a right-to-left mark", "job\u200F-7"],
  ["a space", "job 7"],
  ["a command for Azure's pipelines", "7##vso[task.complete]"],
  ["a command for GitHub's pipelines", "##[stop-commands]7"],
  ["a workflow command", "::stop-commands::7"],
] as const;
const UNKNOWN_LIST = "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2";

test.each(UNUSABLE)(
  "J04 an id with %s is refused, and no poll is sent; as an input, too",
  async (_, jobId) => {
    await expectRefused({ body: { jobId } });
    const { failures } = checkByTable<CheckedExportInputs>(
      STATIC_EXPORT_INPUTS,
      { ...site.inputs, jobId },
      site.context().configuration,
    );
    expect(failures).toEqual([
      { property: "jobId", reason: expect.stringContaining("is not an id of a job") as string },
    ]);
  },
);

test("J04 an id that Pulumi takes for an unknown list is refused in a reply, and is unknown as an input", async () => {
  await expectRefused({ body: { jobId: UNKNOWN_LIST } });
  const { failures } = checkByTable<CheckedExportInputs>(
    STATIC_EXPORT_INPUTS,
    { ...site.inputs, jobId: UNKNOWN_LIST },
    site.context().configuration,
  );
  expect(failures).toEqual([]);
});

test.each([
  "04da6b54-80e4-46f7-96ec-b56ff0331ba9",
  "04DA6B54-80E4-46F7-96EC-B56FF0331BA9",
  "svc_simulated",
  "x-svc_simulated",
])(
  "an id that Pulumi takes for an unknown value, or with the API key in it (%#), is refused, and no poll is sent",
  (jobId) => expectRefused({ body: { jobId } }),
);

test.each(["null", "undefined", "0", "false"])("J05 the text «%s» is an id like any other", async (jobId) => {
  jobIsCalled(jobId);
  expect((await site.create()).outputs.jobId).toBe(jobId);
  expect(site.requests()).toEqual([START, `GET /jobs/${jobId}`, `POST /jobs/${jobId}/bundle`]);
});

test("J05 a missing id never becomes a text, in the status either", async () => {
  await expectRefused({ body: { jobId: undefined } });
  site = new SimulatedExport();
  site.service.durationMs = 0;
  for (const missing of [{}, { jobId: null }]) {
    site.answer("status", () => ({ body: { status: "completed", ...missing } }));
    const { outputs } = await site.create();
    expect(outputs.jobId).toMatch(/^job-\d$/);
  }
  expect(site.requests().join()).not.toMatch(/null|undefined/);
});

test.each(["job-2", "JOB-1", "", 1, {}])(
  "J06 a status of job %j is an error: no link is requested, and the job is kept",
  async (jobId) => {
    site.answer("status", () => ({ body: { status: "completed", jobId } }));
    const { message, state } = await unfinished(site.create());
    expect(message).toContain(
      "GET https://api.example.test/v1/static-export/jobs/job-1 answered about another job",
    );
    expect(site.requests()).toEqual([START, "GET /jobs/job-1"]);
    site.service.fault = () => undefined;
    expect((await site.update(state)).outputs.jobId).toBe("job-1");
    expect(site.service.started).toBe(1);
  },
);

test("J06 a refresh does not accept the status of another job either", async () => {
  const state = await site.create();
  site.answer("status", () => ({ body: { status: "failed", jobId: "job-2" } }));
  const error = await caught(site.read(state));
  expect(error).toBeInstanceOf(MalformedResponseError);
  expect(error.message).toContain("about another job");
  expect(error.message).toContain("The state is unchanged.");
});

test.each([
  [
    "an envelope",
    { body: { data: { jobId: "7" }, meta: {} } },
    "(it is inside the field data, not beside it)",
  ],
  ["another name", { body: { id: "7" } }, "(it has only id)"],
  [
    "a Location alone",
    { text: "", headers: { location: "/v1/static-export/jobs/7" } },
    "(it has no field, and a Location header, which is not read)",
  ],
  ["a number above 2^53", { text: '{"jobId": 9007199254740993}' }, "(it is a number above 2^53"],
  ["a number above 2^53 in an exponent", { text: '{"jobId": 9.1e18}' }, "(it is a number above 2^53"],
  ["a line end", { body: { jobId: "7\n" } }, "(an id has 1 to 512 visible ASCII characters)"],
])(
  "J07 a start that is answered with %s says what the reply lacks, and is never repeated",
  async (_, reply, lack) => {
    site.answer("start", () => ({ status: 202, ...reply }));
    const { message, state } = await unfinished(site.create());
    expect(message).toContain(lack);
    site.requests();
    expect((await caught(site.update(state))).message).toContain("no job is started");
    expect(site.requests()).toEqual([]);
  },
);

test("J07 after a start without a usable id, a job that the user names is adopted, and a new version starts one", async () => {
  site.answer("start", () => ({ status: 202, body: {} }));
  const { state } = await unfinished(site.create());
  site.requests();
  site.service.fault = () => undefined;
  expect(site.verdict(state, { jobId: "job-9" })).toMatchObject({ code: "ADOPTED" });
  const { outputs } = await site.update(state, { version: "v2" });
  expect(outputs).toMatchObject({ jobId: "job-1", version: "v2" });
  expect(site.requests()).toEqual([START, "GET /jobs/job-1", "POST /jobs/job-1/bundle"]);
});

test("J07 an update whose start has no usable id keeps the old link, and a renewal of the old content works", async () => {
  const state = await site.create({ version: "v1" });
  site.answer("start", () => ({ status: 201, text: "" }));
  const failed = await unfinished(site.update(state, { version: "v2" }));
  expect(failed.message).toContain("The link to job job-1 stays in place.");
  site.service.fault = () => undefined;
  site.clock.advance(3_600_000);
  site.requests();
  const renewed = await site.update(failed.state, { version: "v1" });
  expect(site.requests()).toEqual(["POST /jobs/job-1/bundle"]);
  expect(site.verdict(renewed, { version: "v2" })).toMatchObject({ code: "JOB_UNKNOWN" });
});

test("J07 a start that a web page answers started nothing, so the next run starts again", async () => {
  site.answer("start", () => ({ status: 200, text: "<html><title>Log in</title></html>" }));
  const error = await caught(site.create());
  expect(error).toBeInstanceOf(MalformedResponseError);
  site.service.fault = () => undefined;
  expect((await site.create()).outputs.jobId).toBe("job-1");
});
