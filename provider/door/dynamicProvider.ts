import { hostname } from "node:os";
import { inspect } from "node:util";
import { systemClock } from "../time/clock";
import { decisionLine, type Decision } from "../resource/decision";
import { parseDuration } from "../time/duration";
import { engineReporter } from "./engineLog";
import type { CheckFailure } from "../resource/inputRules";
import type { LifeCycle, StoredState } from "../resource/lifeCycle";
import { configuration, configure, operation, resumeRecords, type StackConfig } from "./session";
import { printable } from "../words/plainText";
import { answerLeaves } from "./stuckAnswer";
import { UnfinishedError } from "../resource/unfinishedError";
import { isUnknown } from "../words/unknown";

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

/** What is done when nothing is to be done but to remember the URN, which Pulumi itself does not tell a provider. */
const RENAMED: Decision = {
  because: "SETTINGS",
  text: "the resource was renamed or moved: remembered without a request",
};

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
      if (!(error instanceof UnfinishedError)) throw error;
      const message = printable(error.message);
      const state = error.state as State;
      // eslint-disable-next-line @typescript-eslint/only-throw-error -- the host's own form for this
      throw new PartialResult(
        lifeCycle.idOf(state),
        { ...outputsOf(state, given), __provider: given["__provider"] },
        message,
      );
    }
  }

  return {
    configure(request) {
      configure(request.config);
      return Promise.resolve();
    },

    check: answering((_olds, news) => {
      const { visible, internal } = split(news);
      const { inputs, failures } = lifeCycle.check(visible, configuration);
      failures.push(...checkTimeouts(internal["__timeouts"]));
      return {
        inputs: plain({ ...inputs, ...internal }),
        failures: failures.map(({ property, reason }) => ({
          property: printable(property),
          reason: printable(reason),
        })),
      };
    }),

    diff: answering((_id, olds, news) => {
      const { changed, replaces, hidden, ...decided } = lifeCycle.diff(inputsOf(news), stateOf(olds), {
        name: hostname(),
        nowMs: systemClock.now(),
      });
      const renamed = formerUrnOf(olds, news) !== undefined;
      const decision = renamed && decided.decision.because === "UP_TO_DATE" ? RENAMED : decided.decision;
      const reporter = engineReporter(urnOf(news), systemClock);
      // a stack of a hundred exports to which nothing happens has nothing to say about them
      if (decision.because === "UP_TO_DATE") reporter.debug(decisionLine(decision));
      else reporter.info(decisionLine(decision));
      if (hidden || (renamed && changed.length === 0)) return { changes: true, replaces };
      // left open where inputs changed: the engine then compares them itself, shows them and obeys ignoreChanges
      return changed.length === 0 ? { changes: false } : { replaces };
    }),

    create: answering(async (inputs) => {
      const state = await operation(urnOf(inputs), (context) =>
        partial(inputs, () => lifeCycle.create(context, inputsOf(inputs), limitMs(inputs, "create"))),
      );
      return { id: lifeCycle.idOf(state), outs: outputsOf(state, inputs) };
    }),

    read: answering(async (id, props) => {
      const state = await operation(urnOf(props), (context) =>
        "__bookkeeping" in props
          ? lifeCycle.read(context, stateOf(props))
          : lifeCycle.lookUp(context, id, visibleOf(props)),
      );
      return state ? { id, props: outputsOf(state, props) } : { id: "", props: {} };
    }),

    update: answering(async (_id, olds, news) => {
      const formerUrn = formerUrnOf(olds, news);
      const state = await operation(urnOf(news), (context) =>
        partial(news, () =>
          lifeCycle.update(
            { ...context, ...(formerUrn !== undefined && { formerUrn }) },
            stateOf(olds),
            inputsOf(news),
            limitMs(news, "update"),
          ),
        ),
      );
      return { outs: outputsOf(state, news) };
    }),

    delete: answering((_id, props) => {
      const urn = urnOf(props);
      lifeCycle.remove({ resumeRecords, ...(urn !== undefined && { urn }) }, stateOf(props));
    }),
  };
}

/** An unfinished operation in the host's own form: by its `id` it knows that there is something to save. */
class PartialResult {
  readonly id: string;
  readonly properties: Properties;
  readonly reasons: readonly string[];
  readonly message: string;

  constructor(id: string, properties: Properties, message: string) {
    this.id = id;
    this.properties = properties;
    this.reasons = [message];
    this.message = message;
  }
}

const isPartial = (error: unknown): boolean => error instanceof PartialResult;

/** The last guard of all that leaves: whatever goes wrong, the call ends, with an error that can be sent and shown. */
function answering<Given extends unknown[], Answer>(
  call: (...given: Given) => Answer | Promise<Answer>,
): (...given: Given) => Promise<Answer> {
  return async (...given) => {
    try {
      return await call(...given);
    } catch (error) {
      throw isPartial(error) ? error : sendable(error);
    } finally {
      answerLeaves();
    }
  };
}

/** An error of which the host sends the message and nothing else; one with an `id` would become a resource. */
function sendable(error: unknown): Error {
  const sent = new Error(printable(error instanceof Error ? error.message : inspect(error)));
  sent.stack = "(pulumi-docs-hosting)"; // the host prints the stack of some errors: to a user it says nothing
  return sent;
}

/** @param given what the operation was called with: has the URN, which `delete` and `read` get from the outputs only */
function outputsOf({ outputs, bookkeeping }: StoredState, given: Properties): Properties {
  return plain({ ...outputs, __bookkeeping: bookkeeping, __urn: given["__urn"] });
}

function urnOf(properties: Properties): string | undefined {
  const urn = properties["__urn"];
  return typeof urn === "string" && !isUnknown(urn) ? urn : undefined;
}

/** The URN that the state has, where the program has given the resource another one since, by an alias. */
function formerUrnOf(olds: Properties, news: Properties): string | undefined {
  const [before, now] = [urnOf(olds), urnOf(news)];
  return now !== undefined && before !== now ? before : undefined;
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

/** The host takes JSON only, of whole characters: `undefined` makes it fail. */
function plain(properties: Properties): Properties {
  const whole = (_: string, value: unknown): unknown =>
    typeof value === "string" ? value.toWellFormed() : value;
  return JSON.parse(JSON.stringify(properties), whole) as Properties;
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
