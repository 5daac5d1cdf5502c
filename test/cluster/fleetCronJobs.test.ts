// The CronJobs of examples/fleet under faults: killed and evicted pods, a service that is down, a schedule that is due during a
// run. Tests start the runs as the CronJob does, except in the last test. SEED=… has other kills, KILLS=30 has more.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test, type TestContext, vi } from "vitest";
import { seededRandom } from "../simulation/seededRandom.ts";
import { CONTROL } from "./closedNetwork.ts";
import { type Fault, FAULTS, strike } from "./fleetFaults.ts";
import { fleetEngine, writeFleetImage } from "./fleetImage.ts";
import {
  conditionsOf,
  FLEET_IMAGE,
  type FleetInstallation,
  installFleet,
  RUN_LIMIT_MS,
  type Sites,
} from "./fleetInstallation.ts";
import { type FleetService, startFleetService } from "./fleetService.ts";
import { type SiteState, type WatchedSites, watchSites } from "./fleetStates.ts";
import { until } from "./installation.ts";
import { list } from "./kubectl.ts";

const SEED = Number(process.env["SEED"] ?? 1);
const KILLS = Number(process.env["KILLS"] ?? 6);
/** One of each stack in a round: the first during the exports, the others during renewals. */
const STACKS = FAULTS.length;
const ROUNDS = Math.max(2, Math.ceil(KILLS / STACKS));
/** Limit of two runs of all stacks, one after the other: an idle machine needs less than a quarter of it. */
const ROUND_LIMIT_MS = 240_000;

/** Half of it is time for the runs of a round; until then, the clocks are put forward. */
const LINK_LIFETIME_MS = 1_800_000;
const RENEW_BEFORE = "15m";
const JOB_DURATION_MS = 6_000;
/** Runs are killed in this part of this time, counted from the start of jobs or the request for links. */
const KILLED_PART = 0.7;

const outcomes: string[] = [];

beforeAll(async () => {
  if (CONTROL === undefined) return;
  const { kind, why } = fleetEngine();
  console.log(`fleetCronJobs: pods run ${kind === "cli" ? "the CLI" : "the test engine"} (${why})`);
  const folder = await mkdtemp(join(tmpdir(), "fleet-image-"));
  try {
    const { repository, tag } = FLEET_IMAGE;
    const file = await writeFleetImage(folder, `${repository}:${tag}`, kind);
    const imported = await fetch(new URL("images", CONTROL), { method: "POST", body: file });
    expect(imported.ok, await imported.text()).toBe(true);
  } finally {
    await rm(folder, { recursive: true });
  }
});

afterAll(() => {
  if (outcomes.length > 0) console.log([`SEED=${SEED}: ${outcomes.length} faults`, ...outcomes].join("\n  "));
});

/** Stacks of a team, with this number of sites each, and a domain for each site. */
function stacksOf(team: string, stacks: number, sites: number, inputs: Record<string, string> = {}) {
  const names = Array.from({ length: stacks }, (_, index) => `${team}-0${index + 1}`);
  return Object.fromEntries(
    names.map((stack): [string, Sites] => [
      stack,
      Object.fromEntries(
        Array.from({ length: sites }, (_, index) => [
          `site-${index + 1}`,
          { domain: `site-${index + 1}.${stack}.example.com`, renewBefore: RENEW_BEFORE, ...inputs },
        ]),
      ),
    ]),
  );
}

const domainsOf = (sites: Sites | undefined): string[] =>
  Object.values(sites ?? {}).map(({ domain }) => domain);

function serviceFor(
  context: TestContext,
  stacks: Record<string, Sites>,
  jobDurationMs: number | (() => number) = JOB_DURATION_MS,
): Promise<FleetService> {
  context.skip(
    CONTROL === undefined,
    "only the node that these tests start can be given the image of the pods",
  );
  const domains = Object.values(stacks).flatMap(domainsOf);
  return startFleetService(context, { domains, jobDurationMs, linkLifetimeMs: LINK_LIFETIME_MS });
}

/** Short enough to hit the run while it waits. */
async function soon(what: string, isSo: () => boolean): Promise<void> {
  const options = { timeout: RUN_LIMIT_MS, interval: 20 };
  await vi.waitFor(
    () => (isSo() ? undefined : Promise.reject(new Error(`waited in vain until ${what}`))),
    options,
  );
}

/** Puts the clocks forward until the links of all sites are due. */
async function allAreDue(
  fleet: FleetInstallation,
  service: FleetService,
  watched: WatchedSites,
): Promise<SiteState[]> {
  const sites = await watched.sites();
  const due = Math.max(...sites.map(({ renewAfterMs }) => renewAfterMs));
  await fleet.passTime(due + 1_000 - service.now());
  return sites;
}

/** Each link was replaced by another one. */
async function expectRenewed(before: readonly SiteState[], watched: WatchedSites): Promise<void> {
  for (const { urn, expiresAtMs } of await watched.sites()) {
    expect(expiresAtMs).toBeGreaterThan(before.find((site) => site.urn === urn)?.expiresAtMs ?? Infinity);
  }
}

/** The part of a process's command that identifies it in its pod. */
const nameOf = (command = ""): string =>
  (/cmd\/[\w-]+/.exec(command) ?? /pulumi-[\w-]+|command\.ts|pulumi/.exec(command))?.[0] ?? command;

