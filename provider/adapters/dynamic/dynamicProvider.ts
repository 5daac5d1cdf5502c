import { inspect } from "node:util";
import { isUnknown } from "../../base/runtime/messages/plainText";
import { Secrets } from "../../base/runtime/messages/secrets";
import { parseDuration } from "../../base/runtime/time/duration";
import type { CheckFailure } from "../../resource/inputTable";
import type { StoredState } from "../../resource/lifeCycle";
import { shownFailure } from "../session/rowReporter";
import type { Session, Urns } from "../session/session";
import { shownCheckFailure } from "../session/shownCheckFailure";
import {
  type AnyLifeCycle,
  onStoredState,
  type Operations,
  operationsOf,
  plain,
  type Properties,
  split,
  urnOf,
  urnsOf,
} from "../session/storedProperties";
import { exitIfReplyIsNotSent } from "./unsentReply";

/** The result of `check`: inputs with their defaults, and what is wrong with them. */
interface CheckedInputs {
  readonly inputs: Properties;
  readonly failures: readonly CheckFailure[];
}

/** The result of `diff`. Without `changes`, the engine itself compares the inputs. */
interface DynamicDiff {
  readonly changes?: boolean;
  readonly replaces?: readonly string[];
}

/** The methods of `ResourceProvider` of @pulumi/pulumi/dynamic that this package implements. */
export interface DynamicProvider {
  configure(request: { readonly config: { get(name: string): string | undefined } }): Promise<void>;
  check(olds: Properties, news: Properties): Promise<CheckedInputs>;
  diff(id: string, olds: Properties, news: Properties): Promise<DynamicDiff>;
  create(inputs: Properties): Promise<{ readonly id: string; readonly outs: Properties }>;
  /** @returns an empty id for a resource that no longer exists */
  read(id: string, props: Properties): Promise<{ readonly id: string; readonly props: Properties }>;
  update(id: string, olds: Properties, news: Properties): Promise<{ readonly outs: Properties }>;
  delete(id: string, props: Properties): Promise<void>;
}

/**
 * The adapter between Pulumi's dynamic-provider process and a life cycle. It only translates: stored properties in and out,
 * and partial results into the host's format.
 *
 * @param load loads the life cycle with the first call that needs it
 * @param limitOfCall the time limit that the engine gives a call, by its properties; undefined if the host does not tell
 */
export function dynamicProvider(
  load: () => AnyLifeCycle,
  session: Session,
  limitOfCall: (properties: Properties) => { readonly limitMs: number | undefined } | undefined = () =>
    undefined,
): DynamicProvider {
  let loaded: Operations | undefined;
  const resource = (): Operations => (loaded ??= operationsOf(load(), session));

  /**
   * Runs an operation, and converts an unfinished one into the error that the host saves as a resource with init errors. The
   * host does not add `__provider` to it, and without `__provider` no later operation on the resource would work.
   */
  async function converge(
    secrets: Secrets,
    given: Properties,
    stored?: Properties,
  ): Promise<{ id: string; outs: Properties }> {
    const { limitMs } = limitOfCall(given) ?? { limitMs: limitIn(given, stored ? "update" : "create") };
    const urns = urnsIn(stored ?? {}, given);
    const { id, state, unfinished } = await resource().converge(urns, given, stored, limitMs, secrets);
    const outs = propertiesOf(state, given);
    if (unfinished === undefined) return { id, outs };
    const properties = { ...outs, __provider: given["__provider"] };
    // eslint-disable-next-line @typescript-eslint/only-throw-error -- the host expects this form
    throw new UnfinishedOperation(unfinished, { id, properties });
  }

  return {
    configure({ config }) {
      session.configure({ stackConfig: (name) => config.get(name) });
      return Promise.resolve();
    },

    check: answering((secrets, olds: Properties, news: Properties) => {
      const { visible, internal } = split(news);
      const { inputs, failures } = resource().check(urnOf(news), visible, olds, secrets);
      failures.push(...checkTimeouts(internal));
      return {
        inputs: plain({ ...inputs, ...internal }),
        failures: failures.map((failure) => shownCheckFailure(failure, visible, secrets)),
      };
    }),

    diff: answering((secrets, _id: string, olds: Properties, news: Properties) =>
      onStoredState(urnOf(news), () => {
        const { changed, replaces, hidden } = resource().diff(urnsIn(olds, news), news, olds, secrets);
        if (hidden) return { changes: true, replaces };
        // `changes` stays undefined if inputs changed: the engine then compares and shows them, and applies ignoreChanges
        return changed.length === 0 ? { changes: false } : { replaces };
      }),
    ),

    create: answering((secrets, inputs: Properties) => converge(secrets, inputs)),

    // the host has no field for the inputs that were read
    read: answering(async (secrets, id: string, props: Properties) => {
      const found = await resource().read(urnsIn({}, props), id, props, secrets);
      return found ? { id, props: propertiesOf(found.state, props) } : { id: "", props: {} };
    }),

    update: answering((secrets, _id: string, olds: Properties, news: Properties) =>
      onStoredState(urnOf(news), async () => ({ outs: (await converge(secrets, news, olds)).outs })),
    ),

    delete: answering((secrets, _id: string, props: Properties) =>
      resource().remove(urnsIn({}, props), props, secrets),
    ),
  };
}

