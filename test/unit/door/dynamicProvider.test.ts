// The door, with a life cycle that only tells what it was asked for: no process, no engine, no network.
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi, type Mock } from "vitest";
import type { Context } from "../../../provider/resource/context.ts";
import { dynamicProvider, type DynamicProvider } from "../../../provider/door/dynamicProvider.ts";
import { Session } from "../../../provider/door/session.ts";
import { thisProcess } from "../../../provider/door/thisProcess.ts";
import { UnfinishedError } from "../../../provider/resource/unfinishedError.ts";
import type { Diff, Found, LifeCycle } from "../../../provider/resource/lifeCycle.ts";
import { recordingReporter } from "../../simulation/recordingReporter.ts";
import { EnginesServer } from "../../simulation/enginesServer.ts";

const URN = "urn:pulumi:test::docs::pulumi-nodejs:dynamic/docs-hosting:StaticExport::docs";
const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const PROVIDER = "exports.handler = …";
/** As the engine hands it over: the user's own property, and what is hidden beside it. */
const INPUTS = { name: "a", __provider: PROVIDER, __urn: URN };
/** The same after a first `up`. */
const STORED = { name: "a", size: 1, __bookkeeping: { seen: 7 }, __urn: URN, __provider: PROVIDER };

interface Inputs {
  name: string;
}
interface State {
  outputs: { name: string; size?: number | undefined };
  bookkeeping: { seen?: number };
}
/** Remembers its calls. */
type Fake = {
  [Name in keyof LifeCycle<Inputs, State>]: LifeCycle<Inputs, State>[Name] extends (
    ...given: infer Given
  ) => infer Answer
    ? Mock<(...given: Given) => Answer>
    : LifeCycle<Inputs, State>[Name];
};

const STATE: State = { outputs: { name: "a", size: 1 }, bookkeeping: { seen: 7 } };

let lines: ReturnType<typeof recordingReporter>["lines"] & { debug: string[] };
/** URN of the row of each reporter that was made, and of each that was closed. */
let rows: (string | undefined)[];
let closed: (string | undefined)[];
let home: string;
let enginesServer: EnginesServer;
let session: Session;

const leaving = vi.hoisted(() => ({ answers: 0 }));
vi.mock("../../../provider/door/stuckAnswer.ts", () => ({ answerLeaves: () => leaving.answers++ }));

beforeEach(() => {
  rows = [];
  closed = [];
  leaving.answers = 0;
  const reporter = recordingReporter();
  lines = { ...reporter.lines, debug: [] };
  home = mkdtempSync(join(tmpdir(), "pulumi-home-"));
  vi.stubEnv("PULUMI_HOME", home);
  vi.stubEnv("DOCS_HOSTING_ADMIN_API_KEY", undefined);
  enginesServer = new EnginesServer();
  session = new Session({
    ...thisProcess,
    reporter: (urn) => {
      rows.push(urn);
      return { ...reporter, debug: (line) => lines.debug.push(line), close: () => closed.push(urn) };
    },
  });
});

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  rmSync(home, { recursive: true, force: true });
});

/** The same, as a look finds it. */
const FOUND: Found<Inputs, State> = { inputs: { name: "a" }, state: STATE };

const SAME: Diff = {
  changed: [],
  replaces: [],
  hidden: false,
  decision: { because: "UP_TO_DATE", text: "nothing is asked for" },
};

/** A life cycle of which every answer may be given. */
function fakeLifeCycle(answers: Partial<LifeCycle<Inputs, State>> = {}): Fake {
  return {
    noBookkeeping: { seen: 0 },
    idOf: vi.fn(({ outputs }: State) => `id-of-${outputs.name}`),
    check: vi.fn(
      answers.check ?? ((given) => ({ inputs: given as Partial<Inputs> as Inputs, failures: [] })),
    ),
    diff: vi.fn(answers.diff ?? (() => SAME)),
    create: vi.fn(answers.create ?? (() => Promise.resolve(STATE))),
    read: vi.fn(answers.read ?? (() => Promise.resolve(FOUND))),
    lookUp: vi.fn(() => Promise.resolve(FOUND)),
    update: vi.fn(answers.update ?? (() => Promise.resolve(STATE))),
    remove: vi.fn(),
  };
}

