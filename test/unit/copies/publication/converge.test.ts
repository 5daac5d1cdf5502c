// The publications, signatures and removals of an operation, and the records of a failed one: with a destination in memory.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { Semaphore } from "../../../../provider/base/runtime/concurrency/semaphore.ts";
import { DestinationError } from "../../../../provider/base/runtime/messages/errors.ts";
import { noTracer } from "../../../../provider/base/runtime/tracing/tracer.ts";
import { COPIES } from "../../../../provider/copies/bundleCopy/copyKind.ts";
import { BUNDLE_COPY_INPUTS, type CheckedCopyInputs } from "../../../../provider/copies/bundleCopy/inputs.ts";
import { reasonToSign } from "../../../../provider/copies/bundleCopy/links.ts";
import type { BundleCopyState, MadeCopy } from "../../../../provider/copies/bundleCopy/state.ts";
import type { PublicationContext } from "../../../../provider/copies/publication/context.ts";
import { publishedLifeCycle } from "../../../../provider/copies/publication/lifeCycle.ts";
import type {
  OwnedContext,
  PublicationDestination,
  PublicationKind,
  PublicationLinks,
} from "../../../../provider/copies/publication/publicationKind.ts";
import { checkByTable } from "../../../../provider/resource/inputTable.ts";
import { UnfinishedError } from "../../../../provider/resource/lifeCycle.ts";
import { MemoryNotes } from "../../../simulation/memoryNotes.ts";
import { packedSite } from "../../../simulation/packedSite.ts";
import { PATIENTLY } from "../../../simulation/patience.ts";
import { recordingReporter } from "../../../simulation/recordingReporter.ts";
import { testContext, URN } from "../../../simulation/testContext.ts";
import { VirtualClock } from "../../../simulation/virtualClock.ts";

interface CopyTypes {
  inputs: CheckedCopyInputs;
  item: MadeCopy;
  state: BundleCopyState;
}
type Place = PublicationDestination<MadeCopy>;

let folder: string;
let clock: VirtualClock;
let reporter: ReturnType<typeof recordingReporter>;
let notes: MemoryNotes;
let noted: object[];
/** The addresses of the copies at the destination, and the number of publications. */
let place: Set<string>;
/** The owners who have marked each copy. */
let marks: Map<string, Set<string>>;
let publications: number;
/** Called when a copy is published, before the operation knows it. */
let afterPlacing: () => void;

const failure = (): DestinationError => new DestinationError("the store is away", "Start it.");
const link = vi.fn<PublicationLinks<CopyTypes>["sign"]>();
const compare = vi.fn<Place["compare"]>();
const claim = vi.fn<Place["claim"]>();
const check = vi.fn<Place["check"]>();
const prune = vi.fn<Place["prune"]>();
const release = vi.fn<Place["release"]>();
const ownersOf = ({ copy }: MadeCopy): Set<string> => {
  const owners = marks.get(copy.uri) ?? new Set<string>();
  marks.set(copy.uri, owners);
  return owners;
};

const KIND: PublicationKind<CopyTypes> = {
  ...COPIES,
  destinationOf: (inputs) => ({
    ...COPIES.destinationOf(inputs),
    prepare: (operation) => (checked, placing) => {
      const { version, sha256, size } = checked.bundle;
      const item: MadeCopy = {
        copy: { sha256, uri: `s3://docs/${version}`, parts: {} },
        bundle: { ...checked.inspection, version, sha256, size, copiedAt: "2026-01-01T00:00:00.000Z" },
      };
      publications++;
      place.add(item.copy.uri);
      placing(item);
      ownersOf(item).add(operation.owner.id);
      afterPlacing();
      return Promise.resolve(item);
    },
    compare,
    check,
    claim,
    prune,
    release,
  }),
  links: { reasonToSign, sign: link },
};
const copies = publishedLifeCycle(KIND);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "converge-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  clock = new VirtualClock("2026-01-01T00:00:00.000Z");
  reporter = recordingReporter();
  notes = new MemoryNotes();
  noted = [];
  place = new Set();
  marks = new Map();
  publications = 0;
  afterPlacing = () => undefined;
  let links = 0;
  link.mockReset().mockImplementation(() => {
    const life = { expiresAt: "2026-01-02T00:00:00.000Z", renewAfter: "2026-01-01T16:00:00.000Z" };
    return Promise.resolve({ bundleUrl: `https://store.example/${++links}`, ...life });
  });
  compare
    .mockReset()
    .mockImplementation((_context, { copy }) => Promise.resolve(place.has(copy.uri) ? "same" : "gone"));
  check.mockReset().mockResolvedValue();
  claim.mockReset().mockImplementation(({ owner }, made) => {
    for (const each of made) if (place.has(each.copy.uri)) ownersOf(each).add(owner.id);
    return Promise.resolve();
  });
  const removed = ({ owner }: OwnedContext, gone: readonly MadeCopy[]): Promise<void> => {
    for (const each of gone) {
      const owners = ownersOf(each);
      owners.delete(owner.id);
      if (owners.size === 0) place.delete(each.copy.uri);
    }
    return Promise.resolve();
  };
  prune.mockReset().mockImplementation(removed);
  release.mockReset().mockImplementation(removed);
});

