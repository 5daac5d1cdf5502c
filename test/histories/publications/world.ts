import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DocsHostingError } from "../../../provider/base/runtime/messages/errors.ts";
import type { CheckedCopyInputs } from "../../../provider/copies/bundleCopy/inputs.ts";
import { bundleCopy } from "../../../provider/copies/bundleCopy/lifeCycle.ts";
import type { BundleCopyState } from "../../../provider/copies/bundleCopy/state.ts";
import type { PublicationContext } from "../../../provider/copies/publication/context.ts";
import type { Copy } from "../../../provider/publishing/destinations/destination.ts";
import { UnfinishedError } from "../../../provider/resource/lifeCycle.ts";
import { MemoryNotes } from "../../simulation/memoryNotes.ts";
import { recordingReporter } from "../../simulation/recordingReporter.ts";
import { testContext } from "../../simulation/testContext.ts";
import type { Content } from "./contents.ts";
import type { Fault } from "./faults.ts";
import { Operation } from "./operation.ts";
import type { Place, Spot } from "./place.ts";

/** What a run does with a resource. */
export type Action =
  /** @param content the same as before, if it is absent */
  | { readonly kind: "up"; readonly content?: number; readonly keep: number; readonly takeOver?: boolean }
  /** `pulumi up --replace`: the old resource is deleted after its successor was made. */
  | { readonly kind: "replace" }
  /** The program names another spelling of the destination, or another variant of it. */
  | { readonly kind: "move"; readonly variant: number }
  | { readonly kind: "refresh" }
  | { readonly kind: "destroy" };

/** A run of one resource. */
export interface Run {
  readonly resource: number;
  readonly action: Action;
  /** The step at which it is killed. `"answer"`: when all is done, and the engine has stored nothing. */
  readonly kill?: number | "answer" | undefined;
  readonly fault?: Fault | undefined;
}

/** A resource of a stack. */
interface Resource {
  readonly urn: string;
  readonly spot: Spot;
  notes: MemoryNotes;
  variant: number;
  content: number;
  keep: number;
  takeOver: boolean;
  state: BundleCopyState | undefined;
  /** Replaced, and deleted after the next successful run. */
  pending: BundleCopyState[];
  /** Whether the newest copy of the state must be there. */
  isSettled: boolean;
  /** Only a refresh can tell what happened to its copy. */
  needsRefresh: boolean;
  /** A run has named the owner who took the pointer. */
  isTaken: boolean;
  /** It was published at the same time as another one at the same pointer. */
  hasRaced: boolean;
  /** A removal has named it as incomplete. */
  isIncomplete: boolean;
  hasKilledReplacement: boolean;
  /** Something may be left of a run that was killed or failed. */
  wasKilled: boolean;
  /** A killed run may have removed copies that the state has, and no run of the provider has followed. */
  isUntouched: boolean;
}

/** The result of a run. */
interface Outcome {
  readonly result: "green" | "failed" | "killed";
  readonly error?: Error | undefined;
  readonly published: boolean;
  readonly lines: readonly string[];
  readonly hadFault: boolean;
}

/** How a run may fail that met another one. */
const MET_ANOTHER = /was removed by somebody else while|was written by somebody else at the same time/;
/** How a run is refused beside a removal that does not end: for as long as that may go on elsewhere. Later runs are not. */
const MET_REMOVAL = / is being removed by urn:\S+ .*, for more than /;
/** How a run says that something stays. */
const NAMES_WHAT_STAYS = / stays?\b|nothing is removed| is not removed/;
/** How a run fails at a place of another resource. */
const REFUSED = / belongs to urn:| names an image that this resource did not publish/;

/** From one run to the next, in milliseconds: longer than a removal may take that was announced, and shorter than drafts are kept. */
const RUNS_EVERY_MS = 20 * 60_000;

/** Several resources that publish at neighbouring places. */
export class World {
  readonly story: string[] = [];
  /** The results of runs, in a few words each. */
  readonly outcomes: string[] = [];
  readonly #place: Place;
  readonly #contents: readonly Content[];
  readonly #home: string;
  readonly #resources: readonly Resource[];
  readonly #foreign: { readonly name: string; readonly isThere: (isSettled: boolean) => boolean }[] = [];
  /** Texts of resources that were replaced or deleted: what their runs say about others. */
  #number = 0;
  #nowMs = Date.parse("2026-01-01T00:00:00Z");

