// Faults of sites and jobs.
import { expect, test } from "vitest";
import { FasterClock } from "../../simulation/fasterClock.ts";
import { examined, healthyMachine, problemsOf } from "./examined.ts";
import { testFaults } from "./faults.ts";

testFaults([
  [
    "a domain that is a URL",
    () => ["--domain", "https://docs.example.com"],
    { check: "domain", message: "--domain is a URL", remedy: "Correct it" },
  ],
  [
    "a job that does not exist",
    () => ["--job", "job-of-yesterday"],
    { check: "job", message: "answered 404", remedy: "Check the domain, the job id and the base URL" },
  ],
  [
    "an agent's job that failed",
    ({ service }) => {
      service.agentJobs.set("p1", { id: "a1", status: "failed" });
      return ["--job", "a1", "--project", "p1"];
    },
    { check: "job", status: "warning", message: "is failed", remedy: "Start the agent again" },
  ],
]);

test("a plan without exports is known after a start, which starts no job", async () => {
  const machine = await healthyMachine();
  expect(problemsOf(await examined(machine, "--domain", "small.example.com"))).toEqual([]);
  expect(machine.starts()).toBe(0);
  const [problem] = problemsOf(await examined(machine, "--domain", "small.example.com", "--start"));
  expect(problem).toMatchObject({
    check: "start",
    status: "failure",
    message: expect.stringMatching(/answered 403.*plan/) as unknown,
    remedy: expect.stringContaining("enterprise plan") as unknown,
  });
});

test("a start without a reply is named: a job with an unknown id may run", async () => {
  const machine = await healthyMachine();
  machine.host.clock = new FasterClock(50);
  machine.service.intercept(({ method }) => (method === "POST" ? { hangUp: "processed" } : undefined));
  const problems = problemsOf(await examined(machine, "--domain", "docs.example.com", "--start"));
  expect(problems.map(({ check, status }) => `${check} ${status}`)).toContain("start failure");
  expect(problems.find(({ status }) => status === "warning")?.message).toMatch(
    /two jobs run|may have started a job/,
  );
});
