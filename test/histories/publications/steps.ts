import fc from "fast-check";
import { type Fault, type FaultKind, FAULTS } from "./faults.ts";
import { type Spot, SPOTS } from "./place.ts";
import type { Action, Run } from "./resource.ts";
import type { World } from "./world.ts";

/** Several resources, and what happens to them. */
export interface PublicationHistory {
  readonly resources: readonly { readonly spot: Spot; readonly variant: number }[];
  readonly steps: readonly HistoryStep[];
  /** The order of the last destroys. */
  readonly order: readonly number[];
}

interface HistoryStep {
  readonly act: (world: World) => Promise<void> | void;
}

const CONTENTS = 3;

const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant("up" as const),
      content: fc.nat(CONTENTS - 1),
      keep: fc.constantFrom(0, 0, 1),
      takeOver: fc.constantFrom(false, false, true),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ kind: "replace" as const }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("move" as const), variant: fc.nat(5) }) },
  { weight: 2, arbitrary: fc.constant({ kind: "refresh" as const }) },
  { weight: 4, arbitrary: fc.constant({ kind: "destroy" as const }) },
);

const kill = fc.oneof(
  { weight: 7, arbitrary: fc.constant(undefined) },
  { weight: 3, arbitrary: fc.nat(70) },
  { weight: 1, arbitrary: fc.constant("answer" as const) },
);

const noFault = fc.constant(undefined);
/** A fault in half of the runs: of one step, of some, or until the run ends. */
const fault: fc.Arbitrary<Fault | undefined> = fc.option(
  fc.record({
    kind: fc.constantFrom(...(Object.keys(FAULTS) as FaultKind[])),
    from: fc.nat(60),
    steps: fc.constantFrom(1, 1, 1, 2, 5, 1_000),
  }),
  { nil: undefined },
);

const runOf = (resource: number, faults: fc.Arbitrary<Fault | undefined>): fc.Arbitrary<Run> =>
  fc.record({ resource: fc.constant(resource), action, kill, fault: faults });

const stepOf = (count: number, faults: fc.Arbitrary<Fault | undefined>): fc.Arbitrary<HistoryStep> => {
  const runAt = (index: number): fc.Arbitrary<Run> => runOf(index, faults);
  const resource = fc.nat(count - 1);
  return fc.oneof(
    {
      weight: 6,
      arbitrary: resource.chain(runAt).map((run) => ({ act: (world: World) => world.run([run]) })),
    },
    {
      weight: 5,
      arbitrary: fc
        .shuffledSubarray(
          Array.from({ length: count }, (_, index) => index),
          { minLength: 2, maxLength: 2 },
        )
        .chain((pair) =>
          fc.tuple(fc.tuple(...pair.map(runAt)), fc.array(fc.nat(1), { minLength: 20, maxLength: 200 })),
        )
        .map(([runs, turns]) => ({
          act: (world: World) => {
            let turn = 0;
            return world.run(runs, () => turns[turn++ % turns.length] ?? 0);
          },
        })),
    },
    {
      weight: 1,
      arbitrary: resource.map((index) => ({ act: (world: World) => world.addForeign(index) })),
    },
    {
      weight: 2,
      // a copy with files of others is made again
      arbitrary: fc.record({ resource, kill }).map(({ resource: index, kill: at }) => ({
        async act(world: World) {
          for (let number = 0; number < 3; number++) world.addForeign(index);
          world.alter(index);
          await world.run([{ resource: index, action: { kind: "refresh" } }]);
          await world.run([{ resource: index, action: { kind: "up", keep: 1 }, kill: at }]);
        },
      })),
    },
  );
};

/** Any history of two or three resources in two stacks. @param hasFaults whether stores and disks have faults */
export const publicationHistory = (hasFaults: boolean): fc.Arbitrary<PublicationHistory> =>
  fc.integer({ min: 2, max: 3 }).chain((count) =>
    fc.record({
      resources: fc.array(fc.record({ spot: fc.constantFrom(...SPOTS), variant: fc.nat(5) }), {
        minLength: count,
        maxLength: count,
      }),
      steps: fc.array(stepOf(count, hasFaults ? fault : noFault), { minLength: 2, maxLength: 8 }),
      order: fc.array(fc.nat(9), { minLength: count, maxLength: count }),
    }),
  );