const context = (given: Partial<PublicationContext> = {}): PublicationContext =>
  testContext({
    fetch: () => Promise.reject(new Error("no request is expected")),
    clock,
    reporter,
    urn: URN,
    publicationRecords: notes,
    tracer: { ...noTracer, note: (attributes) => void noted.push(attributes) },
    configuration: {
      environment: (name) => (name === "PULUMI_HOME" ? join(folder, "home") : undefined),
      stackConfig: () => undefined,
    },
    ...given,
  });

function inputsOf(version: string, given: object = {}): CheckedCopyInputs {
  const { file } = packedSite(folder, version, { "index.html": version });
  const destination = { bucket: "docs", linkLife: "24h" };
  const { inputs, failures } = checkByTable<CheckedCopyInputs>(
    BUNDLE_COPY_INPUTS,
    { source: { file, version }, destination, ...given },
    context().configuration,
  );
  expect(failures).toEqual([]);
  return inputs;
}

const versions = ({ bookkeeping }: BundleCopyState): string[] =>
  bookkeeping.copies.map(({ bundle }) => bundle.version);

async function unfinished(run: Promise<unknown>): Promise<UnfinishedError<BundleCopyState>> {
  const error: unknown = await run.catch((reason: unknown) => reason);
  if (!(error instanceof UnfinishedError)) throw error;
  return error as UnfinishedError<BundleCopyState>;
}

describe("an update that publishes nothing", () => {
  test("signs no other link and removes nothing, when only settings changed", async () => {
    const first = await copies.create(context(), inputsOf("v1"));
    const second = await copies.update(context(), first, inputsOf("v1", { keep: 3 }));
    expect(second.outputs).toEqual({ ...first.outputs, keep: 3 });
    expect(link).toHaveBeenCalledOnce();
    expect(prune).not.toHaveBeenCalled();
    expect(publications).toBe(1);
  });

  test("signs another link when the old one is due, and only that", async () => {
    const first = await copies.create(context(), inputsOf("v1"));
    clock.wallMs += 16 * 3_600_000;
    const second = await copies.update(context(), first, inputsOf("v1"));
    expect(second.outputs.bundleUrl).toBe("https://store.example/2");
    expect(publications).toBe(1);
  });
});

test("an update removes copies beyond the limit, and nothing else", async () => {
  let state = await copies.create(context(), inputsOf("v1"));
  for (const version of ["v2", "v3"]) state = await copies.update(context(), state, inputsOf(version));
  expect(versions(state)).toEqual(["v3", "v2"]);
  expect(
    prune.mock.calls.map(([, gone, kept]) => [gone, kept].map((each) => each.map(({ copy }) => copy.uri))),
  ).toEqual([[["s3://docs/v1"], ["s3://docs/v3", "s3://docs/v2"]]]);
});

test("an earlier copy that cannot be removed is reported, stays in the state, and is removed with the next update", async () => {
  const first = await copies.create(context(), inputsOf("v1", { keep: 0 }));
  prune.mockRejectedValueOnce(failure());
  const second = await copies.update(context(), first, inputsOf("v2", { keep: 0 }));
  expect(versions(second)).toEqual(["v2", "v1"]);
  expect(reporter.lines.warn).toEqual([
    "an earlier copy could not be removed: s3://docs: the store is away. The next `pulumi up` tries again. Start it.",
  ]);
  const third = await copies.update(context(), second, inputsOf("v2", { keep: 0 }));
  expect(versions(third)).toEqual(["v2"]);
});

