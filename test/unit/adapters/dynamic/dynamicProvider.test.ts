// The adapter, with a life cycle that only records its calls: no process, no engine, no network.
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { dynamicHost } from "../../../../provider/adapters/dynamic/dynamicHost.ts";
import {
  type DynamicProvider,
  dynamicProvider,
} from "../../../../provider/adapters/dynamic/dynamicProvider.ts";
import { publications } from "../../../../provider/adapters/session/publications.ts";
import { Session } from "../../../../provider/adapters/session/session.ts";
import {
  type Diff,
  type Found,
  type LifeCycle,
  UnfinishedError,
} from "../../../../provider/resource/lifeCycle.ts";
import { recordingReporter } from "../../../simulation/recordingReporter.ts";
import { URN } from "../../../simulation/testContext.ts";

const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const PROVIDER = "exports.handler = …";
/** As the engine passes it: the user's own property, and the hidden ones beside it. */
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
type Life = LifeCycle<Inputs, State>;
type Fake = ReturnType<typeof fakeLifeCycle>;

const STATE: State = { outputs: { name: "a", size: 1 }, bookkeeping: { seen: 7 } };
/** The same, as a refresh finds it. */
const FOUND: Found<Inputs, State> = { inputs: { name: "a" }, state: STATE };

const SAME: Diff = {
  changed: [],
  replaces: [],
  hidden: false,
  decision: { code: "UP_TO_DATE", text: "no request is needed" },
};

let lines: ReturnType<typeof recordingReporter>["lines"] & { debug: string[] };
/** URN of the row of each created reporter. */
let rows: (string | undefined)[];
let session: Session;

const leaving = vi.hoisted(() => ({ answers: 0 }));
vi.mock("../../../../provider/adapters/dynamic/unsentReply.ts", () => ({
  exitIfReplyIsNotSent: () => leaving.answers++,
}));

beforeEach(() => {
  rows = [];
  leaving.answers = 0;
  const reporter = recordingReporter();
  lines = { ...reporter.lines, debug: [] };
  session = new Session(
    {
      ...dynamicHost,
      reporter: (urn) => {
        rows.push(urn);
        return { ...reporter, debug: (line) => lines.debug.push(line), close: () => undefined };
      },
    },
    publications(dynamicHost),
  );
});

afterEach(() => {
  vi.unstubAllEnvs();
});

/** A life cycle that records its calls, and with configurable answers. */
function fakeLifeCycle(answers: Partial<Life> = {}) {
  return {
    outputs: {},
    noBookkeeping: { seen: 0 },
    idOf: ({ outputs }: State) => `id-of-${outputs.name}`,
    check: vi.fn<Life["check"]>(
      answers.check ?? ((given) => ({ inputs: given as Partial<Inputs> as Inputs, failures: [] })),
    ),
    diff: vi.fn<Life["diff"]>(answers.diff ?? (() => SAME)),
    predict: vi.fn<Life["predict"]>(() => ({})),
    create: vi.fn<Life["create"]>(answers.create ?? (() => Promise.resolve(STATE))),
    read: vi.fn<Life["read"]>(answers.read ?? (() => Promise.resolve(FOUND))),
    gone: vi.fn<Life["gone"]>(({ outputs }) => ({
      code: "JOB_GONE",
      text: `${outputs.name} no longer exists`,
    })),
    lookUp: vi.fn<Life["lookUp"]>(() => Promise.resolve(FOUND)),
    import: vi.fn<Life["import"]>(() => Promise.reject(new Error("a dynamic resource is not imported"))),
    update: vi.fn<Life["update"]>(answers.update ?? (() => Promise.resolve(STATE))),
    remove: vi.fn<Life["remove"]>(answers.remove ?? (() => Promise.resolve())),
  };
}

const adapterOf = (lifeCycle: Fake): DynamicProvider => dynamicProvider(() => lifeCycle, session);

const thrownBy = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => "nothing was thrown",
    (error: unknown) => error,
  );

