// The records of publications that failed, or whose run was killed: with a destination in memory.
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { UnfinishedError } from "../../../../provider/resource/lifeCycle.ts";
import { URN } from "../../../simulation/testContext.ts";
import {
  compare,
  context,
  copies,
  failure,
  folder,
  inputsOf,
  link,
  marks,
  noted,
  notes,
  onPlacing,
  place,
  publications,
  reporter,
  unfinished,
  useMemoryDestination,
  versions,
} from "./memoryDestination.ts";

useMemoryDestination();

describe("a publication that fails after something was published", () => {
  beforeEach(() => {
    onPlacing(() => {
      throw failure();
    });
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
    onPlacing(() => {
      place.clear();
      throw failure();
    });
    const run = copies.create(context(), inputsOf("v1"));
    await expect(run).rejects.toThrow("the store is away. Nothing was published. Start it.");
    await expect(run).rejects.not.toBeInstanceOf(UnfinishedError);
  });

  test("changes no state, where nothing of an update exists", async () => {
    onPlacing(() => undefined);
    const first = await copies.create(context(), inputsOf("v1"));
    onPlacing(() => {
      place.clear();
      throw failure();
    });
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