const doorTo = (lifeCycle: Fake): DynamicProvider => dynamicProvider(lifeCycle, session);

/** What an operation was run with. */
async function contextOf(
  operation: (door: DynamicProvider) => Promise<unknown>,
): Promise<Context | undefined> {
  let seen: Context | undefined;
  const remember = (context: Context): Promise<State> => {
    seen = context;
    return Promise.resolve(STATE);
  };
  const read = async (context: Context): Promise<typeof FOUND> => ({
    ...FOUND,
    state: await remember(context),
  });
  await operation(doorTo(fakeLifeCycle({ create: remember, update: remember, read })));
  return seen;
}

const thrownBy = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => "nothing was thrown",
    (error: unknown) => error,
  );

describe("check", () => {
  const check = (
    given: Record<string, unknown>,
    lifeCycle = fakeLifeCycle(),
  ): ReturnType<DynamicProvider["check"]> => doorTo(lifeCycle).check({}, given);

  test("hands the user's own properties to the life cycle, and the hidden ones back beside what it made of them", async () => {
    const lifeCycle = fakeLifeCycle({
      check: () => ({
        inputs: { name: "normalised", version: undefined },
        failures: [{ property: "name", reason: "is long" }],
      }),
    });
    const given = { ...INPUTS, __timeouts: { create: "1h" } };
    expect(await check(given, lifeCycle)).toEqual({
      inputs: { ...given, name: "normalised" },
      failures: [{ property: "name", reason: "is long" }],
    });
    expect(lifeCycle.check.mock.calls[0]?.[0]).toEqual({ name: "a" });
  });

  test("leaves no undefined, at which the host fails", async () => {
    const lifeCycle = fakeLifeCycle({
      check: () => ({ inputs: { name: "a", version: undefined } as Inputs, failures: [] }),
    });
    expect(Object.keys((await check(INPUTS, lifeCycle)).inputs)).not.toContain("version");
  });

  test.each([
    [{ create: "1h30m", update: "90s" }, []],
    [undefined, []],
    [UNKNOWN, []],
    [{ create: "soon" }, [`create is 'soon', not a duration; write it like "90s", "30m" or "1h30m"`]],
    [{ update: 30 }, [`update is 30, not a duration; write it like "90s", "30m" or "1h30m"`]],
  ])("reads customTimeouts %j at once", async (timeouts, reasons) => {
    const { failures } = await check({ ...INPUTS, ...(timeouts !== undefined && { __timeouts: timeouts }) });
    expect(failures).toEqual(reasons.map((reason) => ({ property: "customTimeouts", reason })));
  });

  test("reads environment and stack configuration at the moment of the check", async () => {
    const lifeCycle = fakeLifeCycle();
    const door = doorTo(lifeCycle);
    await door.check({}, INPUTS);
    const configuration = lifeCycle.check.mock.calls[0]?.[1];
    expect(configuration?.stackConfig("docs-hosting:baseUrl")).toBeUndefined();
    await door.configure({ config: { get: (name) => `value of ${name}` } });
    expect(configuration?.stackConfig("docs-hosting:baseUrl")).toBe("value of docs-hosting:baseUrl");
    vi.stubEnv("DOCS_HOSTING_BASE_URL", "https://api.example.test");
    expect(configuration?.environment("DOCS_HOSTING_BASE_URL")).toBe("https://api.example.test");
  });
});