/** Conditions that no fault may change. */
async function expectWhole(
  { starts, service }: FleetService,
  watched: WatchedSites,
  stacks: Record<string, Sites>,
): Promise<void> {
  const domains = Object.values(stacks).flatMap(domainsOf);
  expect(starts()).toEqual(Object.fromEntries(domains.map((domain) => [domain, 1])));
  // 503 is the reply to all while it is down, and no other reply has it
  expect(service.requests.filter(({ status = 0 }) => status >= 400 && status !== 503)).toEqual([]);
  expect(await watched.sites()).toHaveLength(domains.length);
  expect([...watched.wrongs]).toEqual([]);
}

describe.concurrent("CronJobs of a fleet", { timeout: 2 * ROUND_LIMIT_MS }, () => {
  test(
    "with each pod killed or evicted in its first export and while it renews: no job is started twice, no site is removed, no link ends, and the next runs succeed",
    { timeout: ROUNDS * ROUND_LIMIT_MS },
    async (context) => {
      const stacks = stacksOf("team-a", STACKS, 4);
      const names = Object.keys(stacks);
      const service = await serviceFor(context, stacks);
      const fleet = await installFleet(context, service, stacks);
      const watched = watchSites(context, fleet, names, service.now);
      const random = seededRandom(SEED);

      const runAndStrike = async (stack: string, fault: Fault, isThere: (domains: string[]) => boolean) => {
        const [part, pick] = [random() * KILLED_PART, random()];
        const job = await fleet.run(stack);
        const pod = await fleet.podOf(job);
        await soon(`${stack} is hit`, () => isThere(domainsOf(stacks[stack])));
        await delay(part * JOB_DURATION_MS);
        const struck = await strike(pod, fault, pick);
        return async () => {
          const { ok, said } = await fleet.ended(job);
          const what = struck.length === 1 ? nameOf(struck[0]) : `${struck.length} processes`;
          outcomes.push(
            `${job}, ${Math.round(part * 100)} %: ${fault}${fault === "eviction" ? "" : ` (${what})`}, so it ${ok ? "went well" : "failed"}`,
          );
          if (fault !== "eviction") expect(struck, said).not.toEqual([]);
        };
      };
      const round = async (isThere: (domains: string[]) => boolean) => {
        const faults = FAULTS.map((fault) => ({ fault, order: random() })).sort((a, b) => a.order - b.order);
        // no run ends before it is hit, however late that is
        const letLinksGo = service.holdLinks();
        const strikes = names.map((stack, index) =>
          runAndStrike(stack, faults[index]?.fault ?? "eviction", isThere),
        );
        const ends = await Promise.all(strikes).finally(letLinksGo);
        await Promise.all(ends.map((end) => end()));
        await fleet.runAll(names);
        await expectWhole(service, watched, stacks);
      };

      await round((domains) => service.polledOf(domains).length === domains.length);
      for (let renewals = 1; renewals < ROUNDS; renewals += 1) {
        const before = await allAreDue(fleet, service, watched);
        const asked = service.service.requests.length;
        await round((domains) =>
          service.service.requests
            .slice(asked)
            .some(({ path, domain = "" }) => path.endsWith("/bundle") && domains.includes(domain)),
        );
        await expectRenewed(before, watched);
      }
    },
  );

  test("with the service down when links are due: runs that wait for it succeed, those that gave up succeed in the next run, and no job is started twice", async (context) => {
    const patient = stacksOf("team-b", 1, 3);
    const hasty = Object.fromEntries(
      Object.values(stacksOf("team-b", 2, 3, { renewalTimeout: "5s" }))
        .slice(1)
        .map((sites) => ["team-b-02", sites]),
    );
    const stacks = { ...patient, ...hasty };
    const service = await serviceFor(context, stacks);
    const fleet = await installFleet(context, service, stacks);
    const watched = watchSites(context, fleet, Object.keys(stacks), service.now);
    await fleet.runAll(Object.keys(stacks));
    const before = await allAreDue(fleet, service, watched);

    const comeBack = service.goDown();
    const [waiting = "", givingUp = ""] = await Promise.all(Object.keys(stacks).map(fleet.run));
    expect(await fleet.ended(givingUp)).toMatchObject({ ok: false });
    comeBack();
    const { ok, said } = await fleet.ended(waiting);
    expect(ok, said).toBe(true);
    await fleet.runAll(Object.keys(stacks));
    await expectWhole(service, watched, stacks);
    await expectRenewed(before, watched);
  });

  test("with one scheduled each minute that takes longer: the next run begins when it has ended", async (context) => {
    const stacks = stacksOf("team-c", 1, 1);
    const untilNextMinute = () => 60_000 - (Date.now() % 60_000);
    const service = await serviceFor(context, stacks, () => untilNextMinute() + 5_000);
    const fleet = await installFleet(context, service, stacks, "* * * * *");
    const watched = watchSites(context, fleet, Object.keys(stacks), service.now);
    const jobs = () => list(fleet.kubectl, "jobs", "--sort-by=.metadata.creationTimestamp");
    await until("the schedule has made a run", async () => (await jobs()).length > 0);
    const more = async () => {
      const found = await jobs();
      return found.length > 1 && found;
    };
    const [first, second] = await until("it has made another one", more, RUN_LIMIT_MS);
    const { startTime, completionTime } = first?.status as { startTime: string; completionTime?: string };
    expect(conditionsOf(first).map(({ type }) => type)).toContain("Complete");
    const minutes = [startTime, completionTime ?? ""].map((time) => Math.floor(Date.parse(time) / 60_000));
    expect(minutes[1]).toBeGreaterThan(minutes[0] ?? 0);
    const { ok, said } = await fleet.ended(second?.metadata.name ?? "");
    expect(ok, said).toBe(true);
    await expectWhole(service, watched, stacks);
  });
});
