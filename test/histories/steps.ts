import fc from "fast-check";
import type { StaticExportInputs } from "../../provider/staticExport/inputs.ts";
import type { ScriptedReply } from "../simulation/scriptedFetch.ts";
import { check } from "./invariants.ts";
import type { Interruption } from "./providerProcess.ts";
import { type Fault, NO_TROUBLE, type Trouble, type World } from "./world.ts";

/** One step of a history. Prints itself as its name. */
export class HistoryStep {
  readonly name: string;
  readonly #act: (world: World) => Promise<void> | void;

  constructor(name: string, act: (world: World) => Promise<void> | void) {
    this.name = name;
    this.#act = act;
  }

  async act(world: World): Promise<void> {
    world.story.push(`- ${this.name}`);
    await this.#act(world);
  }

  [fc.toStringMethod](): string {
    return this.name;
  }
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

const spoken = (ms: number): string =>
  Math.abs(ms) >= HOUR_MS
    ? `${ms / HOUR_MS} h`
    : Math.abs(ms) >= MINUTE_MS
      ? `${ms / MINUTE_MS} min`
      : `${ms} ms`;

const weighted = <T>(choices: readonly (readonly [weight: number, fc.Arbitrary<T>])[]): fc.Arbitrary<T> =>
  fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })));

/** The number of a request in an operation: few start more than one job or create more than one link; the others are polls. */
const requestNumber = fc.integer({ min: 1, max: 8 });
const moment = fc.oneof(
  fc.integer({ min: 0, max: 3 }).map((step) => step * 500),
  fc.integer({ min: 0, max: 60 }).map((seconds) => seconds * SECOND_MS + 7),
);

const interruption: fc.Arbitrary<Interruption> = fc.oneof(
  fc.record({
    kind: fc.constant("kill at request" as const),
    number: requestNumber,
    processed: fc.boolean(),
  }),
  fc.record({ kind: fc.constant("kill after" as const), ms: moment }),
  fc.record({ kind: fc.constant("Ctrl-C at request" as const), number: requestNumber }),
  fc.record({ kind: fc.constant("Ctrl-C after" as const), ms: moment }),
);

/** Replies after which the service certainly did nothing, and those after which it may have acted. */
const refusals = [400, 401, 403, 409, 410, 429, 503].map((status) => ({
  status,
  body: { error: "Bearer svc_simulated at https://store.example.test/x?X-Signature=c4n4ry" },
}));
const surelyNothing: fc.Arbitrary<ScriptedReply> = fc.constantFrom<ScriptedReply[]>(
  ...refusals,
  { status: 503, headers: { "retry-after": "7" } },
  { error: "ECONNREFUSED" },
  { error: "ENOTFOUND" },
  { error: "EAI_AGAIN" },
);
const perhapsDone: fc.Arbitrary<ScriptedReply> = fc.constantFrom<ScriptedReply[]>(
  { status: 500 },
  { status: 502, text: "<html>svc_simulated</html>" },
  { status: 504 },
  { error: "ECONNRESET" },
  "never",
  { text: "<html>https://store.example.test/x?X-Signature=c4n4ry</html>" },
  { body: {} },
);
const fault: fc.Arbitrary<Fault> = fc
  .tuple(
    requestNumber,
    fc.constantFrom(1, 2, 6, 1_000),
    fc.oneof(
      surelyNothing.map((reply) => ({ reply, processed: false })),
      fc.record({ reply: perhapsDone, processed: fc.boolean() }),
    ),
  )
  .map(([first, times, { reply, processed }]) => ({ first, times, reply, processed }));

