// What users do with a place of copies or kits that is, or seems to be, shared: one row for each.
import type { PlaceKind } from "./placesOfCopies.ts";

/** A resource at the row's place. */
export interface Declared {
  /** Its name in the program is this and the row's. */
  readonly as: string;
  /** @default "v1" */
  readonly version?: string;
  readonly keep?: number;
  readonly spelling?: number;
  readonly tag?: string;
  /** Options of the resource, as the program writes them. */
  readonly options?: string;
  /** In a component. */
  readonly inComponent?: boolean;
  /** The option `import`, with the address of the copy that this one has. */
  readonly imports?: string;
  /** Another owner has taken what only one can have. */
  readonly wasOvertaken?: boolean;
}

/** A `pulumi up` of the first stack, and then one of the second. What is left out is as in the step before. */
export interface Step {
  /** What happens to the resource `a` before. */
  readonly before?: "--replace" | "taint" | "foreign" | "foreign and lost" | "removed" | "made by 0.7";
  /** Refreshes the first stack before. */
  readonly refresh?: boolean;
  readonly first?: readonly Declared[];
  readonly second?: readonly Declared[];
}

export interface Operation {
  readonly name: string;
  readonly steps: readonly Step[];
  /** What stays after the last destroy: the copy, for an owner that no state knows. @default nothing */
  readonly staysOwned?: boolean;
  /** @default at all places */
  readonly where?: (kind: PlaceKind) => boolean;
}

const [a, b]: [Declared, Declared] = [{ as: "a" }, { as: "b" }];
const asked = (name: string, before: Step["before"] & string): Operation => ({
  name,
  steps: [{ first: [a] }, { before }],
});
/** Of both resources with v1 and v2, one is destroyed. */
const different = (name: string, left: Declared): Operation => ({
  name,
  steps: [{ first: [a] }, { first: [a, { ...b, version: "v2" }] }, { first: [left] }],
});

export const OPERATIONS: readonly Operation[] = [
  asked("replaced-by-flag", "--replace"),
  asked("tainted", "taint"),
  {
    name: "replaced-on-changes",
    steps: [1, 2].map((keep) => ({ first: [{ ...a, keep, options: `{ replaceOnChanges: ["keep"] }` }] })),
  },
  {
    name: "deleted-before-replaced",
    steps: [{ first: [{ ...a, options: "{ deleteBeforeReplace: true }" }] }, { before: "--replace" }],
  },
  { name: "renamed", steps: [{ first: [a] }, { first: [b] }] },
  { name: "renamed-in-two-runs", steps: [{ first: [a] }, { first: [a, b] }, { first: [b] }] },
  { name: "moved-into-component", steps: [{ first: [a] }, { first: [{ ...a, inComponent: true }] }] },
  { name: "spelled-differently", steps: [{ first: [a] }, { first: [{ ...a, spelling: 1 }] }] },
  { name: "other-name-of-place", steps: [{ first: [a] }, { first: [{ ...a, spelling: 2 }] }] },
  { name: "two-resources", steps: [{ first: [a, b] }, { first: [b] }] },
  { name: "two-stacks", steps: [{ first: [a], second: [b] }, { first: [] }] },
  different("two-contents-first-destroyed", { ...b, version: "v2" }),
  different("two-contents-last-destroyed", a),
  {
    name: "two-stacks-two-contents",
    steps: [{ first: [a], second: [{ ...b, version: "v2" }] }, { second: [] }],
  },
  {
    name: "staging-goes-on",
    steps: ["v1", "v2", "v3"].map((version) => ({
      first: [{ ...a, tag: "prod", wasOvertaken: true }],
      second: [{ ...b, tag: "staging", version, keep: 1 }],
    })),
  },
  { name: "foreign-content", steps: [{ first: [a] }, { before: "foreign", refresh: true }] },
  {
    name: "foreign-content-in-damaged-copy",
    steps: [{ first: [a] }, { before: "foreign and lost", refresh: true }],
    where: (kind) => kind.lose !== undefined,
  },
  { name: "removed-by-others", steps: [{ first: [a] }, { before: "removed", refresh: true }] },
  {
    name: "retained",
    steps: [{ first: [{ ...a, options: "{ retainOnDelete: true }" }] }, { first: [] }, { first: [b] }],
    staysOwned: true,
  },
  {
    name: "old-state-replaced",
    steps: [{ first: [a] }, { before: "made by 0.7" }, { before: "--replace" }],
  },
  { name: "old-state-renamed", steps: [{ first: [a] }, { before: "made by 0.7", first: [b] }] },
  {
    name: "old-state-goes-on",
    steps: [{ first: [a] }, { before: "made by 0.7", first: [{ ...a, version: "v2" }] }],
  },
  {
    name: "old-state-in-two-stacks",
    steps: [{ first: [a] }, { before: "made by 0.7", second: [b] }, { first: [] }],
  },
];

/** Only the native adapter imports, and no kit can be imported. */
export const IMPORTS: readonly Operation[] = [
  {
    name: "imported-by-second-stack",
    steps: [{ first: [a] }, { second: [{ ...b, imports: "a" }] }, { first: [] }],
    where: ({ resource }) => resource === "BundleCopy",
  },
];
