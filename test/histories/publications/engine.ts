import type { CheckedCopyInputs } from "../../../provider/copies/bundleCopy/inputs.ts";
import { bundleCopy } from "../../../provider/copies/bundleCopy/lifeCycle.ts";
import type { BundleCopyState } from "../../../provider/copies/bundleCopy/state.ts";
import type { PublicationContext } from "../../../provider/copies/publication/context.ts";
import { UnfinishedError } from "../../../provider/resource/lifeCycle.ts";
import { recordingReporter } from "../../simulation/recordingReporter.ts";
import { testContext } from "../../simulation/testContext.ts";
import type { Content } from "./contents.ts";
import type { Operation } from "./operation.ts";
import type { Place } from "./place.ts";
import { type Action, destinationOf, newestCopy, type Outcome, type Resource, type Run } from "./resource.ts";

/** Runs life cycles as Pulumi's engine does: what it asks for, what it stores, and when. */
export class Engine {
  /** What runs said since the first fault. */
  readonly warnings: string[] = [];
  #hadFaults = false;
  /** What a replacement would have replaced that was made in part. */
  readonly #replacedBy = new WeakMap<UnfinishedError<unknown>, BundleCopyState>();
  readonly #place: Place;
  readonly #contents: readonly Content[];
  readonly #home: string;

  constructor(place: Place, contents: readonly Content[], home: string) {
    this.#place = place;
    this.#contents = contents;
    this.#home = home;
  }

  /** Carries out a run, and stores its result as the engine does. */
  async run(resource: Resource, { action, kill }: Run, operation: Operation): Promise<Outcome> {
    const reporter = recordingReporter();
    const context = this.#context(resource, operation, reporter);
    resource.isUsed = true;
    const before = newestCopy(resource)?.uri;
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
      published = newestCopy(resource)?.uri !== before || reporter.lines.info.some((line) => line !== "");
    }
    // with the run, its process ends
    if (result === "killed" || operation.hadFault) this.#place.killed(operation);
    if (result === "killed") resource.notes.processKilled();
    else resource.notes.operationEnded();
    const lines = [...reporter.lines.info, ...reporter.lines.warn];
    this.#hadFaults ||= operation.hadFault;
    if (this.#hadFaults) this.warnings.push(...reporter.lines.warn);
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

  #inputs(resource: Resource, context: PublicationContext): CheckedCopyInputs {
    const content = this.#contents[resource.content];
    if (!content) throw new Error("there is no such content");
    const { file, version, fileSha256 } = content;
    const { inputs, failures } = bundleCopy.check(
      {
        source: { file, version, fileSha256 },
        destination: destinationOf(this.#place, resource),
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
}

/** The host accepts only JSON, and so does the state. */
function plain<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}
