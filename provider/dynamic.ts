/**
 * The door between Pulumi's dynamic-provider process and the life cycle behind it. It only translates: hidden
 * properties (`__…`) in and out, partial results into what the host understands.
 *
 * FROZEN: states written by every earlier version require this entry by name and take `StaticExport` from it. Its
 * methods must go on understanding all that earlier versions stored.
 */
import { hostname } from "node:os";
import nodeFetch from "node-fetch";
import { watchForCancel } from "./cancellation";
import { systemClock } from "./clock";
import type { ConfigurationSource } from "./configuration";
import type { Context } from "./context";
import { decisionLine } from "./decision";
import { parseDuration } from "./duration";
import { engineReporter } from "./engineLog";
import { CancelledError } from "./errors";
import { recordFolder, ResumeFolder } from "./resumeRecords";
import * as staticExport from "./staticExport";
import type { CheckedInputs, CheckFailure } from "./staticExportInputs";
import type { Bookkeeping, StaticExportOutputs, StaticExportState } from "./staticExportState";
import { isUnknown } from "./unknown";

type Properties = Record<string, unknown>;

/** The stack's configuration, as the host hands it to `configure`. Other calls do not wait for it: stored at once. */
let stackConfig: { get(name: string): string | undefined } | undefined;

const configuration: ConfigurationSource = {
  environment: (name) => process.env[name],
  stackConfig: (name) => stackConfig?.get(name),
};

/** Started jobs that the state may not have yet. */
const resumeRecords = new ResumeFolder(
  () => recordFolder((name) => process.env[name]),
  () => systemClock.now(),
);

/** Operations that Ctrl-C stops. */
const inFlight = new Set<AbortController>();
/** What a call gets that arrives after Ctrl-C: it was already on its way. */
let cancelled: CancelledError | undefined;
/** Something was under way when Ctrl-C came: after a second one, Pulumi stores nothing of what was returned since. */
let wasCutOff = false;

/** The provider of `pulumi-nodejs:dynamic/docs-hosting:StaticExport`, as `ResourceProvider` of @pulumi/pulumi/dynamic. */
export const StaticExport = {
  configure(request: { config: { get(name: string): string | undefined } }): Promise<void> {
    stackConfig = request.config;
    return Promise.resolve();
  },

  check(_olds: Properties, news: Properties): Promise<{ inputs: Properties; failures: CheckFailure[] }> {
    const { visible, hidden } = split(news);
    const { inputs, failures } = staticExport.check(visible, configuration);
    failures.push(...checkTimeouts(hidden["__timeouts"]));
    return Promise.resolve({ inputs: plain({ ...inputs, ...hidden }), failures });
  },

  diff(_id: string, olds: Properties, news: Properties): Promise<{ changes?: boolean; replaces?: string[] }> {
    const { changed, replaces, hidden, decision } = staticExport.diff(inputsOf(news), stateOf(olds), {
      name: hostname(),
      nowMs: systemClock.now(),
    });
    const reporter = engineReporter(urnOf(news), systemClock);
    reporter.info(decisionLine(decision));
    if (hidden) return Promise.resolve({ changes: true, replaces });
    // left open where inputs changed: the engine then compares them itself, shows them and obeys ignoreChanges
    return Promise.resolve(changed.length === 0 ? { changes: false } : { replaces });
  },

  async create(inputs: Properties): Promise<{ id: string; outs: Properties }> {
    const state = await operation(inputs, (context) =>
      partial(inputsOf(inputs).domain, inputs, () =>
        staticExport.create(context, inputsOf(inputs), limitMs(inputs, "create")),
      ),
    );
    return { id: state.outputs.domain, outs: outputsOf(state, inputs) };
  },

  async read(id: string, props: Properties): Promise<{ id: string; props: Properties }> {
    const state = await operation(props, (context) =>
      "__bookkeeping" in props
        ? staticExport.read(context, stateOf(props))
        : staticExport.lookUp(context, id, visibleOf(props)),
    ).catch(shortStack);
    return state ? { id, props: outputsOf(state, props) } : { id: "", props: {} };
  },

  async update(id: string, olds: Properties, news: Properties): Promise<{ outs: Properties }> {
    const state = await operation(news, (context) =>
      partial(id, news, () =>
        staticExport.update(context, stateOf(olds), inputsOf(news), limitMs(news, "update")),
      ),
    );
    return { outs: outputsOf(state, news) };
  },

  delete(_id: string, props: Properties): Promise<void> {
    const urn = urnOf(props);
    staticExport.remove({ resumeRecords, ...(urn !== undefined && { urn }) }, stateOf(props));
    return Promise.resolve();
  },
};