describe("diff", () => {
  const diff = (
    answer: Partial<Diff>,
    news: Record<string, unknown> = INPUTS,
  ): ReturnType<DynamicProvider["diff"]> =>
    doorTo(fakeLifeCycle({ diff: () => ({ ...SAME, ...answer }) })).diff("id-of-a", STORED, news);

  test("compares the user's inputs with the stored state, by this machine's clock", async () => {
    const lifeCycle = fakeLifeCycle();
    await doorTo(lifeCycle).diff("id-of-a", STORED, { ...INPUTS, name: "b" });
    const [inputs, state, machine] = lifeCycle.diff.mock.calls[0] ?? [];
    expect(inputs).toEqual({ name: "b" });
    expect(state).toEqual(STATE);
    expect(machine?.name).toBe(hostname());
    expect(Math.abs((machine?.nowMs ?? 0) - Date.now())).toBeLessThan(60_000);
  });

  test("takes a state without bookkeeping for one of which nothing is remembered", async () => {
    const lifeCycle = fakeLifeCycle();
    await doorTo(lifeCycle).diff("id-of-a", { name: "a" }, INPUTS);
    expect(lifeCycle.diff.mock.calls[0]?.[1]).toEqual({
      outputs: { name: "a" },
      bookkeeping: { seen: 0 },
    });
  });

  test("says that nothing changed where nothing is to be done, and tells it to debuggers only", async () => {
    expect(await diff({})).toEqual({ changes: false });
    expect(lines).toMatchObject({ debug: ["UP_TO_DATE: nothing is asked for"], info: [] });
  });

  test("leaves changed inputs to the engine, which shows them and obeys ignoreChanges", async () => {
    const decision = { because: "SETTINGS", text: "name changed" } as const;
    expect(await diff({ changed: ["name"], decision })).toEqual({ replaces: [] });
    expect(lines).toMatchObject({ debug: [], info: ["SETTINGS: name changed"] });
  });

  test("names the inputs that replace", async () => {
    expect(await diff({ changed: ["name"], replaces: ["name"] })).toEqual({ replaces: ["name"] });
  });

  test("reports a change that no input shows", async () => {
    expect(await diff({ hidden: true })).toEqual({ changes: true, replaces: [] });
  });

  test("tells its decision on the resource's own row, and on none while the URN is not known", async () => {
    await diff({});
    await diff({}, { ...INPUTS, __urn: UNKNOWN });
    await diff({}, { ...INPUTS, __urn: 7 });
    expect(rows).toEqual([URN, undefined, undefined]);
  });
});

describe("create", () => {
  test("gives the id, the outputs, and what is hidden", async () => {
    const lifeCycle = fakeLifeCycle();
    expect(await doorTo(lifeCycle).create(INPUTS)).toEqual({
      id: "id-of-a",
      outs: { name: "a", size: 1, __bookkeeping: { seen: 7 }, __urn: URN },
    });
    expect(lifeCycle.create.mock.calls[0]?.[1]).toEqual({ name: "a" });
  });

  test("leaves no undefined among the outputs, at which the host fails", async () => {
    const state = { outputs: { name: "a", size: undefined }, bookkeeping: {} };
    const { outs } = await doorTo(fakeLifeCycle({ create: () => Promise.resolve(state) })).create(INPUTS);
    expect(Object.keys(outs)).not.toContain("size");
  });

  test("that is unfinished is saved as a resource with its reason, and with the provider that it needs later", async () => {
    const unfinished = new UnfinishedError(new Error("waited in vain"), STATE);
    const door = doorTo(fakeLifeCycle({ create: () => Promise.reject(unfinished) }));
    const thrown = await thrownBy(door.create(INPUTS));
    expect(thrown).toEqual({
      id: "id-of-a",
      properties: { ...STORED },
      reasons: ["waited in vain"],
      message: "waited in vain",
    });
    expect(thrown).not.toBeInstanceOf(Error);
  });

  test("that fails is an error without a stack, which means nothing to a user, and without an id", async () => {
    const error = Object.assign(new Error("no such site"), { id: "7" });
    const door = doorTo(fakeLifeCycle({ create: () => Promise.reject(error) }));
    const thrown = await thrownBy(door.create(INPUTS));
    expect(thrown).toMatchObject({ message: "no such site", stack: "(pulumi-docs-hosting)" });
    expect(thrown).toBeInstanceOf(Error);
    expect(thrown).not.toHaveProperty("id");
  });
});

describe("update", () => {
  test("goes from the stored state to the inputs", async () => {
    const lifeCycle = fakeLifeCycle({
      update: () => Promise.resolve({ outputs: { name: "b" }, bookkeeping: {} }),
    });
    const moved = URN.replace("::docs", "::renamed");
    const { outs } = await doorTo(lifeCycle).update("id-of-a", STORED, {
      ...INPUTS,
      name: "b",
      __urn: moved,
    });
    expect(outs).toEqual({ name: "b", __bookkeeping: {}, __urn: moved });
    expect(lifeCycle.update.mock.calls[0]?.slice(1, 3)).toEqual([STATE, { name: "b" }]);
    expect(rows).toEqual([moved]);
  });

  test("that is unfinished is saved with the provider of its inputs", async () => {
    const unfinished = new UnfinishedError(new Error("waited in vain"), STATE);
    const door = doorTo(fakeLifeCycle({ update: () => Promise.reject(unfinished) }));
    const thrown = await thrownBy(door.update("id-of-a", { ...STORED, __provider: "old" }, INPUTS));
    expect(thrown).toMatchObject({ id: "id-of-a", properties: { __provider: PROVIDER } });
  });
});

