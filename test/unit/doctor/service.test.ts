// What the service says about key, clock and jobs; the tests of faults have whole examinations.
import fetch from "node-fetch";
import { expect, test } from "vitest";
import type { InterceptorReply } from "../../../examples/reference-service/index.ts";
import { runCommand } from "../../../provider/doctor/command.ts";
import { failure, type Finding, ok, warning } from "../../../provider/doctor/finding.ts";
import { FasterClock } from "../../simulation/fasterClock.ts";
import { DOMAIN, examined, healthyMachine, hostOf, KEY, type Machine } from "./examined.ts";

const UPDATE = "Update the package.";
const NO_JOB = "00000000-0000-0000-0000-000000000000";
const of = (check: string, { findings }: { findings: readonly Finding[] }): Finding | undefined =>
  findings.find((each) => each.check === check);

/** A machine whose service answers requests for a job like this. */
async function answering(jobId: string, reply: InterceptorReply): Promise<Machine> {
  const machine = await healthyMachine();
  machine.service.intercept((request) =>
    request.jobId === jobId || request.path.endsWith(jobId) ? reply : undefined,
  );
  return machine;
}

test.each<[object, Finding]>([
  [{ status: "completed", pageCount: 7 }, ok("job", "export job j1 is completed, 7 pages")],
  [{ status: "running" }, ok("job", "export job j1 is running")],
  [
    { status: "failed", error: "no pages" },
    warning("job", "export job j1 is failed: no pages", "Start a new export."),
  ],
  [{ status: "failed" }, warning("job", "export job j1 is failed", "Start a new export.")],
  [
    { status: "odd" },
    warning("job", "export job j1 is odd, which is an unknown status: it counts as still running", UPDATE),
  ],
])("an export job %j is reported", async (body, finding) => {
  const machine = await answering("j1", { body });
  expect(of("job", await examined(machine, "--job", "j1"))).toEqual(finding);
});

test.each<[string, Finding]>([
  ["active", ok("job", "agent job a1 of project p1 is active")],
  ["failed", warning("job", "agent job a1 of project p1 is failed", "Start the agent again.")],
  ["odd", warning("job", "agent job a1 of project p1 is odd, which is an unknown status", UPDATE)],
])("an agent's job that is %s is reported", async (status, finding) => {
  const machine = await healthyMachine();
  machine.service.agentJobs.set("p1", { id: "a1", status: "active" });
  machine.service.intercept(({ path }) =>
    path.includes("p1") ? { body: { id: "a1", status, createdAt: "2026-01-01T00:00:00Z" } } : undefined,
  );
  expect(of("job", await examined(machine, "--job", "a1", "--project", "p1"))).toEqual(finding);
});

test.each([200, 400, 404, 422])(
  "a service that answers %i about a job that does not exist has accepted the key",
  async (status) => {
    const body = status === 200 ? { jobId: NO_JOB, status: "completed" } : { error: "no" };
    const machine = await answering(NO_JOB, { status, body });
    expect(of("key-accepted", await examined(machine))).toEqual(
      ok(
        "key-accepted",
        `the service accepts the key: a request for a job that does not exist was answered ${status}`,
      ),
    );
  },
);

test("the request without the key is the same otherwise; where it has no answer, that of the key counts", async () => {
  const machine = await healthyMachine();
  const requests: unknown[] = [];
  let isBroken = false;
  machine.host.fetch = (url, options) => {
    const { authorization, accept } = options.headers as Record<string, string | undefined>;
    requests.push({ url, method: options.method, accept, hasKey: authorization !== undefined });
    if (isBroken && authorization === undefined) return Promise.reject(new Error("broken"));
    return fetch(url, options);
  };
  expect(of("key-accepted", await examined(machine))?.status).toBe("ok");
  const request = {
    url: `${machine.service.url}/v1/static-export/jobs/${NO_JOB}`,
    method: "GET",
    accept: "application/json",
  };
  expect(requests.slice(0, 2)).toEqual([
    { ...request, hasKey: true },
    { ...request, hasKey: false },
  ]);
  isBroken = true;
  expect(of("key-accepted", await examined(machine))?.status).toBe("ok");
});

