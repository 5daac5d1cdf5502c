import { hostname } from "node:os";
import { inspect } from "node:util";
import { systemClock } from "./clock";
import { decisionLine } from "./decision";
import { parseDuration } from "./duration";
import { engineReporter } from "./engineLog";
import type { CheckFailure } from "./inputRules";
import type { LifeCycle, StoredState } from "./lifeCycle";
import { configuration, configure, operation, resumeRecords, type StackConfig } from "./operation";
import { UnfinishedError } from "./unfinishedError";
import { isUnknown } from "./unknown";

type Properties = Record<string, unknown>;

/** `ResourceProvider` of @pulumi/pulumi/dynamic, as far as it is used. */
export interface DynamicProvider {
  configure(request: { config: StackConfig }): Promise<void>;
  check(olds: Properties, news: Properties): Promise<{ inputs: Properties; failures: CheckFailure[] }>;
  diff(
    id: string,
    olds: Properties,
    news: Properties,
  ): Promise<{ changes?: boolean; replaces?: string[]; deleteBeforeReplace?: boolean }>;
  create(inputs: Properties): Promise<{ id: string; outs: Properties }>;
  read(id: string, props: Properties): Promise<{ id: string; props: Properties }>;
  update(id: string, olds: Properties, news: Properties): Promise<{ outs: Properties }>;
  delete(id: string, props: Properties): Promise<void>;
}

/**
 * The door between Pulumi's dynamic-provider process and a life cycle. It only translates: internal properties (`__…`) in
 * and out, partial results into what the host understands.
 */
export function dynamicProvider<Inputs extends object, State extends StoredState>(
  lifeCycle: LifeCycle<Inputs, State>,
): DynamicProvider {
  const inputsOf = (properties: Properties): Inputs => visibleOf(properties) as Inputs;
  const stateOf = (properties: Properties): State => {
    const { visible, internal } = split(properties);
    return { outputs: visible, bookkeeping: internal["__bookkeeping"] ?? lifeCycle.noBookkeeping } as State;
  };

  /**
   * Turns an unfinished operation into what the host saves as a resource with init errors. The host does not add
   * `__provider` to it, without which nothing could be done with the resource any more.
   */
  async function partial(given: Properties, run: () => Promise<State>): Promise<State> {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof UnfinishedError)) return shortStack(error);
      const { message } = error;
      const state = error.state as State;
      // eslint-disable-next-line @typescript-eslint/only-throw-error -- the host's own form for this
      throw {
        id: lifeCycle.idOf(state),
        properties: { ...outputsOf(state, given), __provider: given["__provider"] },
        reasons: [message],
        message,
      };
    }
  }

  return {
    configure(request) {
      configure(request.config);
      return Promise.resolve();
    },

    check(_olds, news) {
      const { visible, internal } = split(news);
      const { inputs, failures } = lifeCycle.check(visible, configuration);
      failures.push(...checkTimeouts(internal["__timeouts"]));
      return Promise.resolve({ inputs: plain({ ...inputs, ...internal }), failures });
    },

    diff(_id, olds, news) {
      const { changed, replaces, hidden, decision } = lifeCycle.diff(inputsOf(news), stateOf(olds), {
        name: hostname(),
        nowMs: systemClock.now(),
      });
      const reporter = engineReporter(urnOf(news), systemClock);
      // a stack of a hundred exports to which nothing happens has nothing to say about them
      if (decision.because === "UP_TO_DATE") reporter.debug(decisionLine(decision));
      else reporter.info(decisionLine(decision));
      if (hidden) return Promise.resolve({ changes: true, replaces });
      // left open where inputs changed: the engine then compares them itself, shows them and obeys ignoreChanges
      return Promise.resolve(changed.length === 0 ? { changes: false } : { replaces });
    },

    async create(inputs) {
      const state = await operation(urnOf(inputs), (context) =>
        partial(inputs, () => lifeCycle.create(context, inputsOf(inputs), limitMs(inputs, "create"))),
      );
      return { id: lifeCycle.idOf(state), outs: outputsOf(state, inputs) };
    },

    async read(id, props) {
      const state = await operation(urnOf(props), (context) =>
        "__bookkeeping" in props
          ? lifeCycle.read(context, stateOf(props))
          : lifeCycle.lookUp(context, id, visibleOf(props)),
      ).catch(shortStack);
      return state ? { id, props: outputsOf(state, props) } : { id: "", props: {} };
    },

    async update(_id, olds, news) {
      const state = await operation(urnOf(news), (context) =>
        partial(news, () =>
          lifeCycle.update(context, stateOf(olds), inputsOf(news), limitMs(news, "update")),
        ),
      );
      return { outs: outputsOf(state, news) };
    },

    delete(_id, props) {
      const urn = urnOf(props);
      lifeCycle.remove({ resumeRecords, ...(urn !== undefined && { urn }) }, stateOf(props));
      return Promise.resolve();
    },
  };
}

/** The host prints the stack of some errors: to a user it says nothing. */
function shortStack(error: unknown): never {
  if (error instanceof Error) error.stack = "(pulumi-docs-hosting)";
  throw error;
}

/** @param given what the operation was called with: has the URN, which `delete` and `read` get from the outputs only */
function outputsOf({ outputs, bookkeeping }: StoredState, given: Properties): Properties {
  return plain({ ...outputs, __bookkeeping: bookkeeping, __urn: given["__urn"] });
}

function urnOf(properties: Properties): string | undefined {
  const urn = properties["__urn"];
  return typeof urn === "string" && !isUnknown(urn) ? urn : undefined;
}

function visibleOf(properties: Properties): Properties {
  return split(properties).visible;
}

function split(properties: Properties): { visible: Properties; internal: Properties } {
  const isInternal = ([name]: [string, unknown]): boolean => name.startsWith("__");
  const entries = Object.entries(properties);
  return {
    visible: Object.fromEntries(entries.filter((entry) => !isInternal(entry))),
    internal: Object.fromEntries(entries.filter(isInternal)),
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
      reason: `${name} is ${inspect(text)}, not a duration; write it like "90s", "30m" or "1h30m"`,
    }));
}

function limitMs(properties: Properties, operation: "create" | "update"): number | undefined {
  const timeouts = properties["__timeouts"] as Record<string, string> | undefined;
  return parseDuration(timeouts?.[operation] ?? "");
}