describe("customTimeouts", () => {
  test.each([
    [{ create: "1h" }, 3_600_000, undefined],
    [{ update: "90s" }, undefined, 90_000],
    [{ create: "2m", update: "3m" }, 120_000, 180_000],
    [{}, undefined, undefined],
    [undefined, undefined, undefined],
  ])("%j limits create and update, each its own", async (timeouts, createMs, updateMs) => {
    const lifeCycle = fakeLifeCycle();
    const given = { ...INPUTS, ...(timeouts && { __timeouts: timeouts }) };
    await doorTo(lifeCycle).create(given);
    await doorTo(lifeCycle).update("id-of-a", { ...STORED, __timeouts: { update: "9h" } }, given);
    expect(lifeCycle.create.mock.calls[0]?.[2]).toBe(createMs);
    expect(lifeCycle.update.mock.calls[0]?.[3]).toBe(updateMs);
  });
});

describe("read", () => {
  test("gives what is there now", async () => {
    const lifeCycle = fakeLifeCycle({
      read: () =>
        Promise.resolve({
          inputs: { name: "a" },
          state: { outputs: { name: "a", size: 2 }, bookkeeping: { seen: 8 } },
        }),
    });
    expect(await doorTo(lifeCycle).read("id-of-a", STORED)).toEqual({
      id: "id-of-a",
      props: { name: "a", size: 2, __bookkeeping: { seen: 8 }, __urn: URN },
    });
    expect(lifeCycle.read.mock.calls[0]?.[1]).toEqual(STATE);
    expect(lifeCycle.lookUp).not.toHaveBeenCalled();
  });

  test("says by an empty id that it is gone", async () => {
    const door = doorTo(fakeLifeCycle({ read: () => Promise.resolve(undefined) }));
    expect(await door.read("id-of-a", STORED)).toEqual({ id: "", props: {} });
  });

  test("of a resource that something else manages looks it up by its id", async () => {
    const lifeCycle = fakeLifeCycle();
    await doorTo(lifeCycle).read("id-of-a", INPUTS);
    expect(lifeCycle.lookUp.mock.calls[0]?.slice(1)).toEqual(["id-of-a", { name: "a" }]);
    expect(lifeCycle.read).not.toHaveBeenCalled();
  });

  test("that fails is an error without a stack, which the host would print", async () => {
    const error = new Error("no answer");
    const door = doorTo(fakeLifeCycle({ read: () => Promise.reject(error) }));
    const thrown = await thrownBy(door.read("id-of-a", STORED));
    expect(thrown).toMatchObject({ message: "no answer", stack: "(pulumi-docs-hosting)" });
  });

  test("tells what was thrown also where that is no error", async () => {
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- what it is about
    const door = doorTo(fakeLifeCycle({ read: () => Promise.reject({ no: "error" }) }));
    expect(await thrownBy(door.read("id-of-a", STORED))).toMatchObject({ message: "{ no: 'error' }" });
  });
});

describe("delete", () => {
  test("needs neither a key nor a base URL nor an operation: the life cycle only forgets", async () => {
    const lifeCycle = fakeLifeCycle();
    await doorTo(lifeCycle).delete("id-of-a", STORED);
    const [context, state] = lifeCycle.remove.mock.calls[0] ?? [];
    expect(context).toEqual({ resumeRecords: session.resumeRecords, urn: URN });
    expect(state).toEqual(STATE);
    expect(rows).toEqual([]);
  });

  test("of a resource that never had a URN goes without", async () => {
    const lifeCycle = fakeLifeCycle();
    await doorTo(lifeCycle).delete("id-of-a", { ...STORED, __urn: UNKNOWN });
    expect(lifeCycle.remove.mock.calls[0]?.[0]).toEqual({
      resumeRecords: session.resumeRecords,
    });
  });
});