describe("check", () => {
  const check = (
    given: Record<string, unknown>,
    lifeCycle = fakeLifeCycle(),
  ): ReturnType<DynamicProvider["check"]> => adapterOf(lifeCycle).check({}, given);

  test("passes the user's own properties to the life cycle, and returns the hidden ones beside its result", async () => {
    const lifeCycle = fakeLifeCycle({
      check: () => ({
        inputs: { name: "normalised", version: undefined } as Inputs,
        failures: [{ property: "name", reason: "is long" }],
      }),
    });
    const given = { ...INPUTS, __timeouts: { create: "1h" } };
    // without undefined, at which the host fails
    expect(await check(given, lifeCycle)).toStrictEqual({
      inputs: { ...given, name: "normalised" },
      failures: [{ property: "name", reason: "is long" }],
    });
    expect(lifeCycle.check.mock.calls[0]?.[0]).toEqual({ name: "a" });
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
    const adapter = adapterOf(lifeCycle);
    await adapter.check({}, INPUTS);
    expect(lifeCycle.check.mock.calls[0]?.[1].stackConfig("docs-hosting:baseUrl")).toBeUndefined();
    await adapter.configure({ config: { get: (name) => `value of ${name}` } });
    await adapter.check({}, INPUTS);
    const configuration = lifeCycle.check.mock.calls[1]?.[1];
    expect(configuration?.stackConfig("docs-hosting:baseUrl")).toBe("value of docs-hosting:baseUrl");
    vi.stubEnv("DOCS_HOSTING_BASE_URL", "https://api.example.test");
    expect(configuration?.environment("DOCS_HOSTING_BASE_URL")).toBe("https://api.example.test");
  });
});

describe("diff", () => {
  test("treats a state without bookkeeping as one without records", async () => {
    const lifeCycle = fakeLifeCycle();
    await adapterOf(lifeCycle).diff("id-of-a", { name: "a" }, INPUTS);
    expect(lifeCycle.diff.mock.calls[0]?.[1]).toEqual({
      outputs: { name: "a" },
      bookkeeping: { seen: 0 },
    });
  });

  test.each<[string, Partial<Diff>, object]>([
    ["that nothing changed where nothing is to be done", {}, { changes: false }],
    [
      "nothing of changed inputs, for the engine shows them and obeys ignoreChanges",
      { changed: ["name"] },
      { replaces: [] },
    ],
    ["which inputs replace", { changed: ["name"], replaces: ["name"] }, { replaces: ["name"] }],
    ["that there is a change that no input shows", { hidden: true }, { changes: true, replaces: [] }],
  ])("reports %s", async (_, answer, said) => {
    const lifeCycle = fakeLifeCycle({ diff: () => ({ ...SAME, ...answer }) });
    expect(await adapterOf(lifeCycle).diff("id-of-a", STORED, INPUTS)).toEqual(said);
  });

  test("shows its decision on the resource's own row, and on none while the URN is unknown", async () => {
    const decision = { code: "SETTINGS", text: "name changed" } as const;
    const adapter = adapterOf(fakeLifeCycle({ diff: () => ({ ...SAME, changed: ["name"], decision }) }));
    for (const urn of [URN, UNKNOWN, 7]) await adapter.diff("id-of-a", STORED, { ...INPUTS, __urn: urn });
    expect(rows).toEqual([URN, undefined, undefined]);
    expect(lines).toMatchObject({ debug: [], info: Array(3).fill("SETTINGS: name changed") });
    await adapterOf(fakeLifeCycle()).diff("id-of-a", STORED, INPUTS);
    expect(lines.debug).toEqual(["UP_TO_DATE: no request is needed"]);
  });
});

