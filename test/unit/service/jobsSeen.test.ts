import { expect, test } from "vitest";
import { NotFoundError } from "../../../provider/base/runtime/messages/errors.ts";
import { JobsSeen } from "../../../provider/service/jobsSeen.ts";
import { VirtualClock } from "../../simulation/virtualClock.ts";

const signal = new AbortController().signal;

/** An account, and a request for a job that is answered after a time. */
function newAccount() {
  const clock = new VirtualClock();
  const jobs = new JobsSeen().of("https://a.example", "svc_1");
  const ask = (
    jobId: string | undefined,
    answer: "found" | "missing" | "error",
    afterMs = 0,
  ): Promise<unknown> =>
    jobs
      .ask(jobId, async () => {
        await new Promise<void>((resolve) => clock.after(afterMs, resolve));
        if (answer === "error") throw new Error("no connection");
        if (answer === "missing") throw new NotFoundError("404", "", { status: 404 });
      })
      .catch(() => undefined);
  return {
    clock,
    jobs,
    ask,
    isGone: (...own: string[]) => clock.run(jobs.isGone(new Set(own), { clock, signal })),
  };
}

test("one missing job alone counts as gone", async () => {
  const { clock, ask, isGone } = newAccount();
  await clock.run(ask("1", "missing"));
  expect(await isGone("1")).toBe(true);
});

test("two missing jobs of one resource are gone, and not beside that of another resource", async () => {
  const { clock, ask, isGone } = newAccount();
  await clock.run(Promise.all([ask("1", "missing"), ask("2", "missing")]));
  expect(await isGone("1", "2")).toBe(true);
  await clock.run(ask("3", "missing"));
  expect(await isGone("1", "2")).toBe(false);
  expect(await isGone("3")).toBe(false);
});

test("of two jobs that are missing none counts as gone", async () => {
  const { clock, ask, isGone, jobs } = newAccount();
  await clock.run(Promise.all([ask("1", "missing"), ask("2", "missing")]));
  expect(await isGone("1")).toBe(false);
  expect(jobs.missing).toBe(2);
});

test("an agent's job that is missing, too, proves nothing of an export, and one that is there does", async () => {
  const { clock, ask, isGone, jobs } = newAccount();
  await clock.run(Promise.all([ask("1", "missing"), ask(undefined, "missing")]));
  expect(await isGone("1")).toBe(true);
  expect(jobs.missing).toBe(1);
  await clock.run(Promise.all([ask("2", "missing"), ask(undefined, "found")]));
  expect(await isGone("1")).toBe(true);
});

test("the same job that is missing twice is one", async () => {
  const { clock, ask, isGone } = newAccount();
  await clock.run(ask("1", "missing"));
  await clock.run(ask("1", "missing"));
  expect(await isGone("1")).toBe(true);
});

test("another job that the account has proves that the missing ones are gone, also when its answer comes later", async () => {
  const { clock, ask, isGone } = newAccount();
  await clock.run(Promise.all([ask("1", "missing"), ask("2", "missing")]));
  const later = ask("3", "found", 15_000);
  expect(await isGone("1")).toBe(true);
  await later;
});

test("a request that fails proves nothing, and one that never ends is not waited for without a limit", async () => {
  const { clock, ask, isGone } = newAccount();
  await clock.run(Promise.all([ask("1", "missing"), ask("2", "missing"), ask("3", "error")]));
  void ask("4", "found", 3_600_000);
  expect(await isGone("1")).toBe(false);
  expect(clock.monotonic()).toBeLessThan(30_000);
});

test("a job that was missing because it is new, and was found then, is not missing", async () => {
  const { clock, ask, jobs } = newAccount();
  await clock.run(ask("1", "missing"));
  await clock.run(ask("1", "found"));
  expect(jobs.missing).toBe(0);
});

test("each base URL and each key is an account of its own", () => {
  const seen = new JobsSeen();
  const account = seen.of("https://a.example", "svc_1");
  expect(seen.of("https://a.example", "svc_1")).toBe(account);
  expect(seen.of("https://a.example", "svc_2")).not.toBe(account);
  expect(seen.of("https://b.example", "svc_1")).not.toBe(account);
});