describe("a rename by an alias", () => {
  const NEW_URN = URN.replace("::docs", "::renamed");
  const renamed = { ...INPUTS, __urn: NEW_URN };

  test("is a change, though nothing else is to be done, and is said so", async () => {
    expect(await doorTo(fakeLifeCycle()).diff("id-of-a", STORED, renamed)).toEqual({
      changes: true,
      replaces: [],
    });
    expect(lines.info).toEqual(["SETTINGS: the resource was renamed or moved: remembered without a request"]);
  });

  test("hides no other decision and no changed input", async () => {
    const decision = { because: "SETTINGS", text: "name changed" } as const;
    const diff = (): Diff => ({ ...SAME, changed: ["name"], decision });
    expect(await doorTo(fakeLifeCycle({ diff })).diff("id-of-a", STORED, renamed)).toEqual({ replaces: [] });
    expect(lines.info).toEqual(["SETTINGS: name changed"]);
  });

  test.each([
    [URN, NEW_URN, URN],
    [URN, URN, undefined],
    [URN, UNKNOWN, undefined],
    [undefined, NEW_URN, undefined],
  ])("of %s to %s tells the life cycle the former URN %s", async (before, now, former) => {
    const context = await contextOf((door) =>
      door.update("id-of-a", { ...STORED, __urn: before }, { ...INPUTS, __urn: now }),
    );
    expect(context?.formerUrn).toBe(former);
    expect(Object.keys(context ?? {}).includes("formerUrn")).toBe(former !== undefined);
  });
});

describe("what leaves", () => {
  const half = "\ud83d"; // of an emoji

  test("is whole characters, on which the host's encoder fails otherwise", async () => {
    const state = { outputs: { name: half }, bookkeeping: {} };
    const { outs } = await doorTo(fakeLifeCycle({ create: () => Promise.resolve(state) })).create(INPUTS);
    expect(outs["name"]).toBe("\ufffd");
  });

  test("is one line without a command, in errors, in failures of a check and in what is unfinished", async () => {
    const text = `a\n##[x]${half}`;
    const shown = "a\\u{a}# #[x]\ufffd";
    const unfinished = new UnfinishedError(new Error(text), STATE);
    const door = doorTo(
      fakeLifeCycle({
        check: () => ({ inputs: { name: "a" }, failures: [{ property: text, reason: text }] }),
        create: () => Promise.reject(new Error(text)),
        update: () => Promise.reject(unfinished),
      }),
    );
    expect((await door.check({}, INPUTS)).failures).toEqual([{ property: shown, reason: shown }]);
    expect(await thrownBy(door.create(INPUTS))).toMatchObject({ message: shown });
    expect(await thrownBy(door.update("id-of-a", STORED, INPUTS))).toMatchObject({
      message: shown,
      reasons: [shown],
    });
  });

  test("is watched until it has left, whatever it is", async () => {
    const door = doorTo(
      fakeLifeCycle({
        diff: () => {
          throw new Error("no difference");
        },
      }),
    );
    await door.check({}, INPUTS);
    expect(await thrownBy(door.diff("id-of-a", STORED, INPUTS))).toMatchObject({ message: "no difference" });
    await door.create(INPUTS);
    await door.read("id-of-a", STORED);
    await door.update("id-of-a", STORED, INPUTS);
    await door.delete("id-of-a", STORED);
    expect(leaving.answers).toBe(6);
  });
});

