// Any JSON of any texts as a reply: no run hangs, only texts are shown or stored, and no started job is lost.
import fc from "fast-check";
import { expect, test } from "vitest";
import { agentJob } from "../../provider/agentJob/lifeCycle.ts";
import { isPlain, isSentinel } from "../../provider/base/runtime/messages/plainText.ts";
import { UnfinishedError } from "../../provider/resource/lifeCycle.ts";
import type { StaticExportState } from "../../provider/staticExport/state.ts";
import { hostileJson, hostileText } from "../simulation/hostileText.ts";
import type { ScriptedReply } from "../simulation/scriptedFetch.ts";
import { SimulatedExport } from "../simulation/simulatedExport.ts";
import { LINK_END } from "./replies.ts";

const KEY = "svc_simulated";
const LIMIT_MS = 5 * 60_000;
const RUNS = { numRuns: 400, seed: Number(process.env["SEED"] ?? 1) };

const text = hostileText(KEY, encodeURIComponent(KEY), Buffer.from(KEY).toString("base64"));
const json = hostileJson(text);
const field = (arbitrary: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 5, arbitrary }, { weight: 1, arbitrary: json });

/** The fields of each reply, some of them as documented, and anything else. */
const fields = fc.record(
  {
    jobId: field(text),
    status: field(fc.oneof(text, fc.constantFrom("running", "completed", "COMPLETED"))),
    progress: field(fc.integer()),
    pageCount: field(fc.integer()),
    bundleUrl: field(
      fc.oneof(
        text,
        text.map((query) => `https://store.example.test/a?${query}`),
      ),
    ),
    expiresAt: field(fc.constant(LINK_END)),
    error: field(text),
    message: field(text),
    any: json,
  },
  { requiredKeys: [] },
);
const content = fc.oneof(
  { weight: 4, arbitrary: fields.map((body) => ({ body })) },
  { weight: 1, arbitrary: json.map((body) => ({ body })) },
  { weight: 1, arbitrary: text.map((raw) => ({ text: raw })) },
);
/** Statuses after which a job is neither gone nor finished. */
const reply: fc.Arbitrary<Exclude<ScriptedReply, "never" | { error: string }>> = fc
  .tuple(fc.constantFrom(200, 200, 200, 202, 400, 403, 409, 429, 500, 503), content)
  .map(([status, body]) => ({ status, ...body }));

const FORMS_OF_KEY = [KEY, encodeURIComponent(KEY), Buffer.from(KEY).toString("base64")];

/** Of hundred thousand lines: `expect` would take longer than what is tested. */
function expectOnlyText(shown: readonly string[]): void {
  for (const line of shown) {
    encodeURI(line); // throws at half a character
    if (!isPlain(line)) throw new Error(`more than text: ${JSON.stringify(line)}`);
    if (FORMS_OF_KEY.some((form) => line.includes(form))) throw new Error(`the key in: ${line}`);
  }
}

function linesOf({ reporter: { lines } }: SimulatedExport): string[] {
  return [...lines.progress, ...lines.info, ...lines.warn];
}

/** All texts in the outputs except the link, which has its own check. */
function expectStorable({ bundleUrl, ...outputs }: Record<string, unknown>): void {
  const texts: string[] = [];
  JSON.stringify(outputs, (_, value: unknown) => {
    if (typeof value === "string") texts.push(value);
    return value;
  });
  expectOnlyText(texts);
  expect(texts.filter(isSentinel)).toEqual([]);
  if (bundleUrl === undefined) return;
  expect(bundleUrl).toMatch(/^https:\/\/[^\\?#]+(?:[?#]|$)/);
  expect(bundleUrl).not.toMatch(/[\p{Cc}\p{Cs}]/u);
}

/** One run of `pulumi up`: its results. */
async function up(site: SimulatedExport, state?: StaticExportState): Promise<StaticExportState | undefined> {
  try {
    return await (state ? site.update(state, site.inputs, LIMIT_MS) : site.create(site.inputs, LIMIT_MS));
  } catch (error) {
    expectOnlyText([(error as Error).message]);
    return error instanceof UnfinishedError ? (error.state as StaticExportState) : state;
  } finally {
    site.records.operationEnded(); // as the engine sends it at the end of each
  }
}

test("the job continues and no other is started, with any replies to its polls and to the request for its link", async () => {
  const isOver = ({ body }: { body?: unknown }): boolean =>
    /failed/i.test(JSON.stringify((body as { status?: unknown } | null | undefined)?.status ?? ""));
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        reply.filter((each) => !isOver(each)),
        { maxLength: 12 },
      ),
      async (replies) => {
        const site = new SimulatedExport();
        const left = [...replies];
        site.service.fault = ({ path }) => (path.endsWith("/jobs") ? undefined : left.shift());
        let state: StaticExportState | undefined;
        for (let runs = 0; runs < 4; runs++) {
          state = await up(site, state);
          expect(state?.outputs.jobId).toBe("job-1");
          expectStorable({ ...state?.outputs });
        }
        left.length = 0;
        state = await up(site, state);
        expect(state?.outputs).toMatchObject({ jobId: "job-1", status: "completed" });
        expect(site.service.started).toBe(1);
        expectOnlyText(linesOf(site));
      },
    ),
    RUNS,
  );
}, 60_000);

test("the run ends with any reply to a start, and a valid id is polled", async () => {
  await fc.assert(
    fc.asyncProperty(reply, fc.array(reply, { maxLength: 6 }), async (started, replies) => {
      const site = new SimulatedExport();
      const left = [started, ...replies];
      site.service.fault = () => left.shift();
      const state = await up(site);
      if (state) expectStorable({ ...state.outputs });
      if (state) expectOnlyText([site.diff(state).decision.text]);
      expectOnlyText(linesOf(site));
    }),
    RUNS,
  );
}, 60_000);

test("the run ends with any reply for an agent job, and its outputs are text", async () => {
  const link = fc.oneof(
    fc.constant("https://git.example.com/docs/site"),
    text,
    text.map((path) => `https://git.example.com/${path}`),
  );
  const body = fc.record(
    {
      id: fc.constant("a1"),
      status: field(fc.oneof(text, fc.constantFrom("completed", "archived", "active"))),
      source: field(fc.record({ repository: field(link), ref: field(text) }, { requiredKeys: [] })),
      model: field(text),
      prLink: field(link),
      createdAt: field(fc.constant("2026-01-01T00:00:00Z")),
    },
    { requiredKeys: ["id", "status"] },
  );
  let stored = 0;
  await fc.assert(
    fc.asyncProperty(body, async (content) => {
      const site = new SimulatedExport();
      site.service.fault = () => ({ body: content });
      const { baseUrl, apiKeyEnv } = site.inputs;
      const inputs = { projectId: "p1", jobId: "a1", acceptFailed: false, baseUrl, apiKeyEnv };
      try {
        const { outputs } = await site.clock.run(agentJob.create(site.context(), inputs, LIMIT_MS));
        expectStorable({ ...outputs });
        stored++;
      } catch (error) {
        site.secrets.removeFromError(error);
        expectOnlyText([(error as Error).message]);
        if (error instanceof UnfinishedError) {
          expectStorable((error.state as { outputs: Record<string, unknown> }).outputs);
        }
      }
      expectOnlyText(linesOf(site));
    }),
    RUNS,
  );
  expect(stored).toBeGreaterThan(20);
}, 60_000);
