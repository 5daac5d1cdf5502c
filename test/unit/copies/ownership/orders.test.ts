// Publications and removals of one item at one time, in every order of their steps.
import { describe, expect, test } from "vitest";
import type { Marks } from "../../../../provider/copies/ownership/marks.ts";
import { newOwner, type Owner } from "../../../../provider/copies/ownership/owner.ts";
import { Ownership } from "../../../../provider/copies/ownership/ownership.ts";
import { recordingReporter } from "../../../simulation/recordingReporter.ts";
import { seededRandom } from "../../../simulation/seededRandom.ts";
import { VirtualClock } from "../../../simulation/virtualClock.ts";
import { inEveryOrder, inSomeOrders, type History, type Turns } from "./everyOrder.ts";
import { MemoryMarks } from "./memoryMarks.ts";

const ITEM = "site";
const [ONE, TWO, THREE] = ["one", "two", "three"].map((stack) =>
  newOwner(`urn:pulumi:${stack}::docs::docs-hosting:BundleCopy::copy`),
) as [Owner, Owner, Owner];

/** A place with one item, which each owner keeps where it is when it is there, as destinations do. */
class Place {
  readonly marks = new MemoryMarks();
  isThere: boolean;
  readonly #change: (marks: Marks) => Marks;

  constructor(owners: readonly Owner[], change: (marks: Marks) => Marks = (marks) => marks) {
    this.#change = change;
    for (const owner of owners) void this.marks.write(ITEM, owner);
    this.isThere = owners.length > 0;
  }

  publish(owner: Owner, turns: Turns): Promise<void> {
    const look = this.#looking(owner, turns);
    return this.#ownershipOf(owner, turns).publish(ITEM, look, async () => {
      if (await look()) return;
      await turns.turn(owner.id);
      this.isThere = true;
    });
  }

  remove(owner: Owner, turns: Turns): Promise<void> {
    const look = this.#looking(owner, turns);
    return this.#ownershipOf(owner, turns).release([ITEM], look, async () => {
      await turns.turn(owner.id);
      this.isThere = false;
    });
  }

  /** The owners with a mark. */
  get owners(): string[] {
    return [...(this.marks.written.get(ITEM)?.keys() ?? [])];
  }

  #looking(owner: Owner, { turn }: Turns): () => Promise<boolean> {
    return async () => {
      await turn(owner.id);
      return this.isThere;
    };
  }

  #ownershipOf(owner: Owner, { clock, turn }: Turns): Ownership {
    const context = { clock, signal: new AbortController().signal, reporter: recordingReporter(), owner };
    const marks = this.#change(this.marks.as(() => turn(owner.id)));
    return new Ownership(marks, context, (item) => `place/${item}`);
  }
}

const removedAndPublished =
  (change?: (marks: Marks) => Marks) =>
  (turns: Turns): History => {
    const place = new Place([ONE], change);
    return {
      runs: [place.remove(ONE, turns), place.publish(TWO, turns)],
      check: () => expect([place.isThere, place.owners]).toEqual([true, [TWO.id]]),
    };
  };

describe("in every order of their steps", () => {
  test("an item is there after one owner removed it and another published it", async () => {
    expect(await inEveryOrder(removedAndPublished(), 5_000)).toBeGreaterThan(30);
  });

  test("an item is there after both owners published it", async () => {
    await inEveryOrder((turns) => {
      const place = new Place([]);
      return {
        runs: [place.publish(ONE, turns), place.publish(TWO, turns)],
        check: () => expect([place.isThere, place.owners.sort()]).toEqual([true, [ONE.id, TWO.id].sort()]),
      };
    }, 5_000);
  });

  test("nothing is there after both owners removed it", async () => {
    await inEveryOrder((turns) => {
      const place = new Place([ONE, TWO]);
      return {
        runs: [place.remove(ONE, turns), place.remove(TWO, turns)],
        check: () => expect([place.isThere, place.owners]).toEqual([false, []]),
      };
    }, 20_000);
  });
});

describe("in some of very many orders", () => {
  test("an item is there after two owners removed it and a third published it", async () => {
    const random = seededRandom(39);
    await inSomeOrders(
      (turns) => {
        const place = new Place([ONE, TWO]);
        return {
          runs: [place.remove(ONE, turns), place.remove(TWO, turns), place.publish(THREE, turns)],
          check: () => expect([place.isThere, place.owners]).toEqual([true, [THREE.id]]),
        };
      },
      1_000,
      random,
    );
  });
});

describe("a run that is killed", () => {
  /** Carries a run out, and kills it before one of its steps. @returns whether it had that step */
  const killed = async (
    clock: VirtualClock,
    step: number,
    begin: (turns: Turns) => Promise<unknown>,
  ): Promise<boolean> => {
    let steps = 0;
    let kill = (): void => undefined;
    const end = new Promise<void>((resolve) => (kill = resolve));
    const turn = (): Promise<void> => {
      if (steps++ < step) return Promise.resolve();
      kill();
      return new Promise(() => undefined);
    };
    await clock.run(Promise.race([begin({ clock, turn }), end]));
    return steps > step;
  };

  test("while it removes an item, at any step: another publishes it, and the removal is completed later", async () => {
    for (let step = 0, hadStep = true; hadStep; step++) {
      const turns = { clock: new VirtualClock(), turn: () => Promise.resolve() };
      const place = new Place([ONE]);
      hadStep = await killed(turns.clock, step, (given) => place.remove(ONE, given));
      await turns.clock.run(place.publish(TWO, turns));
      expect([step, place.isThere]).toEqual([step, true]);
      await turns.clock.run(place.remove(ONE, turns));
      expect([step, place.isThere, place.owners]).toEqual([step, true, [TWO.id]]);
      await turns.clock.run(place.remove(TWO, turns));
      expect([step, place.isThere, place.owners]).toEqual([step, false, []]);
    }
  });

  test("while it publishes an item, at any step: another publishes and removes it, and nothing is left at the end", async () => {
    for (let step = 0, hadStep = true; hadStep; step++) {
      const turns = { clock: new VirtualClock(), turn: () => Promise.resolve() };
      const place = new Place([]);
      hadStep = await killed(turns.clock, step, (given) => place.publish(ONE, given));
      await turns.clock.run(place.publish(TWO, turns));
      await turns.clock.run(place.remove(TWO, turns));
      await turns.clock.run(place.publish(ONE, turns));
      expect([step, place.isThere, place.owners]).toEqual([step, true, [ONE.id]]);
      await turns.clock.run(place.remove(ONE, turns));
      expect([step, place.isThere, place.owners]).toEqual([step, false, []]);
    }
  });
});

describe("these orders find", () => {
  const expectLoss = (change: (marks: Marks) => Marks): Promise<void> =>
    expect(inEveryOrder(removedAndPublished(change), 5_000)).rejects.toThrow("in the order");

  test("a removal that does not announce itself", () =>
    expectLoss((marks) => ({ ...marks, leave: () => Promise.resolve() })));

  test("a publication that writes no mark", () =>
    expectLoss((marks) => ({ ...marks, write: () => Promise.resolve() })));

  test("a publication that does not wait for a removal", () =>
    expectLoss((marks) => ({
      ...marks,
      list: async (item) => (await marks.list(item))?.map((mark) => ({ ...mark, isLeaving: false })),
    })));
});