const trouble = weighted<Trouble>([
  [4, fc.constant(NO_TROUBLE)],
  [
    6,
    fc
      .record(
        {
          interruption,
          faults: fc.oneof(fc.constant([]), fc.array(fault, { maxLength: 2 })),
          limitMs: fc.constantFrom(60 * SECOND_MS, 20 * SECOND_MS, 2 * SECOND_MS),
          purgeAt: requestNumber,
          end: fc.constantFrom("tidy" as const, "not stored" as const, "not tidied" as const),
        },
        { requiredKeys: ["faults", "end"] },
      )
      // most operations have one fault, so that most make progress
      .chain((all) =>
        fc
          .shuffledSubarray(Object.keys(all) as (keyof Trouble)[], { minLength: 1, maxLength: 2 })
          .map((chosen) => ({ ...NO_TROUBLE, ...Object.fromEntries(chosen.map((key) => [key, all[key]])) })),
      ),
  ],
]);

function spokenReply(reply: ScriptedReply): string {
  if (reply === "never") return "no answer";
  if ("error" in reply) return reply.error;
  const { status = 200, headers, text } = reply;
  return [status, ...Object.entries(headers ?? {}).flat(), ...(text === undefined ? [] : ["HTML"])].join(" ");
}

function nameOf({ interruption, faults, limitMs, purgeAt, end }: Trouble): string {
  const parts = [
    ...(interruption
      ? "ms" in interruption
        ? [`${interruption.kind} ${spoken(interruption.ms)}`]
        : [
            `${interruption.kind} ${interruption.number}${"processed" in interruption && interruption.processed ? " (processed)" : ""}`,
          ]
      : []),
    ...faults.map(
      ({ first, times, reply, processed }) =>
        `requests ${first} to ${times >= 1_000 ? "∞" : first + times - 1} get ${spokenReply(reply)}${processed ? " (processed)" : ""}`,
    ),
    ...(limitMs === undefined ? [] : [`time limit ${spoken(limitMs)}`]),
    ...(purgeAt === undefined ? [] : [`all jobs purged at request ${purgeAt}`]),
    ...(end === "tidy" ? [] : [`result ${end}`]),
  ];
  return parts.length === 0 ? "" : `, ${parts.join(", ")}`;
}

const up = trouble.map(
  (trouble) =>
    new HistoryStep(`up${nameOf(trouble)}`, async (world) => check(await world.up(trouble), world)),
);

const refresh = trouble.map(
  (trouble) =>
    new HistoryStep(`refresh${nameOf(trouble)}`, async (world) => check(await world.refresh(trouble), world)),
);

const preview = fc.constant(new HistoryStep("preview", async (world) => check(await world.preview(), world)));

const destroy = fc.constant(new HistoryStep("destroy", async (world) => check(await world.destroy(), world)));

/** A change of an input, often back to an earlier value: then less may happen than before. */
const change = weighted<object>([
  [4, fc.record({ version: fc.constantFrom(undefined, "v1", "v2") })],
  [3, fc.record({ triggers: fc.constantFrom(undefined, [], ["a"], [{ a: 1, b: [2] }]) })],
  [2, fc.record({ renewBefore: fc.constantFrom(undefined, "10m", "30m") })],
  [1, fc.record({ apiKeyEnv: fc.constantFrom(undefined, "SECOND_KEY") })],
  [2, fc.record({ domain: fc.constantFrom("docs.example.com", "other.example.com") })],
  [1, fc.record({ baseUrl: fc.constantFrom(undefined, "https://other.example.test") })],
  [3, fc.record({ jobId: fc.constantFrom(undefined, "job-1", "job-1", "job-2", "job-3") })],
]).map((inputs) => {
  const changed = Object.entries(inputs) as [string, unknown][];
  const spokenInputs = changed.map(([name, value]) => `${name} = ${JSON.stringify(value ?? null)}`);
  return new HistoryStep(`the program says ${spokenInputs.join()}`, (world) => {
    const given = Object.entries({ ...world.program, ...inputs } as Record<string, unknown>);
    const present = given.filter(([, value]) => value !== undefined);
    world.program = Object.fromEntries(present) as unknown as StaticExportInputs;
  });
});