describe("an operation", () => {
  test("has the resource's URN, row and machine", async () => {
    const context = await contextOf((door) => door.create(INPUTS));
    expect(context).toMatchObject({ urn: URN, machine: hostname() });
    expect(rows).toEqual([URN]);
    context?.reporter.info("a line");
    expect(lines.info).toEqual(["a line"]);
  });

  test.each([UNKNOWN, undefined, 7])(
    "takes the URN %j for none: two resources could not be told apart",
    async (urn) => {
      for (const run of [
        (door: DynamicProvider) => door.create({ ...INPUTS, __urn: urn }),
        (door: DynamicProvider) => door.update("id-of-a", STORED, { ...INPUTS, __urn: urn }),
        (door: DynamicProvider) => door.read("id-of-a", { ...STORED, __urn: urn }),
      ]) {
        const context = await contextOf(run);
        expect(context).toBeDefined();
        expect(context).not.toHaveProperty("urn");
      }
    },
  );

  test("closes its row at its end, also when it fails", async () => {
    await doorTo(fakeLifeCycle()).create(INPUTS);
    await thrownBy(doorTo(fakeLifeCycle({ create: () => Promise.reject(new Error("no")) })).create(INPUTS));
    expect(closed).toEqual([URN, URN]);
  });

  test("counts those that are in flight with it, until they end", async () => {
    const contexts: Context[] = [];
    const ends: (() => void)[] = [];
    const create = (context: Context): Promise<State> => {
      contexts.push(context);
      return new Promise((resolve) => ends.push(() => resolve(STATE)));
    };
    const work = [1, 2].map(() => doorTo(fakeLifeCycle({ create })).create(INPUTS));
    expect(contexts.map(({ inFlight }) => inFlight())).toEqual([2, 2]);
    ends[0]?.();
    await work[0];
    expect(contexts[1]?.inFlight()).toBe(1);
    ends[1]?.();
    await work[1];
  });
});

describe("Ctrl-C", () => {
  /** An operation that ends when it is stopped, and how. */
  function waiting(): { work: Promise<unknown>; reason: Promise<unknown> } {
    let stopped: (reason: unknown) => void;
    const reason = new Promise((resolve) => (stopped = resolve));
    const create = async ({ signal }: Context): Promise<State> => {
      if (!signal.aborted) await new Promise((done) => signal.addEventListener("abort", done));
      stopped(signal.reason);
      throw new UnfinishedError(new Error("stopped"), STATE);
    };
    return { work: thrownBy(doorTo(fakeLifeCycle({ create })).create(INPUTS)), reason };
  }
  const RESOURCE = { baseUrl: "https://api.example.test", urn: URN, domain: "docs.example.com" };
  const records = (): string[] => readdirSync(join(home, "docs-hosting", "resume"));

  test("stops every operation that is in flight", async () => {
    const all = [waiting(), waiting()];
    enginesServer.cancel();
    for (const { work, reason } of all) {
      expect(await reason).toMatchObject({ name: "CancelledError", message: "the run was cancelled" });
      expect(await work).toMatchObject({ id: "id-of-a" });
    }
  });

  test("stops a call that arrives after it at once", async () => {
    await doorTo(fakeLifeCycle()).create(INPUTS); // from now on the server is watched
    enginesServer.cancel();
    let aborted: boolean | undefined;
    const create = ({ signal }: Context): Promise<State> => {
      aborted = signal.aborted;
      return Promise.reject(signal.reason as Error);
    };
    const thrown = await thrownBy(doorTo(fakeLifeCycle({ create })).create(INPUTS));
    expect(aborted).toBe(true);
    expect(thrown).toMatchObject({ message: "the run was cancelled" });
  });

  test("does not concern an operation that has ended", async () => {
    const context = await contextOf((door) => door.create(INPUTS));
    enginesServer.cancel();
    expect(context?.signal.aborted).toBe(false);
  });

  test("at the normal end of a run tidies up the records of what the state has by now", async () => {
    const { resumeRecords } = session;
    await doorTo(fakeLifeCycle()).create(INPUTS);
    resumeRecords.save(RESOURCE, "0".repeat(64), "job-1");
    resumeRecords.handOver(RESOURCE);
    expect(records()).toHaveLength(1);
    enginesServer.cancel();
    expect(records()).toEqual([]);
  });

  test("while something is in flight keeps the records: after a second one the engine stores nothing any more", async () => {
    const { resumeRecords } = session;
    const { work } = waiting();
    resumeRecords.save(RESOURCE, "0".repeat(64), "job-1");
    resumeRecords.handOver(RESOURCE);
    enginesServer.cancel();
    await work;
    enginesServer.cancel(); // at the end of the run
    expect(records()).toHaveLength(1);
  });

  test("keeps the records also where a call arrived after it", async () => {
    const { resumeRecords } = session;
    await doorTo(fakeLifeCycle()).create(INPUTS);
    enginesServer.cancel();
    await doorTo(fakeLifeCycle()).create(INPUTS);
    resumeRecords.save(RESOURCE, "0".repeat(64), "job-1");
    resumeRecords.handOver(RESOURCE);
    enginesServer.cancel();
    expect(records()).toHaveLength(1);
  });
});
