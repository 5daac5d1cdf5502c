import { isDeepStrictEqual } from "node:util";
import type { Context } from "../../provider/resource/context.ts";
import type { Decision } from "../../provider/resource/decision.ts";
import { UnfinishedError } from "../../provider/resource/lifeCycle.ts";
import type { CheckedExportInputs, StaticExportInputs } from "../../provider/staticExport/inputs.ts";
import { staticExport } from "../../provider/staticExport/lifeCycle.ts";
import type { StaticExportState } from "../../provider/staticExport/state.ts";

/** A resource as in Pulumi's state. */
export interface StoredResource {
  readonly inputs: CheckedExportInputs;
  readonly state: StaticExportState;
  readonly initErrors: readonly string[];
}

/** The plan of an `up` for the resource. */
export interface Step {
  readonly op: "create" | "same" | "update" | "replace";
  readonly inputs: CheckedExportInputs;
  readonly decision?: Decision;
  /** The outputs in the preview; nothing where nothing is done. */
  readonly predicted: Readonly<Record<string, unknown>>;
}

/** The result of an operation; `undefined` when the process died. */
export type Outcome = { result: "success" } | { result: "failed"; error: Error };

/**
 * Pulumi's engine and the adapter (`provider/dynamic.ts`) around the life cycle of one resource, as the engine of
 * `test/engine/local` does it, without processes: all results of an operation are passed through JSON.
 */
export class EngineModel {
  resource: StoredResource | undefined;
  /** Replaced, and deleted at the end of the next successful operation. */
  pendingDeletion: StoredResource[] = [];

  /** Check and diff: all that a preview calls. */
  plan(program: StaticExportInputs, context: Context): Step {
    const { inputs: checked, failures } = staticExport.check({ ...program }, context.configuration);
    if (failures.length > 0) throw new Error(`the history has wrong inputs: ${JSON.stringify(failures)}`);
    const inputs = plain(checked);
    const old = this.resource;
    const machine = { name: context.machine, nowMs: context.clock.now() };
    const predicted = staticExport.predict(inputs, undefined, machine);
    if (!old) return { op: "create", inputs, predicted };
    const { changed, replaces, hidden, decision } = staticExport.diff(inputs, old.state, machine);
    // the adapter leaves it open where inputs changed, and the engine compares them itself
    const isChanged = hidden || (changed.length > 0 && !isDeepStrictEqual(old.inputs, inputs));
    if (isChanged && replaces.length > 0) return { op: "replace", inputs, decision, predicted };
    // an unfinished earlier attempt is tried again, regardless of the diff
    const op = isChanged || old.initErrors.length > 0 ? "update" : "same";
    const isDone = op === "update";
    return {
      op,
      inputs,
      decision,
      predicted: isDone ? staticExport.predict(inputs, old.state, machine) : {},
    };
  }

  /** The part of an `up` that runs in the provider's process. Stores nothing. */
  async carryOut({ op, inputs }: Step, context: Context, limitMs: number): Promise<StaticExportState> {
    const old = this.resource;
    const work =
      op === "update" && old
        ? staticExport.update(context, old.state, inputs, limitMs)
        : staticExport.create(context, inputs, limitMs);
    return plain(await work);
  }

  async storeSuccess({ op, inputs }: Step, state: StaticExportState, context: Context): Promise<void> {
    const old = this.resource;
    this.resource = { inputs, state, initErrors: [] };
    if (op === "replace" && old) this.pendingDeletion.push(old);
    await this.deletePending(context);
  }

  storeFailure({ op, inputs }: Step, error: unknown): void {
    if (!(error instanceof UnfinishedError)) return;
    const old = this.resource;
    if (op === "replace" && old) this.pendingDeletion.push(old);
    this.resource = {
      // the existing resource was not made from the new inputs: the next diff must see them
      inputs: op === "update" && old ? old.inputs : inputs,
      state: plain(error.state as StaticExportState),
      initErrors: [error.message],
    };
  }

  storeRefreshed(state: StaticExportState | undefined): void {
    this.resource = state &&
      this.resource && { inputs: this.resource.inputs, state: plain(state), initErrors: [] };
  }

  async deletePending(context: Context): Promise<void> {
    for (const { state } of this.pendingDeletion.splice(0)) await staticExport.remove(context, state);
  }

  async destroy(context: Context): Promise<void> {
    await this.deletePending(context);
    if (this.resource) await staticExport.remove(context, this.resource.state);
    this.resource = undefined;
  }
}

/** The host accepts only JSON, and so does the state. */
function plain<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}