describe("create", () => {
  test("returns the id, the outputs, and the hidden properties, without undefined, at which the host fails", async () => {
    const state = { outputs: { name: "a", size: undefined }, bookkeeping: { seen: 7 } };
    const lifeCycle = fakeLifeCycle({ create: () => Promise.resolve(state) });
    expect(await adapterOf(lifeCycle).create(INPUTS)).toStrictEqual({
      id: "id-of-a",
      outs: { name: "a", __bookkeeping: { seen: 7 }, __urn: URN },
    });
    expect(lifeCycle.create.mock.calls[0]?.[1]).toEqual({ name: "a" });
  });

  test("that is unfinished is saved as a resource with its reason, and with the provider that it needs later", async () => {
    const unfinished = new UnfinishedError(new Error("waited in vain"), STATE);
    const adapter = adapterOf(fakeLifeCycle({ create: () => Promise.reject(unfinished) }));
    const thrown = await thrownBy(adapter.create(INPUTS));
    expect(thrown).toEqual({
      id: "id-of-a",
      properties: { ...STORED },
      reasons: ["waited in vain"],
      message: "waited in vain",
    });
    expect(thrown).not.toBeInstanceOf(Error);
  });

  test("that fails is an error without a stack trace, which does not help users, and without an id", async () => {
    const error = Object.assign(new Error("no such site"), { id: "7" });
    const adapter = adapterOf(fakeLifeCycle({ create: () => Promise.reject(error) }));
    const thrown = await thrownBy(adapter.create(INPUTS));
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
    const { outs } = await adapterOf(lifeCycle).update("id-of-a", STORED, {
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
    const adapter = adapterOf(fakeLifeCycle({ update: () => Promise.reject(unfinished) }));
    const thrown = await thrownBy(adapter.update("id-of-a", { ...STORED, __provider: "old" }, INPUTS));
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
  ])("%j limits create and update separately", async (timeouts, createMs, updateMs) => {
    const lifeCycle = fakeLifeCycle();
    const given = { ...INPUTS, ...(timeouts && { __timeouts: timeouts }) };
    await adapterOf(lifeCycle).create(given);
    await adapterOf(lifeCycle).update("id-of-a", { ...STORED, __timeouts: { update: "9h" } }, given);
    expect(lifeCycle.create.mock.calls[0]?.[2]).toBe(createMs);
    expect(lifeCycle.update.mock.calls[0]?.[3]).toBe(updateMs);
  });
});

describe("read", () => {
  test("reports with its code that a job is gone, as the next `up` does", async () => {
    const lifeCycle = fakeLifeCycle({ read: () => Promise.resolve(undefined) });
    await adapterOf(lifeCycle).read("id-of-a", STORED);
    expect(lines.info).toEqual(["JOB_GONE: a no longer exists"]);
    expect(lifeCycle.gone.mock.calls).toEqual([[STATE]]);
  });

  test.each([
    ["DRIFTED", ["DRIFTED: it is made again"]],
    ["JOB_GONE", ["JOB_GONE: it is made again"]],
    ["RENEW_WINDOW", []],
    ["UP_TO_DATE", []],
  ] as const)("reports the result where the next `up` says %s: %j", async (code, expected) => {
    const decision = { code, text: "it is made again" };
    await adapterOf(fakeLifeCycle({ diff: () => ({ ...SAME, decision }) })).read("id-of-a", STORED);
    expect(lines.info).toEqual(expected);
    expect(lines.debug).toEqual([]);
  });

  test("reports the result once, though newer engines compare it at once: the next diff reports it again", async () => {
    const decision = { code: "DRIFTED", text: "it is made again" } as const;
    const adapter = adapterOf(fakeLifeCycle({ diff: () => ({ ...SAME, decision }) }));
    await adapter.read("id-of-a", STORED);
    await adapter.diff("id-of-a", STORED, STORED);
    expect(lines.info).toEqual(["DRIFTED: it is made again"]);
    await adapter.diff("id-of-a", STORED, STORED);
    expect(lines.info).toHaveLength(2);
  });

  test("returns the present state", async () => {
    const lifeCycle = fakeLifeCycle({
      read: () =>
        Promise.resolve({
          inputs: { name: "a" },
          state: { outputs: { name: "a", size: 2 }, bookkeeping: { seen: 8 } },
        }),
    });
    expect(await adapterOf(lifeCycle).read("id-of-a", STORED)).toEqual({
      id: "id-of-a",
      props: { name: "a", size: 2, __bookkeeping: { seen: 8 }, __urn: URN },
    });
    expect(lifeCycle.read.mock.calls[0]?.[1]).toEqual(STATE);
    expect(lifeCycle.lookUp).not.toHaveBeenCalled();
  });

  test("reports by an empty id that it is gone", async () => {
    const adapter = adapterOf(fakeLifeCycle({ read: () => Promise.resolve(undefined) }));
    expect(await adapter.read("id-of-a", STORED)).toEqual({ id: "", props: {} });
  });

  test("of a resource that another program manages looks it up by its id", async () => {
    const lifeCycle = fakeLifeCycle();
    await adapterOf(lifeCycle).read("id-of-a", INPUTS);
    expect(lifeCycle.lookUp.mock.calls[0]?.slice(1)).toEqual(["id-of-a", { name: "a" }]);
    expect(lifeCycle.read).not.toHaveBeenCalled();
  });

  test("reports a thrown value that is no error", async () => {
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- what it is about
    const adapter = adapterOf(fakeLifeCycle({ read: () => Promise.reject({ no: "error" }) }));
    expect(await thrownBy(adapter.read("id-of-a", STORED))).toMatchObject({ message: "{ no: 'error' }" });
  });
});

describe("delete", () => {
  test("is an operation on the state, on the resource's row", async () => {
    const lifeCycle = fakeLifeCycle();
    await adapterOf(lifeCycle).delete("id-of-a", STORED);
    const [context, state] = lifeCycle.remove.mock.calls[0] ?? [];
    expect(context).toMatchObject({ resumeRecords: session.resumeRecords, urn: URN });
    expect(state).toEqual(STATE);
    expect(rows).toEqual([URN]);
  });

  test("of a resource that never had a URN works without one", async () => {
    const lifeCycle = fakeLifeCycle();
    await adapterOf(lifeCycle).delete("id-of-a", { ...STORED, __urn: UNKNOWN });
    expect(lifeCycle.remove.mock.calls[0]?.[0]).not.toHaveProperty("urn");
  });
});

describe("the URN", () => {
  const NEW_URN = URN.replace("::docs", "::renamed");

  test("that differs from the state's, by an alias, is a change, and is reported", async () => {
    const renamed = { ...INPUTS, __urn: NEW_URN };
    expect(await adapterOf(fakeLifeCycle()).diff("id-of-a", STORED, renamed)).toEqual({
      changes: true,
      replaces: [],
    });
    expect(lines.info).toEqual(["SETTINGS: the resource was renamed or moved: recorded without a request"]);
  });

  test.each([
    [URN, NEW_URN, { urn: NEW_URN, formerUrn: URN }],
    [URN, URN, { urn: URN }],
    [undefined, NEW_URN, { urn: NEW_URN }],
    [UNKNOWN, NEW_URN, { urn: NEW_URN }],
    [URN, UNKNOWN, {}],
    [URN, undefined, {}],
    [URN, 7, {}],
  ])(
    "of %j, now %j, is reported as %j: without one, two resources could not be distinguished",
    async (before, now, urns) => {
      const operation = vi.spyOn(session, "operation");
      const adapter = adapterOf(fakeLifeCycle());
      await adapter.update("id-of-a", { ...STORED, __urn: before }, { ...INPUTS, __urn: now });
      await adapter.create({ ...INPUTS, __urn: now });
      await adapter.read("id-of-a", { ...STORED, __urn: now });
      const own = "urn" in urns ? { urn: urns.urn } : {};
      expect(operation.mock.calls.map(([name, given]) => [name, given])).toStrictEqual([
        ["update", urns],
        ["create", own],
        ["read", own],
      ]);
    },
  );
});

describe("returned texts", () => {
  const half = "\ud83d"; // of an emoji

  test("are whole characters: the host's encoder fails on others", async () => {
    const state = { outputs: { name: half }, bookkeeping: {} };
    const { outs } = await adapterOf(fakeLifeCycle({ create: () => Promise.resolve(state) })).create(INPUTS);
    expect(outs["name"]).toBe("\ufffd");
  });

  test("are one line without terminal commands, in errors, in check failures and in unfinished states", async () => {
    const text = `a\n##[x]${half}`;
    const shown = "a\\u{a}# #[x]\ufffd";
    const unfinished = new UnfinishedError(new Error(text), STATE);
    const adapter = adapterOf(
      fakeLifeCycle({
        check: () => ({ inputs: { name: "a" }, failures: [{ property: text, reason: text }] }),
        create: () => Promise.reject(new Error(text)),
        update: () => Promise.reject(unfinished),
      }),
    );
    expect((await adapter.check({}, INPUTS)).failures).toEqual([{ property: shown, reason: shown }]);
    expect(await thrownBy(adapter.create(INPUTS))).toMatchObject({ message: shown });
    expect(await thrownBy(adapter.update("id-of-a", STORED, INPUTS))).toMatchObject({
      message: shown,
      reasons: [shown],
    });
  });

  test("are watched until they are sent, whatever they are", async () => {
    const adapter = adapterOf(
      fakeLifeCycle({
        diff: () => {
          if (leaving.answers === 1) throw new Error("no difference");
          return SAME;
        },
      }),
    );
    await adapter.check({}, INPUTS);
    expect(await thrownBy(adapter.diff("id-of-a", STORED, INPUTS))).toMatchObject({
      message: "no difference",
    });
    await adapter.create(INPUTS);
    await adapter.read("id-of-a", STORED);
    await adapter.update("id-of-a", STORED, INPUTS);
    await adapter.delete("id-of-a", STORED);
    expect(leaving.answers).toBe(6);
  });
});
