import type { ConfigurationSource } from "../service/configuration";
import type { Context } from "./context";
import type { Decision, ReasonCode } from "./decision";
import type { CheckFailure } from "./inputTable";
import type { Machine } from "../time/serviceClock";

/** All that is kept of a resource between two operations. */
export interface StoredState {
  /** What the user sees. */
  outputs: object;
  /** What is remembered beside the outputs, and shown to nobody. */
  bookkeeping: object;
}

/** How the inputs differ from the state, for a preview. */
export interface Diff {
  /** Inputs that changed. */
  changed: string[];
  /** Those of them that can only be changed by a replacement. */
  replaces: string[];
  /** Something is to be done that no input shows. */
  hidden: boolean;
  decision: Decision;
}

/** The same difference of a resource that has another URN than its state: Pulumi itself does not tell a provider of it. */
export function renamedDiff(diff: Diff): Diff {
  const { changed, hidden, decision } = diff;
  const text = "the resource was renamed or moved: remembered without a request";
  const renamed: Decision = { because: "SETTINGS", text };
  return {
    ...diff,
    hidden: hidden || changed.length === 0,
    decision: decision.because === "UP_TO_DATE" ? renamed : decision,
  };
}

/** What a refresh tells of something that is gone. @param what "job 7 of docs.example.com" */
export function goneDecision(because: ReasonCode, what: string): Decision {
  const text = `${what} is not there any more: it leaves the state, and the next \`pulumi up\` makes it anew`;
  return { because, text };
}

/** Time limit of create and update, unless `customTimeouts` sets one, in milliseconds. */
export const DEFAULT_LIMIT_MS = 30 * 60_000;
/** Time limit of a read, in milliseconds: one GET, with a few retries. */
export const READ_LIMIT_MS = 60_000;

/** What a look found: the state as it is now, and the inputs that it was made from. */
export interface Found<Inputs extends object, State extends StoredState> {
  readonly inputs: Inputs;
  readonly state: State;
}

/** What can happen to a resource. Plain values in and out: it knows nothing of Pulumi's protocol. */
export interface LifeCycle<Inputs extends object, State extends StoredState> {
  /** What is remembered of a resource about which nothing is. */
  readonly noBookkeeping: State["bookkeeping"];

  /** Pulumi's id of the resource. */
  idOf(state: State): string;

  /** All input rules, applied before any request and without any. @param before the inputs of an existing resource */
  check(
    given: Readonly<Record<string, unknown>>,
    configuration: ConfigurationSource,
    before?: Readonly<Record<string, unknown>>,
  ): { inputs: Inputs; failures: CheckFailure[] };

  /** Compares; pure, so that it can run at every preview. */
  diff(inputs: Inputs, state: State, machine: Machine): Diff;

  /**
   * @param limitMs time limit in milliseconds. Default: {@link DEFAULT_LIMIT_MS}
   * @throws UnfinishedError when there is something to remember; else an Error
   */
  create(context: Context, inputs: Inputs, limitMs?: number): Promise<State>;

  /**
   * @returns `undefined` when the service proves that what the resource stands for is gone
   * @throws an Error on any other trouble, so that the state stays as it was
   */
  read(context: Context, state: State): Promise<Found<Inputs, State> | undefined>;

  /** What is told of a read that finds nothing. */
  gone(state: State): Decision;

  /**
   * Reads what something else manages.
   *
   * @param given the properties of the call, unchecked
   * @throws an Error when there is no such thing, too: the engine would take nothing for a resource without properties
   */
  lookUp(
    context: Context,
    id: string,
    given: Readonly<Record<string, unknown>>,
  ): Promise<Found<Inputs, State>>;

  /**
   * @param limitMs time limit in milliseconds. Default: {@link DEFAULT_LIMIT_MS}
   * @throws UnfinishedError when there is something new to remember; else an Error, and the state stays as it was
   */
  update(context: Context, state: State, inputs: Inputs, limitMs?: number): Promise<State>;

  /**
   * Takes away what the resource made outside of the state, and forgets it.
   *
   * @throws an Error when something is left, so that the resource stays in the state
   */
  remove(context: Context, state: State): Promise<void>;
}