test("a publication waits for its turn, which its row says and its time limit does not count; nothing else waits", async () => {
  const slots = new Semaphore(1);
  const first = await copies.create(context({ publications: slots }), inputsOf("v1"));
  let end = (): void => undefined;
  const { signal } = new AbortController();
  const other = slots.run(() => new Promise<void>((resolve) => (end = resolve)), signal, end);
  const hour = 3_600_000;
  const waiting = copies.update(context({ publications: slots }), first, inputsOf("v2"), hour);
  const line = "waiting for other publications to end";
  await vi.waitFor(() => expect(reporter.lines.progress.at(-1)).toBe(line), PATIENTLY);
  for (let hours = 0; hours < 5; hours++) clock.advance(hour);
  await copies.read(context({ publications: slots }), first);
  await copies.update(context({ publications: slots }), first, inputsOf("v1", { keep: 3 }));
  await copies.remove(context({ publications: slots }), first);
  expect([publications, place.size]).toEqual([1, 0]);
  end();
  await other;
  expect(versions(await waiting)).toEqual(["v2", "v1"]);
  expect(clock.pending).toBe(0);
});

describe("what is not whole takes no place of an earlier copy", () => {
  const earlier = ({ outputs }: BundleCopyState): string[] =>
    (outputs.earlier ?? []).map(({ version }) => version);
  const there = (): string[] => [...place].map((uri) => uri.slice("s3://docs/".length)).sort();
  /** An update to a version of which only a part is published. */
  async function publishedInPart(state: BundleCopyState, version: string): Promise<BundleCopyState> {
    afterPlacing = () => {
      throw failure();
    };
    compare.mockImplementation((_context, { copy }) =>
      Promise.resolve(copy.uri.endsWith(version) ? "changed" : "same"),
    );
    const failed = await unfinished(copies.update(context(), state, inputsOf(version)));
    afterPlacing = () => undefined;
    return failed.state;
  }
  /** Updates one after another, each of which ends. */
  async function published(...all: string[]): Promise<BundleCopyState> {
    const [first = "", ...others] = all;
    let state = await copies.create(context(), inputsOf(first));
    for (const version of others) state = await copies.update(context(), state, inputsOf(version));
    notes.operationEnded();
    return state;
  }

  test("a publication that failed in part is removed, and the whole copy before it stays", async () => {
    const failed = await publishedInPart(await published("v1"), "v2");
    expect(failed.bookkeeping.drifted).toBe("partial");
    notes.operationEnded();
    const third = await copies.update(context(), failed, inputsOf("v3"));
    expect([earlier(third), versions(third), there()]).toEqual([["v1"], ["v3", "v1"], ["v1", "v3"]]);
  });

  test("a copy that a refresh found gone is forgotten, and the one before it stays", async () => {
    const second = await published("v1", "v2");
    place.delete("s3://docs/v2");
    const seen = await copies.read(context(), second);
    if (!seen) throw new Error("no state");
    const third = await copies.update(context(), seen.state, inputsOf("v3"));
    expect([earlier(third), versions(third), there()]).toEqual([["v1"], ["v3", "v1"], ["v1", "v3"]]);
  });

  test("what a killed run left incomplete is removed, and no output names it", async () => {
    const first = await published("v1");
    await publishedInPart(first, "v2");
    const again = await copies.update(context(), first, inputsOf("v1"));
    expect([earlier(again), versions(again), there()]).toEqual([[], ["v1"], ["v1"]]);
  });

  test("going back after a publication that failed in part keeps the whole copy before", async () => {
    const failed = await publishedInPart(await published("v1", "v2"), "v3");
    notes.operationEnded();
    const back = await copies.update(context(), failed, inputsOf("v2"));
    expect([earlier(back), versions(back), there()]).toEqual([["v1"], ["v2", "v1"], ["v1", "v2"]]);
  });

  test("an incomplete copy that cannot be removed now is what the next update removes", async () => {
    const failed = await publishedInPart(await published("v1"), "v2");
    notes.operationEnded();
    prune.mockRejectedValueOnce(failure());
    const third = await copies.update(context(), failed, inputsOf("v3"));
    expect([earlier(third), versions(third)]).toEqual([["v1"], ["v3", "v2", "v1"]]);
    const decision = copies.diff(inputsOf("v3"), third, { name: "m", nowMs: clock.now() }).decision.text;
    expect(decision).toBe("earlier copies at s3://docs are removed: 1");
    const again = await copies.update(context(), third, inputsOf("v3"));
    expect([versions(again), there()]).toEqual([
      ["v3", "v1"],
      ["v1", "v3"],
    ]);
  });

  test("a copy that has changed is no earlier one, and stays as long as an older one does: pods may use it", async () => {
    const second = await published("v1", "v2");
    compare.mockResolvedValueOnce("changed");
    const seen = await copies.read(context(), second);
    if (!seen) throw new Error("no state");
    const third = await copies.update(context(), seen.state, inputsOf("v3"));
    expect([earlier(third), there()]).toEqual([["v1"], ["v1", "v2", "v3"]]);
    const fourth = await copies.update(context(), third, inputsOf("v4"));
    expect([earlier(fourth), there()]).toEqual([["v3"], ["v3", "v4"]]);
  });

  test("what a run of an earlier version recorded, which may be incomplete, removes no whole copy", async () => {
    const second = await published("v1", "v2");
    await copies.update(context(), second, inputsOf("v3", { keep: 3 }));
    for (const [key, note] of notes.notes) notes.notes.set(key, note.replace(',"isWhole":true', ""));
    const back = await copies.update(context(), second, inputsOf("v2", { keep: 3 }));
    expect([earlier(back), there()]).toEqual([["v1"], ["v1", "v2", "v3"]]);
  });

  test("a publication again under the same address is whole", async () => {
    const failed = await publishedInPart(await published("v1"), "v2");
    notes.operationEnded();
    compare.mockResolvedValue("same");
    const second = await copies.update(context(), failed, inputsOf("v2"));
    const third = await copies.update(context(), second, inputsOf("v3"));
    expect([earlier(third), there()]).toEqual([["v2"], ["v2", "v3"]]);
  });
});

