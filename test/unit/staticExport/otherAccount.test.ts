// What a refresh forgets, and what it keeps, where jobs are missing: to a key of another account, a service answers 404, too.
import { beforeEach, expect, test } from "vitest";
import { JobsSeen } from "../../../provider/service/jobsSeen.ts";
import { staticExport } from "../../../provider/staticExport/lifeCycle.ts";
import type { StaticExportState } from "../../../provider/staticExport/state.ts";
import { SimulatedExport, unfinished } from "../../simulation/simulatedExport.ts";

let site: SimulatedExport;
let states: StaticExportState[];

beforeEach(async () => {
  site = new SimulatedExport();
  states = [];
  for (const version of ["v1", "v2", "v3"]) states.push(await site.create({ version }));
});

/** A refresh of all exports in one run. @returns of each: "kept", "gone", or the message */
function refresh(of = states, jobsSeen = new JobsSeen()): Promise<string[]> {
  const reads = of.map((state) =>
    staticExport.read({ ...site.context(), jobsSeen }, state).then(
      (found) => (found ? "kept" : "gone"),
      (error: unknown) => (error as Error).message,
    ),
  );
  return site.clock.run(Promise.all(reads));
}

test("jobs that are all missing at once are kept: the error names the account of the key, and what to do", async () => {
  site.service.fault = () => ({ status: 404 });
  const messages = await refresh();
  expect(messages).toHaveLength(3);
  for (const message of messages) {
    expect(message).toMatch(
      /^docs\.example\.com: none of the 3 jobs that this run asked for is known to the service/,
    );
    expect(message).toContain("The API key is probably of another account: correct it, then refresh again");
    expect(message).toContain("pulumi refresh --target URN");
    expect(message).toContain("The state is unchanged");
  }
});

test("jobs that are missing beside one that the account has are gone", async () => {
  site.service.jobs.delete("job-1");
  site.service.jobs.delete("job-3");
  expect(await refresh()).toEqual(["gone", "kept", "gone"]);
});

test("one missing job is gone, as also each of several is that are refreshed one at a time", async () => {
  site.service.jobs.clear();
  for (const state of states) expect(await refresh([state])).toEqual(["gone"]);
});

test("two exports of one missing job prove as little as one", async () => {
  site.service.jobs.clear();
  expect(await refresh([states[0], states[0]].flatMap((state) => state ?? []))).toEqual(["gone", "gone"]);
});

test("an export whose two jobs are missing, that of its link and that of an interrupted update, is gone if it is alone", async () => {
  site.service.outcome = "never";
  const [first, second] = await Promise.all(
    states
      .slice(0, 2)
      .map(async (state) => (await unfinished(site.update(state, { version: "v9" }, 30_000))).state),
  );
  site.service.jobs.clear();
  expect(await refresh([first].flatMap((state) => state ?? []))).toEqual(["gone"]);
  const both = await refresh([first, second].flatMap((state) => state ?? []));
  for (const message of both) expect(message).toContain("none of the 4 jobs");
  expect(both).toHaveLength(2);
});

test("jobs that are missing beside one whose answer is no answer are kept", async () => {
  site.service.fault = ({ path }) => ({ status: path.endsWith("job-2") ? 501 : 404 });
  const [first, second, third] = await refresh();
  expect(first).toContain("none of the 2 jobs");
  expect(second).not.toContain("none of");
  expect(third).toContain("none of the 2 jobs");
});
