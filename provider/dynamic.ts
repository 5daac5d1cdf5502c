/**
 * The door between Pulumi's dynamic-provider process and the life cycle behind it. It only translates: hidden
 * properties (`__…`) in and out, partial results into what the host understands.
 *
 * FROZEN: states written by every earlier version require this entry by name and take `StaticExport` from it. Its
 * methods must go on understanding all that earlier versions stored.
 */
import nodeFetch from "node-fetch";
import { systemClock } from "./clock";
import type { ConfigurationSource } from "./configuration";
import type { Context } from "./context";
import { parseDuration } from "./duration";
import { engineReporter } from "./engineLog";
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
    const difference = staticExport.diff(inputsOf(news), stateOf(olds), systemClock.now());
    const { changed, replaces, because } = difference;
    if (because) return Promise.resolve({ changes: true, replaces });
    // left open where inputs changed: the engine then compares them itself, shows them and obeys ignoreChanges
    return Promise.resolve(changed.length === 0 ? { changes: false } : { replaces });
  },

  async create(inputs: Properties): Promise<{ id: string; outs: Properties }> {
    const state = await partial(inputsOf(inputs).domain, inputs, () =>
      staticExport.create(contextOf(inputs), inputsOf(inputs), limitMs(inputs, "create")),
    );
    return { id: state.outputs.domain, outs: outputsOf(state) };
  },

  async read(id: string, props: Properties): Promise<{ id: string; props: Properties }> {
    const state = await staticExport.read(contextOf(props), stateOf(props)).catch(shortStack);
    return state ? { id, props: outputsOf(state) } : { id: "", props: {} };
  },

  async update(id: string, olds: Properties, news: Properties): Promise<{ outs: Properties }> {
    const state = await partial(id, news, () =>
      staticExport.update(contextOf(news), stateOf(olds), inputsOf(news), limitMs(news, "update")),
    );
    return { outs: outputsOf(state) };
  },

  delete(): Promise<void> {
    return staticExport.remove();
  },
};

function contextOf(properties: Properties): Context {
  const urn = properties["__urn"];
  return {
    configuration,
    fetch: nodeFetch,
    clock: systemClock,
    reporter: engineReporter(typeof urn === "string" ? urn : undefined, systemClock),
    signal: new AbortController().signal,
  };
}

/**
 * Turns an unfinished export into what the host saves as a resource with init errors. The host does not add `__provider`
 * to it, without which nothing could be done with the resource any more.
 */
async function partial(
  id: string,
  { __provider }: Properties,
  operation: () => Promise<StaticExportState>,
): Promise<StaticExportState> {
  try {
    return await operation();
  } catch (error) {
    if (!(error instanceof staticExport.UnfinishedExportError)) return shortStack(error);
    const { message, state } = error;
    // eslint-disable-next-line @typescript-eslint/only-throw-error -- the host's own form for this
    throw { id, properties: { ...outputsOf(state), __provider }, reasons: [message], message };
  }
}

/** The host prints the stack of some errors: to a user it says nothing. */
function shortStack(error: unknown): never {
  if (error instanceof Error) error.stack = "(pulumi-docs-hosting)";
  throw error;
}

function inputsOf(properties: Properties): CheckedInputs {
  return split(properties).visible as unknown as CheckedInputs;
}

function stateOf(properties: Properties): StaticExportState {
  const { visible, hidden } = split(properties);
  const bookkeeping = hidden["__bookkeeping"] as Bookkeeping | undefined;
  return { outputs: visible as unknown as StaticExportOutputs, bookkeeping: bookkeeping ?? { given: [] } };
}

function outputsOf({ outputs, bookkeeping }: StaticExportState): Properties {
  return plain({ ...outputs, __bookkeeping: bookkeeping });
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
