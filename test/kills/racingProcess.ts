// A stack with one copy or kit, which lives on while another process does the same at the same place. Each line of its input is a
// `Turn` in JSON; it answers with a `Report` in JSON.
import { createInterface } from "node:readline";
import { systemClock } from "../../dist/provider/base/runtime/time/clock.js";
import { bundleCopy } from "../../dist/provider/copies/bundleCopy/lifeCycle.js";
import { airGapKit } from "../../dist/provider/kits/airGapKit/lifeCycle.js";
import { type LifeCycle, type StoredState, UnfinishedError } from "../../dist/provider/resource/lifeCycle.js";
import { realContext } from "../bench/realContext.ts";

/** What the process does next. */
export interface Turn {
  readonly action: "up" | "destroy" | "refresh";
  readonly resource: "BundleCopy" | "AirGapKit";
  /** As a program gives them. */
  readonly inputs: Readonly<Record<string, unknown>>;
}

/** What has happened, and what the state is now. */
export interface Report {
  readonly error?: string;
  /** Address of the newest item. Absent without a state. */
  readonly address?: string;
  readonly drifted?: string;
  readonly warnings: readonly string[];
}

const [, , urn = ""] = process.argv;
const KINDS = { BundleCopy: bundleCopy, AirGapKit: airGapKit } as unknown as Readonly<
  Record<Turn["resource"], LifeCycle<object, StoredState>>
>;
let state: StoredState | undefined;

async function act({ action, resource, inputs: given }: Turn): Promise<Report> {
  const warnings: string[] = [];
  const silent = (): undefined => undefined;
  const context = realContext({
    urn,
    // kits of the same content have the same name
    clock: { ...systemClock, now: () => Date.parse("2026-01-01T00:00:00Z") },
    reporter: { progress: silent, debug: silent, info: silent, warn: (line: string) => warnings.push(line) },
  });
  const kind = KINDS[resource];
  let error: string | undefined;
  try {
    if (action === "up") {
      const { inputs, failures } = kind.check(given, context.configuration);
      if (failures.length > 0) throw new Error(JSON.stringify(failures));
      state = state ? await kind.update(context, state, inputs) : await kind.create(context, inputs);
    } else if (state && action === "refresh") {
      state = (await kind.read(context, state))?.state;
    } else if (state) {
      await kind.remove(context, state);
      state = undefined;
    }
  } catch (caught) {
    error = String(caught);
    if (caught instanceof UnfinishedError) state = caught.state as StoredState;
  }
  const { uri, path } = (state?.outputs ?? {}) as { uri?: string; path?: string };
  const { drifted } = (state?.bookkeeping ?? {}) as { drifted?: string };
  return {
    ...(error !== undefined && { error }),
    ...(state && { address: uri ?? path ?? "" }),
    ...(drifted !== undefined && { drifted }),
    warnings,
  };
}

for await (const line of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(await act(JSON.parse(line) as Turn)));
}