  constructor(
    place: Place,
    contents: readonly Content[],
    folder: string,
    resources: readonly { readonly spot: Spot; readonly variant: number }[],
  ) {
    this.#place = place;
    this.#contents = contents;
    this.#home = mkdtempSync(join(folder, "home-"));
    this.#resources = resources.map(({ spot, variant }, index) => ({
      // two stacks
      urn: `urn:pulumi:stack-${index % 2}::website::pulumi-nodejs:dynamic/docs-hosting:BundleCopy::docs-${index}`,
      spot,
      notes: new MemoryNotes(),
      variant,
      content: 0,
      keep: 1,
      takeOver: false,
      state: undefined,
      pending: [],
      isSettled: false,
      needsRefresh: false,
      isTaken: false,
      hasRaced: false,
      isIncomplete: false,
      hasKilledReplacement: false,
      wasKilled: false,
      isUntouched: false,
    }));
    this.story.push(
      ...this.#resources.map((each, index) => `${index}: ${JSON.stringify(this.#destination(each))}`),
    );
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
      if (run) outcomes.set(run, await this.#carryOut(run, operation));
    };
    const outcomes = new Map<Run, Outcome>();
    if (choose && operations.length > 1) await Operation.together(operations, work, choose);
    else for (const operation of operations) await work(operation);
    const changed = this.#place.takeLinks?.() ?? [];
    if (changed.length > 0) this.#fail(`files elsewhere changed: ${changed.join(", ")}`);
    // a link in the way is in that of all
    const hadFault = [...outcomes.values()].some((each) => each.hadFault);
    const stopped = [...outcomes]
      .filter(([, { result }]) => result !== "green")
      .map(([{ resource }]) => resource);
    for (const [run, outcome] of outcomes) {
      const others = stopped
        .filter((each) => each !== run.resource)
        .map((each) => this.#resourceAt(each).urn);
      this.#note(run, { ...outcome, hadFault }, runs.length > 1, others);
    }
    this.#noteTaken([...outcomes]);
    if (runs.length > 1) this.#noteRace(runs);
    this.check();
  }

  /** Somebody adds something of their own beside or in a copy. */
  addForeign(index: number): void {
    const resource = this.#resourceAt(index);
    const number = this.#number++;
    const isThere = this.#place.addForeign(number, this.#destination(resource), this.#newest(resource));
    this.story.push(`- foreign ${number} at ${index}${isThere ? "" : ": not possible"}`);
    if (isThere) this.#foreign.push({ name: `foreign ${number}`, isThere });
  }

  /** The next runs are on another machine, with another `PULUMI_HOME`. */
  moveMachine(index: number): void {
    this.#resourceAt(index).notes = new MemoryNotes();
    this.story.push(`- ${index} runs on another machine`);
  }

  /** Somebody changes a copy. */
  alter(index: number): void {
    const newest = this.#newest(this.#resourceAt(index));
    if (!newest || !this.#place.alter(this.#number++, newest)) return;
    this.story.push(`- ${newest.uri} is changed by hand`);
    for (const each of this.#resources) {
      each.isSettled = false;
      each.needsRefresh = true;
    }
  }

  /** All is well again: every program runs once more, and then all is destroyed. */
  async end(order: readonly number[]): Promise<void> {
    const used = this.#resources.map((_, index) => index).filter((index) => this.#isUsed[index]);
    const refused = new Set<number>();
    this.story.push("- all is well again");
    for (const resource of used) {
      const { content, keep } = this.#resourceAt(resource);
      await this.run([{ resource, action: { kind: "refresh" } }]);
      await this.run([{ resource, action: { kind: "up", content, keep } }]);
      const { isSettled, isTaken, wasKilled, state } = this.#resourceAt(resource);
      const owner = this.#place.owner?.(this.#destination(this.#resourceAt(resource)));
      const isAnothers = owner !== undefined && owner.owner !== state?.bookkeeping.owner;
      if (!isSettled && !isTaken && !isAnothers) this.#fail(`${resource} does not recover`);
      if (!isSettled && wasKilled) refused.add(resource);
    }
    this.check(true);
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
    const isNamed = this.#warnings.some((line) => NAMES_WHAT_STAYS.test(line));
    if (left.length > 0 && !isNamed) this.#fail(`left after the last destroy: ${left.join(", ")}`);
  }

  close(): void {
    rmSync(this.#home, { recursive: true, force: true });
  }

  readonly #isUsed: boolean[] = [];
  #hadFaults = false;
  /** What runs said since the first fault. */
  readonly #warnings: string[] = [];
  /** What a replacement would have replaced that was made in part. */
  readonly #replacedBy = new WeakMap<UnfinishedError<unknown>, BundleCopyState>();

  async #carryOut({ resource: index, action, kill }: Run, operation: Operation): Promise<Outcome> {
    const resource = this.#resourceAt(index);
    const reporter = recordingReporter();
    const context = this.#context(resource, operation, reporter);
    this.#isUsed[index] = true;
    const before = this.#newest(resource)?.uri;
    let store = (): void => undefined;
    let result: Outcome["result"] = "killed";
    let error: Error | undefined;
    let published = false;
    try {
      const done = await operation.run(() => this.#act(resource, action, context));
      if (done) {
        store = done.value;
        if (kill !== "answer") result = "green";
      }
    } catch (caught) {
      error = caught as Error;
      if (kill !== "answer") result = "failed";
      if (caught instanceof UnfinishedError && kill !== "answer") {
        // the engine stores a replacement in part, too, and deletes what it replaces in the next run
        const replaced = this.#replacedBy.get(caught);
        if (replaced) resource.pending.push(replaced);
        resource.state = plain(caught.state as BundleCopyState);
      }
    }
    if (result === "green") {
      store();
      published = this.#newest(resource)?.uri !== before || reporter.lines.info.some((line) => line !== "");
    }
    // with the run, its process ends
    if (result === "killed" || operation.hadFault) this.#place.killed(operation);
    if (result === "killed") resource.notes.processKilled();
    else resource.notes.operationEnded();
    const lines = [...reporter.lines.info, ...reporter.lines.warn];
    this.#hadFaults ||= operation.hadFault;
    if (this.#hadFaults) this.#warnings.push(...reporter.lines.warn);
    return { result, error, published, lines, hadFault: operation.hadFault };
  }

  /** @returns how its result is stored */
  async #act(resource: Resource, action: Action, context: PublicationContext): Promise<() => void> {
    const { state } = resource;
    if (action.kind === "refresh") {
      if (!state) return () => undefined;
      const found = await bundleCopy.read(context, state);
      return () => (resource.state = found && plain(found.state));
    }
    if (action.kind === "destroy") {
      for (const each of [...resource.pending, ...(state ? [state] : [])]) {
        await bundleCopy.remove(context, each);
      }
      return () => Object.assign(resource, { state: undefined, pending: [] });
    }
    if (action.kind === "up") {
      resource.content = action.content ?? resource.content;
      resource.keep = action.keep;
      resource.takeOver = action.takeOver ?? false;
    }
    // nobody finds what a killed run left at a place that the program does not name any more
    if (action.kind === "move" && resource.isSettled) resource.variant = action.variant;
    const inputs = this.#inputs(resource, context);
    const { changed, replaces, hidden } = state
      ? bundleCopy.diff(inputs, state, { name: "build-agent", nowMs: context.clock.now() })
      : { changed: [], replaces: [], hidden: false };
    const isReplaced = state !== undefined && (action.kind === "replace" || replaces.length > 0);
    const isUnfinished = state?.bookkeeping.drifted === "partial";
    const isSame = state !== undefined && !isReplaced && changed.length === 0 && !hidden && !isUnfinished;
    let made = state;
    if (!isSame) {
      resource.isUntouched = false;
      made = plain(
        state && !isReplaced
          ? await bundleCopy.update(context, state, inputs)
          : await bundleCopy.create(context, inputs).catch((failure: unknown) => {
              if (isReplaced && failure instanceof UnfinishedError) this.#replacedBy.set(failure, state);
              throw failure;
            }),
      );
      if (isReplaced || resource.pending.length > 0) {
        // the engine stores it before it deletes what was replaced
        if (isReplaced) resource.pending.push(state);
        resource.state = made;
        resource.notes.operationEnded();
      }
    }
    for (const each of resource.pending) await bundleCopy.remove(context, each);
    return () => Object.assign(resource, { state: made, pending: [] });
  }

  /** @param stopped the URNs of other resources whose run of the same time was killed or failed */
  #note(
    { resource: index, action, kill, fault }: Run,
    outcome: Outcome,
    isTogether: boolean,
    stopped: readonly string[],
  ): void {
    const resource = this.#resourceAt(index);
    const { result, error, lines, hadFault } = outcome;
    const name = `${action.kind} ${JSON.stringify({ ...action, kind: undefined, kill, fault })}`;
    this.outcomes.push(
      `${action.kind} ${isTogether ? "together " : ""}${result}${hadFault ? ` in spite of ${String(fault?.kind)}` : ""}`,
    );
    this.story.push(
      `- ${index}: ${name}${isTogether ? " (together)" : ""}: ${result}${error === undefined ? "" : ` ${String(error)}`}`,
      ...lines.map((line) => `    | ${line}`),
      `    copies: ${JSON.stringify(resource.state?.bookkeeping.copies.map(({ copy }) => copy.uri))} ${resource.state?.bookkeeping.drifted ?? ""}`,
    );
    const isExplained = error instanceof DocsHostingError || error instanceof UnfinishedError;
    if (hadFault && result === "failed") {
      if (!isExplained) {
        this.#fail(`${index} fails without an explanation: ${String(error)}\n${error?.stack ?? ""}`);
      }
    } else if (result === "failed" && REFUSED.test(String(error))) {
      const owner = this.#place.owner?.(this.#destination(resource));
      if (!isTogether && owner !== undefined && owner.owner === resource.state?.bookkeeping.owner) {
        this.#fail(`${index} is refused at its own place: ${String(error)}`);
      }
      Object.assign(resource, { isSettled: false, isTaken: resource.state !== undefined });
      return;
    }
    const text = String(error);
    const metRemoval = MET_REMOVAL.test(text) && stopped.some((urn) => text.includes(urn));
    const hasMet = isTogether && (MET_ANOTHER.test(text) || metRemoval);
    if (result === "failed" && !hadFault && !hasMet) {
      this.#fail(`${index} fails: ${String(error)}\n${error?.stack ?? ""}`);
    }
    if (result === "green") {
      if (action.kind === "refresh") Object.assign(resource, { needsRefresh: false, isUntouched: false });
      else if (action.kind === "destroy") {
        Object.assign(resource, { isSettled: false, needsRefresh: false, isTaken: false });
      } else if (!resource.needsRefresh && !resource.isUntouched) resource.isSettled = true;
    } else if (action.kind !== "refresh") {
      // it may have taken the place over, and nobody has heard of it
      for (const each of this.#resources) {
        if (each !== resource && this.#place.owner?.(this.#destination(each))?.urn === resource.urn) {
          each.isTaken = true;
        }
      }
      Object.assign(resource, { isSettled: false, isUntouched: true, wasKilled: true });
      if (action.kind === "replace" || action.kind === "move") resource.hasKilledReplacement = true;
      if (action.kind === "destroy" || resource.pending.length > 0) resource.needsRefresh = true;
    }
  }

  /** Who has lost the pointer, and which run said so. */
  #noteTaken(outcomes: readonly [Run, Outcome][]): void {
    for (const [{ resource, action }, { result }] of outcomes) {
      const own = this.#resourceAt(resource);
      const newest = this.#newest(own);
      if (result !== "green" || action.kind === "refresh" || !newest) continue;
      if (this.#place.owner?.(this.#destination(own))?.owner === own.state?.bookkeeping.owner) {
        own.isTaken = false;
      }
      if (!this.#place.owner && this.#place.pointer(this.#destination(own)) === this.#place.nameOf(newest)) {
        Object.assign(own, {
          isTaken: false,
          isIncomplete: false,
          ...(outcomes.length === 1 && { hasRaced: false }),
        });
      }
    }
    for (const [{ resource }, { lines }] of outcomes) {
      // a removal names the owner of a place, who loses nothing
      const text = lines
        .filter((line) => /is taken over/.test(line) || !/^nothing is removed from|belongs to/.test(line))
        .join("\n");
      for (const other of this.#resources) {
        if (!text.includes(other.urn)) continue;
        other.isTaken = true;
        other.isIncomplete ||= lines.some((line) => /is now without/.test(line) && line.includes(other.urn));
        this.#resourceAt(resource).isTaken ||= outcomes.some(
          ([run]) => this.#resourceAt(run.resource) === other,
        );
      }
    }
  }

  /** Of two runs that publish at once, the one that moved the pointer first may not know of the other. */
  #noteRace(runs: readonly Run[]): void {
    const publishing = runs
      .filter(({ action }) => action.kind !== "refresh" && action.kind !== "destroy")
      .map(({ resource }) => this.#resourceAt(resource));
    const keys = publishing.map((each) => this.#place.pointerKey(this.#destination(each)));
    for (const [index, each] of publishing.entries()) {
      const newest = this.#newest(each);
      const isShared = keys.some((key, other) => other !== index && key === keys[index]);
      if (isShared) each.hasRaced = true;
      if (!isShared || !newest) continue;
      if (this.#place.pointer(this.#destination(each)) !== this.#place.nameOf(newest)) each.isTaken = true;
    }
  }

  /** What every state says is true, and nothing of others is gone. @param isSettled whether all runs of killed ones were repeated */
  check(isSettled = false): void {
    this.#resources.forEach((resource, index) => {
      const newest = this.#newest(resource);
      const owner = resource.state?.bookkeeping.owner;
      if (!resource.isSettled || !newest || owner === undefined) return;
      const destination = this.#destination(resource);
      if (this.#place.owner && resource.isTaken) return; // the owner has what is there
      const content = this.#contents[resource.content];
      // a killed replacement may have taken the place over, which the next one to write finds by the records of its machine
      const marked = this.#place.owner?.(destination);
      const isReplacement = resource.hasKilledReplacement && marked?.urn === resource.urn;
      const missing =
        content && this.#place.missing(newest, content, isReplacement ? marked.owner : owner, destination);
      if (missing !== undefined) this.#fail(`${index} has lost its copy: ${missing}`);
      const pointer = this.#place.pointer(destination);
      if (pointer === "no pointer") return;
      if (!resource.isTaken && pointer !== this.#place.nameOf(newest)) {
        this.#fail(`${index} has lost its pointer to ${String(pointer)}, and nobody said it`);
      }
      // given to the next owner when its owner leaves. A tag that a program no longer names stays at its copy
      const isQuiet = (each: Resource, at: number): boolean =>
        each.isSettled || !this.#isUsed[at] || (each.state === undefined && !each.wasKilled);
      const isNamed = this.#resources.some((each) => each.hasRaced && each.isIncomplete);
      if (this.#resources.every(isQuiet) && !isNamed) {
        const copies = this.#resources.flatMap((each) => this.#copies(each));
        const names = copies.map((copy) => this.#place.nameOf(copy));
        if (pointer === undefined || !names.includes(pointer)) {
          this.#fail(`the pointer of ${index} leads to ${String(pointer)}: to no copy that anybody has`);
        }
      }
    });
    for (const { name, isThere } of this.#foreign) if (!isThere(isSettled)) this.#fail(`${name} is gone`);
  }

  #copies({ state }: Resource): Copy[] {
    return (state?.bookkeeping.copies ?? []).map(({ copy }) => copy);
  }

  #newest(resource: Resource): Copy | undefined {
    return this.#copies(resource)[0];
  }

  #destination({ spot, variant }: Resource): Readonly<Record<string, unknown>> {
    return this.#place.destination(spot, variant);
  }

  #inputs(resource: Resource, context: PublicationContext): CheckedCopyInputs {
    const content = this.#contents[resource.content];
    if (!content) throw new Error("there is no such content");
    const { file, version, fileSha256 } = content;
    const { inputs, failures } = bundleCopy.check(
      {
        source: { file, version, fileSha256 },
        destination: this.#destination(resource),
        keep: resource.keep,
        takeOver: resource.takeOver,
      },
      context.configuration,
    );
    if (failures.length > 0) throw new Error(`the history has wrong inputs: ${JSON.stringify(failures)}`);
    return plain(inputs);
  }

  #context(
    { urn, notes }: Resource,
    { clock }: Operation,
    reporter: ReturnType<typeof recordingReporter>,
  ): PublicationContext {
    return testContext({
      fetch: this.#place.fetch,
      clock,
      reporter,
      urn,
      publicationRecords: notes,
      configuration: {
        environment: (name) => (name === "PULUMI_HOME" ? this.#home : this.#place.environment[name]),
        stackConfig: () => undefined,
      },
    });
  }

  #resourceAt(index: number): Resource {
    const found = this.#resources[index];
    if (!found) throw new Error("there is no such resource");
    return found;
  }

  #fail(problem: string): never {
    throw new Error(`${problem}\n${this.story.join("\n")}`);
  }
}

/** The host accepts only JSON, and so does the state. */
function plain<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}