/** Runs what takes its time: with progress on the resource's row, and so that Ctrl-C stops it. */
async function operation<T>(properties: Properties, run: (context: Context) => Promise<T>): Promise<T> {
  watchForCancel(onCancel);
  const stop = new AbortController();
  const urn = urnOf(properties);
  const reporter = engineReporter(urn, systemClock);
  inFlight.add(stop);
  if (cancelled) {
    stop.abort(cancelled);
    wasCutOff = true;
  }
  try {
    return await run({
      configuration,
      fetch: nodeFetch,
      clock: systemClock,
      reporter,
      resumeRecords,
      ...(urn !== undefined && { urn }),
      machine: hostname(),
      inFlight: () => inFlight.size,
      signal: stop.signal,
    });
  } finally {
    inFlight.delete(stop);
    reporter.close();
  }
}

/** Also called at the normal end of every operation of the engine, after which this process gets no other call. */
function onCancel(): void {
  cancelled = new CancelledError("the run was cancelled", "");
  wasCutOff ||= inFlight.size > 0;
  for (const stop of inFlight) stop.abort(cancelled);
  if (!wasCutOff) resumeRecords.operationEnded();
}

/**
 * Turns an unfinished export into what the host saves as a resource with init errors. The host does not add `__provider`
 * to it, without which nothing could be done with the resource any more.
 */
async function partial(
  id: string,
  given: Properties,
  operation: () => Promise<StaticExportState>,
): Promise<StaticExportState> {
  try {
    return await operation();
  } catch (error) {
    if (!(error instanceof staticExport.UnfinishedExportError)) return shortStack(error);
    const { message, state } = error;
    // eslint-disable-next-line @typescript-eslint/only-throw-error -- the host's own form for this
    throw {
      id,
      properties: { ...outputsOf(state, given), __provider: given["__provider"] },
      reasons: [message],
      message,
    };
  }
}

/** The host prints the stack of some errors: to a user it says nothing. */
function shortStack(error: unknown): never {
  if (error instanceof Error) error.stack = "(pulumi-docs-hosting)";
  throw error;
}

function inputsOf(properties: Properties): CheckedInputs {
  return visibleOf(properties) as unknown as CheckedInputs;
}

function stateOf(properties: Properties): StaticExportState {
  const { visible, hidden } = split(properties);
  const bookkeeping = hidden["__bookkeeping"] as Bookkeeping | undefined;
  return { outputs: visible as unknown as StaticExportOutputs, bookkeeping: bookkeeping ?? { given: [] } };
}

/** @param given what the operation was called with: has the URN, which `delete` and `read` get from the outputs only */
function outputsOf({ outputs, bookkeeping }: StaticExportState, given: Properties): Properties {
  return plain({ ...outputs, __bookkeeping: bookkeeping, __urn: given["__urn"] });
}

function urnOf(properties: Properties): string | undefined {
  const urn = properties["__urn"];
  return typeof urn === "string" && !isUnknown(urn) ? urn : undefined;
}

function visibleOf(properties: Properties): Properties {
  return split(properties).visible;
}

function split(properties: Properties): { visible: Properties; hidden: Properties } {
  const isHidden = ([name]: [string, unknown]): boolean => name.startsWith("__");
  const entries = Object.entries(properties);
  return {
    visible: Object.fromEntries(entries.filter((entry) => !isHidden(entry))),
    hidden: Object.fromEntries(entries.filter(isHidden)),
  };
}

/** The host takes JSON only: `undefined` makes it fail. */
function plain(properties: Properties): Properties {
  return JSON.parse(JSON.stringify(properties)) as Properties;
}

function checkTimeouts(timeouts: unknown): CheckFailure[] {
  if (timeouts === undefined || isUnknown(timeouts)) return [];
  return Object.entries(timeouts as Properties)
    .filter(([, text]) => typeof text !== "string" || parseDuration(text) === undefined)
    .map(([name, text]) => ({
      property: "customTimeouts",
      reason: `${name} is ${JSON.stringify(text)}, not a duration; write it like "90s", "30m" or "1h30m"`,
    }));
}

function limitMs(properties: Properties, operation: "create" | "update"): number | undefined {
  const timeouts = properties["__timeouts"] as Record<string, string> | undefined;
  return parseDuration(timeouts?.[operation] ?? "");
}