describe("a publication that fails after something was published", () => {
  beforeEach(() => {
    afterPlacing = () => {
      throw failure();
    };
  });

  test("is in the state as partial, where it differs from the wanted copy, or its contents are unknown", async () => {
    compare.mockResolvedValueOnce("changed");
    const { state, message } = await unfinished(copies.create(context(), inputsOf("v1")));
    expect(message).toBe(
      `the file ${join(folder, "v1.tar.gz")} to s3://docs: the store is away. s3://docs/v1 may be published in part, and is in the state: the next \`pulumi up\` completes it, and \`pulumi destroy\` removes it. Start it.`,
    );
    expect(state.bookkeeping.drifted).toBe("partial");
    compare.mockRejectedValue(failure());
    const unknown = await unfinished(copies.create(context(), inputsOf("v2")));
    expect(unknown.state.bookkeeping.drifted).toBe("partial");
  });

  test("is in the state as complete, where all of it exists", async () => {
    const { state, message } = await unfinished(copies.create(context(), inputsOf("v1")));
    expect(message).toContain(
      "s3://docs/v1 is published and in the state. The next `pulumi up` does only the remaining steps, without another download or publication. Start it.",
    );
    expect(state.bookkeeping.drifted).toBeUndefined();
  });

  test("is in no state, where nothing of it exists", async () => {
    afterPlacing = () => {
      place.clear();
      throw failure();
    };
    const run = copies.create(context(), inputsOf("v1"));
    await expect(run).rejects.toThrow("the store is away. Nothing was published. Start it.");
    await expect(run).rejects.not.toBeInstanceOf(UnfinishedError);
  });

  test("changes no state, where nothing of an update exists", async () => {
    afterPlacing = () => undefined;
    const first = await copies.create(context(), inputsOf("v1"));
    afterPlacing = () => {
      place.clear();
      throw failure();
    };
    const run = copies.update(context(), first, inputsOf("v2"));
    await expect(run).rejects.toThrow("s3://docs/v1 stays as it is");
    await expect(run).rejects.not.toBeInstanceOf(UnfinishedError);
  });

  test("has no record any more once the engine has the state", async () => {
    link.mockRejectedValueOnce(failure());
    await unfinished(copies.create(context(), inputsOf("v1")));
    expect(notes.notes.size).toBe(1);
    notes.operationEnded();
    expect(notes.notes.size).toBe(0);
  });
});