/** Starts an export of other content, interrupts it, and drops that content for now. */
const detour = fc
  .tuple(fc.constantFrom("v1", "v2"), fc.constantFrom<Interruption["kind"][]>("Ctrl-C after", "kill after"))
  .map(
    ([version, kind]) =>
      new HistoryStep(
        `up with version = "${version}", ${kind} 20 s, and back to the version before`,
        async (world) => {
          const before = world.program;
          world.program = { ...before, version };
          const interruption = { kind, ms: 20 * SECOND_MS } as Interruption;
          await check(await world.up({ ...NO_TROUBLE, interruption }), world);
          world.program = before;
        },
      ),
  );

const jobs = fc
  .tuple(
    fc.constantFrom("completed" as const, "failed" as const, "never" as const),
    fc.constantFrom(0, 30 * SECOND_MS, 10 * MINUTE_MS),
  )
  .map(
    ([outcome, durationMs]) =>
      new HistoryStep(`new jobs end ${outcome} after ${spoken(durationMs)}`, ({ service }) => {
        Object.assign(service, { outcome, durationMs });
      }),
  );

const fate = fc.constantFrom("completed" as const, "failed" as const).map(
  (outcome) =>
    new HistoryStep(`running jobs will have ${outcome}`, ({ service, clock }) => {
      for (const job of service.jobs.values()) {
        const isOver =
          job.outcome !== "never" && clock.monotonic() - job.startedAtMs >= (job.durationMs ?? 0);
        if (!isOver) job.outcome = outcome;
      }
    }),
);

const purge = fc.constantFrom("all" as const, "oldest" as const, "newest" as const).map(
  (which) =>
    new HistoryStep(`the service forgets ${which} jobs`, ({ service }) => {
      const ids = [...service.jobs.keys()];
      const purged = { all: ids, oldest: ids.slice(0, 1), newest: ids.slice(-1) }[which];
      for (const jobId of purged) service.jobs.delete(jobId);
    }),
);

const pass = fc.constantFrom(2 * SECOND_MS, MINUTE_MS, 15 * MINUTE_MS, 45 * MINUTE_MS, 25 * HOUR_MS).map(
  (ms) =>
    new HistoryStep(`${spoken(ms)} pass`, ({ clock }) => {
      clock.advance(ms);
    }),
);

const jump = fc.constantFrom(-3 * HOUR_MS, -MINUTE_MS, 5 * SECOND_MS, HOUR_MS, 3 * HOUR_MS).map(
  (ms) =>
    new HistoryStep(`this machine's clock jumps by ${spoken(ms)}`, ({ clock }) => {
      clock.wallMs += ms;
    }),
);

const setClock = fc.constant(
  new HistoryStep("this machine's clock is set right", ({ clock }) => {
    clock.wallMs = clock.trueNow();
  }),
);

const service = fc
  .tuple(
    fc.constantFrom(0, 400, 3_000),
    fc.constantFrom(0, 6_000),
    fc.constantFrom(HOUR_MS, 168 * HOUR_MS, undefined),
  )
  .map(
    ([latencyMs, lagMs, linkLifeMs]) =>
      new HistoryStep(
        `the service takes ${spoken(latencyMs)}, knows jobs after ${spoken(lagMs)}, signs for ${linkLifeMs === undefined ? "ever" : spoken(linkLifeMs)}`,
        (world) => {
          world.latencyMs = latencyMs;
          Object.assign(world.service, { lagMs, linkLifeMs });
        },
      ),
  );

const disk = fc.boolean().map(
  (diskIsFull) =>
    new HistoryStep(diskIsFull ? "the disk is full" : "the disk has room", ({ records }) => {
      records.diskIsFull = diskIsFull;
    }),
);

const step = weighted<HistoryStep>([
  [40, up],
  [16, change],
  [8, pass],
  [6, refresh],
  [6, jobs],
  [4, fate],
  [4, jump],
  [2, setClock],
  [4, service],
  [4, detour],
  [3, preview],
  [3, purge],
  [1, destroy],
  [1, disk],
]);

export const history = fc.array(step, { minLength: 3, maxLength: 16, size: "max" });
