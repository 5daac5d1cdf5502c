import fc from "fast-check";
import { expect, test } from "vitest";
import { UnfinishedError } from "../../../provider/resource/lifeCycle.ts";
import { staticExport } from "../../../provider/staticExport/lifeCycle.ts";
import type { StaticExportState } from "../../../provider/staticExport/state.ts";
import { scriptedFetch } from "../../simulation/scriptedFetch.ts";
import { SimulatedExport } from "../../simulation/simulatedExport.ts";
import { type Forms, FormsService, LINKS, POLLS, STARTS, WITHOUT_ID } from "./formsService.ts";

const numRuns = Number(process.env["HISTORIES"] ?? 200);
const seed = Number(process.env["SEED"] ?? 1);

const keysOf = <Key extends string>(table: Readonly<Record<Key, unknown>>): fc.Arbitrary<Key> =>
  fc.constantFrom(...(Object.keys(table) as Key[]));

const forms: fc.Arbitrary<Forms> = fc.record({
  start: fc.oneof(
    { weight: 3, arbitrary: fc.constant("id" as const) },
    { weight: 2, arbitrary: keysOf(STARTS) },
  ),
  pending: fc.constantFrom("queued", "RUNNING", "JOB_STATUS_PACKING", "warming up", "not_completed"),
  done: fc.constantFrom(
    "completed",
    "Succeeded",
    "JOB_STATUS_COMPLETED",
    "jobFinished",
    "completed_with_warnings",
    "canceled",
    "timed_out",
    "ERROR",
  ),
  link: keysOf(LINKS),
  poll: keysOf(POLLS),
  retryAfter: fc.constantFrom(
    undefined,
    "2.5",
    "2, 2",
    "4s",
    "Thursday, 01-Jan-26 00:00:05 GMT",
    "Thu Jan  1 00:00:05 2026",
    "soon",
  ),
});

const step = fc.record({
  forms,
  version: fc.constantFrom("v1", "v2", "v3"),
  pauseMs: fc.constantFrom(0, 60_000, 45 * 60_000, 3 * 3_600_000),
  limitMs: fc.constantFrom(10_000, 300_000),
  /** The engine dies before it stores the result. */
  isKilled: fc.nat(9).map((number) => number === 0),
});

/** How often each result was seen: histories without them prove nothing. */
const seen = new Map<string, number>();
const count = (what: string): void => void seen.set(what, (seen.get(what) ?? 0) + 1);

test(
  "no content is started again after its start was answered, and no link is kept after its end, in any form of the replies",
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 2, maxLength: 8 }),
        fc.constantFrom(0, 86_400_000, -86_400_000),
        async (steps, aheadMs) => {
          const site = new SimulatedExport();
          site.clock.wallMs += aheadMs;
          const service = new FormsService(site.clock, steps[0]?.forms as Forms);
          const { fetch } = scriptedFetch(service.answer);
          let state: StaticExportState | undefined;
          let isUnread = false;
          for (const { forms, version, pauseMs, limitMs, isKilled } of steps) {
            site.clock.advance(pauseMs);
            service.forms = forms;
            const inputs = { ...site.inputs, version, exportOptions: { version } };
            const context = { ...site.context(), fetch };
            const before = { isUnread, starts: service.starts.length };
            site.reporter.lines.warn.length = 0;
            const done = await site.clock
              .run(
                state
                  ? staticExport.update(context, state, inputs, limitMs)
                  : staticExport.create(context, inputs, limitMs),
              )
              .then(
                (value) => ({ value }),
                (error: unknown) => ({ error }),
              );
            const isSuccess = "value" in done;
            count(isSuccess ? "success" : "failure");
            const made = isSuccess ? done.value : stateIn(done.error);
            if (!isKilled) {
              state = made ?? state;
              site.records.operationEnded();
            } else site.records.processKilled();
            checkStarts(service, before, version, site.reporter.lines.warn);
            if (service.starts.length > before.starts) {
              isUnread = WITHOUT_ID.includes(service.starts.at(-1)?.form ?? "id");
            }
            // a state of another version is what the message asks for: the version was changed
            const isChanged = !isKilled && made !== undefined && service.starts.at(-1)?.version !== version;
            if (isSuccess || isChanged) isUnread = false;
            if (isSuccess) checkLink(service, done.value, site);
          }
        },
      ),
      { numRuns, seed, ...(process.env["REPLAY"] !== undefined && { path: process.env["REPLAY"] }) },
    );
    console.log(
      `${numRuns} histories from seed ${seed} hold: ${[...seen].map(([what, times]) => `${times} ${what}`).join(", ")}`,
    );
    expect(
      Math.min(
        ...["success", "failure", "start", "refused repetition", "link"].map((what) => seen.get(what) ?? 0),
      ),
    ).toBeGreaterThan(numRuns / 20);
  },
  numRuns * 60 + 60_000,
);

/** The state that the engine stores after a failure. */
const stateIn = (error: unknown): StaticExportState | undefined =>
  error instanceof UnfinishedError ? (error.state as StaticExportState) : undefined;

/**
 * @param before the number of starts when the operation began, and whether the last one was answered without an id, and nothing
 *   completed or changed the version since
 */
function checkStarts(
  { starts }: FormsService,
  before: { readonly isUnread: boolean; readonly starts: number },
  version: string,
  warnings: readonly string[],
): void {
  const now = starts.slice(before.starts);
  for (const each of now) count(`start, ${each.form}`);
  if (now.length > 0) count("start");
  // only after a reply that says nothing of the start, once, and with a warning
  expect(now.length).toBeLessThanOrEqual(2);
  if (now.length === 2) {
    expect(["lost at a CDN", "lost at another", "cut"]).toContain(now[0]?.form);
    expect(warnings.join()).toContain("two jobs run");
  }
  const last = starts[before.starts - 1];
  if (before.isUnread && last?.version === version) {
    count("refused repetition");
    expect(now).toEqual([]);
  }
}

function checkLink(
  { linkEnds }: FormsService,
  { outputs }: StaticExportState,
  { clock }: SimulatedExport,
): void {
  const endMs = linkEnds.get(outputs.bundleUrl ?? "") ?? NaN;
  count("link");
  expect(endMs).toBeGreaterThan(clock.trueNow());
  expect(Date.parse(outputs.expiresAt ?? "")).toBeLessThanOrEqual(endMs);
  expect(Date.parse(outputs.renewAfter ?? "")).toBeGreaterThan(clock.trueNow());
}
