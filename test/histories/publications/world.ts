import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { MemoryNotes } from "../../simulation/memoryNotes.ts";
import type { Content } from "./contents.ts";
import { Engine } from "./engine.ts";
import { Expectations } from "./expectations.ts";
import { Operation } from "./operation.ts";
import type { Place, Spot } from "./place.ts";
import {
  destinationOf,
  newestCopy,
  newResource,
  type Outcome,
  type Resource,
  resourceAt,
  type Run,
} from "./resource.ts";
import { Story } from "./story.ts";

/** From one run to the next, in milliseconds: longer than a removal may take that was announced, and shorter than drafts are kept. */
const RUNS_EVERY_MS = 20 * 60_000;
/** How a run says that something stays. */
const NAMES_WHAT_STAYS = / stays?\b|nothing (?:more )?is removed| is not removed/;

/** Several resources that publish at neighbouring places. */
export class World {
  readonly #story = new Story();
  readonly #place: Place;
  readonly #home: string;
  readonly #resources: readonly Resource[];
  readonly #engine: Engine;
  readonly #expectations: Expectations;
  readonly #foreign: { readonly name: string; readonly isThere: (isSettled: boolean) => boolean }[] = [];
  /** Of what somebody adds or changes, the next. */
  #number = 0;
  #nowMs = Date.parse("2026-01-01T00:00:00Z");

  constructor(
    place: Place,
    contents: readonly Content[],
    folder: string,
    resources: readonly { readonly spot: Spot; readonly variant: number }[],
  ) {
    this.#place = place;
    this.#home = mkdtempSync(join(folder, "home-"));
    this.#resources = resources.map(({ spot, variant }, index) => newResource(index, spot, variant));
    this.#engine = new Engine(place, contents, this.#home);
    this.#expectations = new Expectations(place, contents, this.#resources, this.#story);
    this.#story.add(
      ...this.#resources.map((each) => `${each.index}: ${JSON.stringify(destinationOf(place, each))}`),
    );
  }

  /** The results of runs, in a few words each. */
  get outcomes(): readonly string[] {
    return this.#expectations.outcomes;
  }

  /** Runs one after the other, or at the same time. @param choose which of them makes the next step */
  async run(runs: readonly Run[], choose?: () => number): Promise<void> {
    this.#place.settle?.();
    const startMs = (this.#nowMs += RUNS_EVERY_MS);
    const operations = runs.map(
      ({ kill, fault }) => new Operation(startMs, typeof kill === "number" ? kill : undefined, fault),
    );
    for (const each of operations) each.putLink = this.#place.putLink?.bind(this.#place);
    const work = async (operation: Operation): Promise<void> => {
      const run = runs[operations.indexOf(operation)];
      if (run) outcomes.set(run, await this.#engine.run(this.#resourceAt(run.resource), run, operation));
    };
    const outcomes = new Map<Run, Outcome>();
    if (choose && operations.length > 1) await Operation.together(operations, work, choose);
    else for (const operation of operations) await work(operation);
    const changed = this.#place.takeLinks?.() ?? [];
    if (changed.length > 0) this.#story.fail(`files elsewhere changed: ${changed.join(", ")}`);
    // a link in the way is in that of all
    const hadFault = [...outcomes.values()].some((each) => each.hadFault);
    const stopped = [...outcomes]
      .filter(([, { result }]) => result !== "green")
      .map(([{ resource }]) => resource);
    for (const [run, outcome] of outcomes) {
      const others = stopped
        .filter((each) => each !== run.resource)
        .map((each) => this.#resourceAt(each).urn);
      this.#expectations.note(
        this.#resourceAt(run.resource),
        run,
        { ...outcome, hadFault },
        runs.length > 1,
        others,
      );
    }
    this.#expectations.noteTaken([...outcomes]);
    if (runs.length > 1) this.#expectations.noteRace(runs);
    this.#check(false);
  }

  /** Somebody adds something of their own beside or in a copy. */
  addForeign(index: number): void {
    const resource = this.#resourceAt(index);
    const number = this.#number++;
    const isThere = this.#place.addForeign(
      number,
      destinationOf(this.#place, resource),
      newestCopy(resource),
    );
    this.#story.add(`- foreign ${number} at ${index}${isThere ? "" : ": not possible"}`);
    if (isThere) this.#foreign.push({ name: `foreign ${number}`, isThere });
  }

  /** The next runs are on another machine, with another `PULUMI_HOME`. */
  moveMachine(index: number): void {
    this.#resourceAt(index).notes = new MemoryNotes();
    this.#story.add(`- ${index} runs on another machine`);
  }

  /** Somebody changes a copy. */
  alter(index: number): void {
    const newest = newestCopy(this.#resourceAt(index));
    if (!newest || !this.#place.alter(this.#number++, newest)) return;
    this.#story.add(`- ${newest.uri} is changed by hand`);
    for (const each of this.#resources) {
      each.isSettled = false;
      each.needsRefresh = true;
    }
  }

  /** All is well again: every program runs once more, and then all is destroyed. */
  async end(order: readonly number[]): Promise<void> {
    const used = this.#resources.map((_, index) => index).filter((index) => this.#resourceAt(index).isUsed);
    const refused = new Set<number>();
    this.#story.add("- all is well again");
    for (const resource of used) {
      const { content, keep } = this.#resourceAt(resource);
      await this.run([{ resource, action: { kind: "refresh" } }]);
      await this.run([{ resource, action: { kind: "up", content, keep } }]);
      const { isSettled, isTaken, wasKilled, state } = this.#resourceAt(resource);
      const owner = this.#place.owner?.(destinationOf(this.#place, this.#resourceAt(resource)));
      const isAnothers = owner !== undefined && owner.owner !== state?.bookkeeping.owner;
      if (!isSettled && !isTaken && !isAnothers) this.#story.fail(`${resource} does not recover`);
      if (!isSettled && wasKilled) refused.add(resource);
    }
    this.#check(true);
    for (const resource of [...used].sort((one, other) => (order[one] ?? 0) - (order[other] ?? 0))) {
      await this.run([{ resource, action: { kind: "destroy" } }]);
    }
    // a replacement that was killed and not repeated is the next create's: nothing else can tell it from a resource in use
    // likewise a create that was killed, whose next create was refused
    for (const resource of used) {
      const { content, keep, hasKilledReplacement } = this.#resourceAt(resource);
      if (!hasKilledReplacement && !refused.has(resource)) continue;
      await this.run([{ resource, action: { kind: "up", content, keep } }]);
      await this.run([{ resource, action: { kind: "destroy" } }]);
    }
    const left = this.#place.left();
    const isNamed = this.#engine.warnings.some((line) => NAMES_WHAT_STAYS.test(line));
    if (left.length > 0 && !isNamed) this.#story.fail(`left after the last destroy: ${left.join(", ")}`);
  }

  close(): void {
    rmSync(this.#home, { recursive: true, force: true });
  }

  /** What every state says is true, and nothing of others is gone. @param isSettled whether all runs of killed ones were repeated */
  #check(isSettled: boolean): void {
    this.#expectations.check();
    for (const { name, isThere } of this.#foreign) {
      if (!isThere(isSettled)) this.#story.fail(`${name} is gone`);
    }
  }

  #resourceAt(index: number): Resource {
    return resourceAt(this.#resources, index);
  }
}