describe("after a run that was killed", () => {
  test("its publication is in the state although the link cannot be signed now, either", async () => {
    await copies.create(context(), inputsOf("v1"));
    link.mockRejectedValueOnce(failure());
    const { state, message } = await unfinished(copies.create(context(), inputsOf("v1")));
    expect(message).toContain("s3://docs/v1 is published and in the state; still missing: its link.");
    expect(versions(state)).toEqual(["v1"]);
    expect(publications).toBe(1);
  });

  test("the same update adopts its publication, and traces that", async () => {
    const first = await copies.create(context(), inputsOf("v1"));
    await copies.update(context(), first, inputsOf("v2"));
    const second = await copies.update(context(), first, inputsOf("v2"));
    expect([versions(second), publications]).toEqual([["v2", "v1"], 2]);
    expect(reporter.lines.info.at(-1)).toBe(
      "RESUMED: s3://docs/v2 of an interrupted run is complete: it is not published again",
    );
    expect(noted.at(-1)).toEqual({ "docs_hosting.decision": "RESUMED" });
  });

  test("a copy that cannot be compared now is not published again where the state's inputs are wanted", async () => {
    const first = await copies.create(context(), inputsOf("v1"));
    await copies.update(context(), first, inputsOf("v2"));
    compare.mockRejectedValue(failure());
    const back = await copies.update(context(), first, inputsOf("v1", { keep: 3 }));
    expect([versions(back), publications]).toEqual([["v1", "v2"], 2]);
  });

  test("a copy that a killed run removed on its way back to an earlier one is published again", async () => {
    const first = await copies.create(context(), inputsOf("v1"));
    const second = await copies.update(context(), first, inputsOf("v2", { keep: 1 }));
    notes.operationEnded();
    await copies.update(context(), second, inputsOf("v1", { keep: 0 }));
    notes.processKilled();
    expect([...place]).toEqual(["s3://docs/v1"]);
    await copies.update(context(), second, inputsOf("v2", { keep: 0 }));
    expect([...place]).toEqual(["s3://docs/v2"]);
  });

  test("a copy at another destination is not mistaken for one here", async () => {
    await copies.create(context(), inputsOf("v1"));
    const destination = { bucket: "other", linkLife: "24h" };
    await copies.create(context(), inputsOf("v1", { destination }));
    expect(publications).toBe(2);
  });

  test("a copy of a renamed resource is adopted", async () => {
    await copies.create(context(), inputsOf("v1"));
    await copies.create(context({ urn: `${URN}-renamed`, formerUrn: URN }), inputsOf("v1"));
    expect(publications).toBe(1);
    notes.operationEnded();
    expect(notes.notes.size).toBe(0);
  });

  test("the publication of an update from another state stays when this one is destroyed", async () => {
    const first = await copies.create(context(), inputsOf("v1"));
    const second = await copies.update(context(), first, inputsOf("v2"));
    await copies.update(context(), second, inputsOf("v3"));
    await copies.remove(context(), first);
    expect([...place]).toContain("s3://docs/v3");
  });

  test("a destroy of a state of a version without marks removes what a killed update published with marks", async () => {
    const { outputs, bookkeeping } = await copies.create(context(), inputsOf("v1"));
    notes.operationEnded();
    const old = { outputs, bookkeeping: { ...bookkeeping, owner: undefined } };
    marks.clear();
    await copies.update(context(), old, inputsOf("v2"));
    await copies.remove(context(), old);
    expect([...place]).toEqual([]);
  });

  test("a resource without a URN has no records: two could not be distinguished", async () => {
    for (const inputs of [inputsOf("v1"), inputsOf("v1")]) {
      const { urn, ...nameless } = context();
      expect(urn).toBe(URN);
      await copies.create(nameless, inputs);
    }
    expect([notes.notes.size, publications]).toEqual([0, 2]);
  });
});

describe("a refresh", () => {
  test("records that a copy changed, and forgets a missing one where no other is left", async () => {
    const state = await copies.create(context(), inputsOf("v1"));
    compare.mockResolvedValueOnce("changed");
    const changed = await copies.read(context(), state);
    expect(changed?.state.bookkeeping.drifted).toBe("changed");
    compare.mockResolvedValueOnce("gone");
    marks.clear();
    expect(release).not.toHaveBeenCalled();
    expect(await copies.read(context(), state)).toBeUndefined();
    // its mark goes with it: no later run knows its owner
    expect(release.mock.calls.map(([{ owner }, gone]) => [owner.id, gone])).toEqual([
      [state.bookkeeping.owner, state.bookkeeping.copies],
    ]);
    compare.mockResolvedValueOnce("gone");
    release.mockRejectedValueOnce(failure());
    expect(await copies.read(context(), state)).toBeUndefined();
    expect(copies.gone(state)).toEqual({
      code: "DRIFTED",
      text: "s3://docs/v1 no longer exists. It is removed from the state; the next `pulumi up` creates it again",
    });
  });

  test("keeps the state of a missing copy, where an earlier one must be removed", async () => {
    const first = await copies.create(context(), inputsOf("v1"));
    const second = await copies.update(context(), first, inputsOf("v2"));
    place.delete("s3://docs/v2");
    const seen = await copies.read(context(), second);
    expect(seen?.state.bookkeeping).toEqual({ ...second.bookkeeping, drifted: "gone" });
  });

  test("reverts an earlier result, once the copy is as it was", async () => {
    const { outputs, bookkeeping } = await copies.create(context(), inputsOf("v1"));
    const drifted = { outputs, bookkeeping: { ...bookkeeping, drifted: "changed" as const } };
    const seen = await copies.read(context(), drifted);
    expect(seen?.state).toEqual({ outputs, bookkeeping });
    expect(seen?.state.bookkeeping).not.toHaveProperty("drifted");
  });
});