test.each([409, 410])(
  "a service that answers %i instead is a failure, and jobs are not read",
  async (status) => {
    const machine = await answering(NO_JOB, { status, body: { error: "no" } });
    const result = await examined(machine, "--job", "j1", "--domain", DOMAIN);
    expect(of("key-accepted", result)).toMatchObject({ status: "failure" });
    expect(of("job", result)).toBeUndefined();
    expect(of("domain", result)).toBeUndefined();
  },
);

test("a web page that says that there is no such page has not accepted the key", async () => {
  const body = "<!doctype html><title>Not found</title>";
  const machine = await answering(NO_JOB, { status: 404, headers: { "content-type": "text/html" }, body });
  expect(of("key-accepted", await examined(machine))).toMatchObject({ status: "failure" });
});

test.each([
  [20, "ok", "the clocks of this machine and of the service agree"],
  [-20, "ok", "the clocks of this machine and of the service agree"],
  [250, "warning", /^the clock of this machine is 4m (9|10|11)s ahead of that of the service$/],
  [-250, "warning", /^the clock of this machine is 4m (9|10|11)s behind that of the service$/],
] as const)("clocks that differ by %i s: %s", async (seconds, status, message) => {
  const machine = await healthyMachine({ now: () => Date.now() - seconds * 1_000 });
  const clock = of("clock", await examined(machine));
  expect(clock?.status).toBe(status);
  expect(clock?.message).toMatch(message);
  expect(clock?.remedy).toBe(
    status === "ok"
      ? undefined
      : "Synchronize this machine's clock (NTP, such as `timedatectl set-ntp true`). If it is right, tell the service's operator.",
  );
});

test("base URL and key of the options are those that are tried", async () => {
  const machine = await healthyMachine();
  const { url } = machine.service;
  machine.environment["DOCS_HOSTING_BASE_URL"] = "http://127.0.0.1:9";
  machine.environment["DOCS_HOSTING_ADMIN_API_KEY"] = "svc_wrong-c4n4ry";
  machine.environment["OTHER_KEY"] = KEY;
  const result = await examined(machine, "--base-url", url, "--api-key-env", "OTHER_KEY");
  expect(of("key-accepted", result)?.status).toBe("ok");
});

test("a site is written as it is known, and a wrong one does not keep its job from being read", async () => {
  const machine = await answering("j1", { body: { status: "completed" } });
  const site = await examined(machine, "--domain", "DOCS.Example.com");
  expect(of("domain", site)).toEqual(
    ok(
      "domain",
      `${DOMAIN} is a valid name; whether it is a site of the key's organization, and whether plan and key permit exports, is known after a start (--start)`,
    ),
  );
  const wrong = await examined(machine, "--domain", "https://x", "--job", "j1", "--start");
  expect(of("domain", wrong)).toMatchObject(
    failure("domain", expect.stringContaining("--domain is a URL") as string, "Correct it."),
  );
  expect(of("job", wrong)).toEqual(ok("job", "export job j1 is completed"));
  expect(of("start", wrong)).toBeUndefined();
  expect(machine.starts()).toBe(0);
});

test("a start whose answer is lost may have started a job: the last line and the warning say so", async () => {
  const machine = await healthyMachine();
  machine.host.clock = new FasterClock(50);
  machine.service.intercept(({ method }) => (method === "POST" ? { hangUp: "processed" } : undefined));
  const { stdout, exitCode } = await runCommand(["doctor", "--domain", DOMAIN, "--start"], hostOf(machine));
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(/ A job may have been started\.\n$/);
  expect(stdout).toMatch(
    /^warning {2}start .*\n +Look for a job of this site on the service's dashboard\.$/m,
  );
});

test("a start that is refused has started nothing; one that is accepted is in the last line", async () => {
  const machine = await healthyMachine();
  const lastOf = async (domain: string): Promise<string> => {
    const { stdout } = await runCommand(["doctor", "--domain", domain, "--start"], hostOf(machine));
    return stdout.split("\n").at(-2) ?? "";
  };
  expect(await lastOf("small.example.com")).toMatch(/^1 failed.* No job was started\.$/);
  expect(await lastOf(DOMAIN)).toMatch(/^No problem was found\. Job [\w-]+ was started\.$/);
});
