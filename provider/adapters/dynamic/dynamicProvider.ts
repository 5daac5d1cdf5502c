import { inspect } from "node:util";
import { tellDecision, type ReasonCode } from "../../resource/decision";
import type { CheckFailure } from "../../resource/inputTable";
import { renamedDiff, type LifeCycle, type StoredState } from "../../resource/lifeCycle";
import { UnfinishedError } from "../../resource/unfinishedError";
import { printable } from "../../messages/plainText";
import { Secrets } from "../../messages/secrets";
import type { Session, StackConfig } from "./session";
import * as stored from "./storedProperties";
import type { Properties } from "./storedProperties";
import { answerLeaves } from "./stuckAnswer";

/** The methods of `ResourceProvider` of @pulumi/pulumi/dynamic that this package implements. */
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

/** Findings of a refresh on which the next `up` acts. Both report them with the same message. */
const TOLD_BY_REFRESH: ReadonlySet<ReasonCode> = new Set(["JOB_GONE", "DRIFTED"]);

/**
 * The adapter between Pulumi's dynamic-provider process and a life cycle. It only translates: stored properties in and out,
 * and partial results into the host's format.
 */
export function dynamicProvider<Inputs extends object, State extends StoredState>(
  lifeCycle: LifeCycle<Inputs, State>,
  session: Session,
): DynamicProvider {
  const inputsIn = (properties: Properties): Inputs => stored.split(properties).visible as Inputs;
  /** The decision that the last read of a resource reported, by URN. */
  const foundByRead = new Map<string, string>();
  const stateIn = (properties: Properties): State => stored.stateIn(properties, lifeCycle.noBookkeeping);

  /**
   * Converts an unfinished operation into the error that the host saves as a resource with init errors. The host does not
   * add `__provider` to it, and without `__provider` no later operation on the resource would work.
   */
  async function partial(given: Properties, secrets: Secrets, run: () => Promise<State>): Promise<State> {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof UnfinishedError)) throw error;
      const message = shown(error.message, secrets);
      const state = error.state as State;
      // eslint-disable-next-line @typescript-eslint/only-throw-error -- the host expects this form
      throw new PartialResult(
        lifeCycle.idOf(state),
        { ...stored.propertiesOf(state, given), __provider: given["__provider"] },
        message,
      );
    }
  }

  return {
    configure(request) {
      session.configure(request.config);
      return Promise.resolve();
    },

    check: answering((secrets, olds, news) => {
      const { visible, internal } = stored.split(news);
      const { inputs, failures } = lifeCycle.check(
        visible,
        session.configuration(secrets),
        stored.split(olds).visible,
      );
      failures.push(...stored.checkTimeouts(internal));
      return {
        inputs: stored.plain({ ...inputs, ...internal }),
        failures: failures.map(({ property, reason }) => ({
          property: shown(property, secrets),
          reason: shown(reason, secrets),
        })),
      };
    }),

    diff: answering((secrets, _id, olds, news) => {
      const { urn, formerUrn } = stored.urnsOf(olds, news);
      const compared = lifeCycle.diff(inputsIn(news), stateIn(olds), session.machine);
      const { changed, replaces, hidden, decision } =
        formerUrn === undefined ? compared : renamedDiff(compared);
      // newer engines call diff directly after read
      const isToldByRead = foundByRead.get(urn ?? "") === decision.text;
      foundByRead.delete(urn ?? "");
      if (!isToldByRead) tellDecision(session.reporter(urn, secrets), decision);
      if (hidden) return { changes: true, replaces };
      // `changes` stays undefined if inputs changed: the engine then compares and shows them, and applies ignoreChanges
      return changed.length === 0 ? { changes: false } : { replaces };
    }),

    create: answering(async (secrets, inputs) => {
      const state = await partial(inputs, secrets, () =>
        session.operation("create", stored.urnsOf({}, inputs), secrets, (context) =>
          lifeCycle.create(context, inputsIn(inputs), stored.limitMs(inputs, "create")),
        ),
      );
      return { id: lifeCycle.idOf(state), outs: stored.propertiesOf(state, inputs) };
    }),

    // the host has no field for the inputs that were read
    read: answering(async (secrets, id, props) => {
      const found = await session.operation("read", stored.urnsOf({}, props), secrets, async (context) => {
        if (!stored.isStored(props)) return lifeCycle.lookUp(context, id, stored.split(props).visible);
        const seen = await lifeCycle.read(context, stateIn(props));
        const decision = seen
          ? lifeCycle.diff(seen.inputs, seen.state, session.machine).decision
          : lifeCycle.gone(stateIn(props));
        if (TOLD_BY_REFRESH.has(decision.because)) {
          tellDecision(context.reporter, decision);
          foundByRead.set(context.urn ?? "", decision.text);
        }
        return seen;
      });
      return found ? { id, props: stored.propertiesOf(found.state, props) } : { id: "", props: {} };
    }),

    update: answering(async (secrets, _id, olds, news) => {
      const state = await partial(news, secrets, () =>
        session.operation("update", stored.urnsOf(olds, news), secrets, (context) =>
          lifeCycle.update(context, stateIn(olds), inputsIn(news), stored.limitMs(news, "update")),
        ),
      );
      return { outs: stored.propertiesOf(state, news) };
    }),

    delete: answering((secrets, _id, props) =>
      session.operation("delete", stored.urnsOf({}, props), secrets, (context) =>
        lifeCycle.remove(context, stateIn(props)),
      ),
    ),
  };
}

/** An unfinished operation in the host's form. The host saves an error that has an `id`. */
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

/** The outermost error handler of a call: every failure ends the call with an error that can be sent and shown. */
function answering<Given extends unknown[], Answer>(
  call: (secrets: Secrets, ...given: Given) => Answer | Promise<Answer>,
): (...given: Given) => Promise<Answer> {
  return async (...given) => {
    const secrets = new Secrets();
    try {
      return await call(secrets, ...given);
    } catch (error) {
      throw isPartial(error) ? error : sendable(error, secrets);
    } finally {
      answerLeaves();
    }
  };
}

/** A text to send: printable, without the secrets of the call. */
function shown(text: string, secrets: Secrets): string {
  return printable(secrets.removeFrom(text));
}

/** An error without an `id`: the host sends only its message. It would save an error with an `id` as a resource. */
function sendable(error: unknown, secrets: Secrets): Error {
  const sent = new Error(shown(error instanceof Error ? error.message : inspect(error), secrets));
  sent.stack = "(pulumi-docs-hosting)"; // the host prints the stack of some errors, which is useless to a user
  return sent;
}