/** An unfinished operation in the host's form. The host saves an error that has an `id`. */
class UnfinishedOperation {
  readonly message: string;

  constructor(message: string, saved: { id: string; properties: Properties }) {
    this.message = message;
    Object.assign(this, saved, { reasons: [message] });
  }
}

const isPartial = (error: unknown): boolean => error instanceof UnfinishedOperation;

/** The outermost error handler of a call: every failure ends the call with an error that can be sent and shown. */
function answering<Given extends unknown[], Reply>(
  call: (secrets: Secrets, ...given: Given) => Reply | Promise<Reply>,
): (...given: Given) => Promise<Reply> {
  return async (...given) => {
    const secrets = new Secrets();
    try {
      return await call(secrets, ...given);
    } catch (error) {
      throw isPartial(error) ? error : sendable(error, secrets);
    } finally {
      exitIfReplyIsNotSent();
    }
  };
}

/** An error without an `id`: the host sends only its message. It would save an error with an `id` as a resource. */
function sendable(error: unknown, secrets: Secrets): Error {
  const sent = new Error(shownFailure(error, secrets));
  sent.stack = "(pulumi-docs-hosting)"; // the host prints the stack of some errors, which is useless to a user
  return sent;
}

// What the dynamic provider alone stores: the program passes the URN and `customTimeouts` as internal properties.

/** @param given the properties of the call, which contain the URN: `delete` and `read` get it only from the outputs */
function propertiesOf({ outputs, bookkeeping }: StoredState, given: Properties): Properties {
  return plain({ ...outputs, __bookkeeping: bookkeeping, __urn: given["__urn"] });
}

/** The URN of the resource, and its URN in the state if that is another one. */
function urnsIn(olds: Properties, news: Properties): Urns {
  return urnsOf(urnOf(olds), urnOf(news));
}

function checkTimeouts(properties: Properties): CheckFailure[] {
  const timeouts = properties["__timeouts"];
  if (timeouts === undefined || isUnknown(timeouts)) return [];
  return Object.entries(timeouts as Properties)
    .filter(([, text]) => !isUnknown(text) && (typeof text !== "string" || parseDuration(text) === undefined))
    .map(([name, text]) => ({
      property: "customTimeouts",
      reason: `${name} is ${inspect(text)}, not a duration; write it like "90s", "30m" or "1h30m"`,
    }));
}

/** The time limit of an operation from the `customTimeouts` of the constructor, in milliseconds. */
function limitIn(properties: Properties, operation: "create" | "update"): number | undefined {
  const timeouts = properties["__timeouts"] as Record<string, string> | undefined;
  return parseDuration(timeouts?.[operation] ?? "");
}
