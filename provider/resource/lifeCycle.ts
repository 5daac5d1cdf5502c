import type { NotFoundError } from "../base/runtime/messages/errors";
import { explained } from "../base/runtime/messages/explainedError";
import { type Deadline, type Machine, startDeadline } from "../base/runtime/time/clock";
import { Client } from "../service/client";
import { type ConfigurationSource, isApiKeyPadded, serviceSettings } from "../service/configuration";
import { keyDestination } from "../service/keyDestination";
import type { Context } from "./context";
import type { Decision, DecisionCode } from "./decision";
import type { CheckFailure } from "./inputTable";
import type { OutputRows } from "./outputTable";

/** The state of a resource between two operations. */
export interface StoredState {
  /** The outputs that the user sees. */
  outputs: object;
  /** Data stored beside the outputs and not shown to users. */
  bookkeeping: object;
}

/** The inputs of a program as they are used, and what is wrong with them. */
export interface CheckResult<Inputs> {
  /** With their defaults. */
  readonly inputs: Inputs;
  readonly failures: CheckFailure[];
}

/** How the inputs differ from the state, for a preview. */
export interface Diff {
  /** Inputs that changed. */
  changed: string[];
  /** Changed inputs that require a replacement. */
  replaces: string[];
  /** Whether there is an action that no changed input shows. */
  hidden: boolean;
  decision: Decision;
}

/** The diff of a resource whose URN differs from its state: Pulumi does not notify a provider of a rename. */
export function renamedDiff(diff: Diff): Diff {
  const hidden = diff.hidden || diff.changed.length === 0;
  if (diff.decision.code !== "UP_TO_DATE") return { ...diff, hidden };
  const text = "the resource was renamed or moved: recorded without a request";
  return { ...diff, hidden, decision: { code: "SETTINGS", text } };
}

/** The other cause of missing jobs: to a key of another account, a service answers the same. */
export const OTHER_ACCOUNT =
  "If other jobs are missing, too, the API key is probably of another account: correct the key first";

/** The error of a refresh for a job that is missing as all others are: that proves nothing of the job. */
export function allMissing(error: NotFoundError, { jobs }: Client): Error {
  return error.withMessage(
    `none of the ${jobs.missing} jobs that this run asked for is known to the service (${error.message})`,
    "The API key is probably of another account: correct it, then refresh again. If the service did remove these jobs, refresh one " +
      "resource at a time (`pulumi refresh --target URN`), or run `pulumi up` without a refresh and with a new version: it starts another job and does not ask for these.",
  );
}

/** The decision that a refresh reports for a missing object. @param what "job 7 of docs.example.com" */
export function goneDecision(code: DecisionCode, what: string): Decision {
  const cause = code === "JOB_GONE" ? `. ${OTHER_ACCOUNT}` : "";
  const text = `${what} no longer exists. It is removed from the state; the next \`pulumi up\` creates it again${cause}`;
  return { code, text };
}

/** Time limit of create and update, unless `customTimeouts` sets one, in milliseconds. */
export const DEFAULT_LIMIT_MS: number = 30 * 60_000;
/** Time limit of a read, in milliseconds: one GET, with a few retries. */
export const READ_LIMIT_MS = 60_000;

/** The result of a read: the current state, and the inputs that it was made from. */
export interface Found<Inputs extends object, State extends StoredState> {
  readonly inputs: Inputs;
  readonly state: State;
}

/** An object that was taken under management, and the inputs that a program must have for it; defaults are left out. */
export type Imported<Inputs extends object, State extends StoredState> = Found<Partial<Inputs>, State>;

/** A resource that the program of the running operation declares. */
export interface Declaration {
  readonly urn: string;
  /**
   * Tells the operation which places the resource has that belong to one resource.
   *
   * @returns the URN of another resource of the program that has one of them; `undefined` if there is none
   */
  readonly declare: (places: readonly string[]) => string | undefined;
}

/** The operations of a resource. They take and return plain values and are independent of Pulumi's protocol. */
export interface LifeCycle<Inputs extends object, State extends StoredState, More = object> {
  /** The outputs that do not repeat an input. */
  readonly outputs: OutputRows;

  /** The bookkeeping of a resource without stored bookkeeping. */
  readonly noBookkeeping: State["bookkeeping"];

  /** Pulumi's id of the resource. */
  idOf(state: State): string;

  /**
   * Applies all input rules, without any request.
   *
   * @param before the inputs of an existing resource
   * @param declaration absent if the resource's URN is not known
   */
  check(
    given: Readonly<Record<string, unknown>>,
    configuration: ConfigurationSource,
    before?: Readonly<Record<string, unknown>>,
    declaration?: Declaration,
  ): CheckResult<Inputs>;

  /** Compares inputs and state. Pure, so that it can run in every preview. */
  diff(inputs: Inputs, state: State, machine: Machine): Diff;

  /**
   * The outputs that a create or update will return, as far as they are known before it. Pure, so that it can run in every
   * preview. An output that is only known afterwards is `UNKNOWN`; it may turn out to be absent.
   *
   * @param state `undefined` for a resource that does not exist yet
   */
  predict(inputs: Inputs, state: State | undefined, machine: Machine): Readonly<Record<string, unknown>>;

  /**
   * Reports what a preview can find out beside the outputs, with reads on this machine and without a request. In the dynamic provider,
   * no call tells a preview from an update: only the plugin calls it.
   *
   * @param state `undefined` for a resource that does not exist yet
   */
  foresee?(context: Context & More, inputs: Inputs, state: State | undefined): Promise<void>;

  /**
   * @param limitMs time limit in milliseconds. Default: {@link DEFAULT_LIMIT_MS}
   * @throws UnfinishedError if there is progress to store; otherwise an Error
   */
  create(context: Context & More, inputs: Inputs, limitMs?: number): Promise<State>;

  /**
   * @returns `undefined` if the service confirms that the resource's object no longer exists
   * @throws an Error for any other problem, so that the state stays unchanged
   */
  read(context: Context & More, state: State): Promise<Found<Inputs, State> | undefined>;

  /** The decision to report if a read finds nothing. */
  gone(state: State): Decision;

  /**
   * Reads an object that this stack does not manage.
   *
   * @param given the properties of the call, unchecked
   * @throws an Error, also if the object does not exist: the engine treats an empty result as a resource without properties
   */
  lookUp(
    context: Context & More,
    id: string,
    given: Readonly<Record<string, unknown>>,
  ): Promise<Found<Inputs, State>>;

  /**
   * Takes an object that exists under management: `pulumi import`. The next `pulumi up` of a program with the inputs changes
   * nothing.
   *
   * @param id which object, in a form of this resource
   * @throws an Error, also if the object does not exist or the resource cannot be imported
   */
  import(context: Context & More, id: string): Promise<Imported<Inputs, State>>;

  /**
   * @param limitMs time limit in milliseconds. Default: {@link DEFAULT_LIMIT_MS}
   * @throws UnfinishedError if there is new progress to store; otherwise an Error, and the state stays unchanged
   */
  update(context: Context & More, state: State, inputs: Inputs, limitMs?: number): Promise<State>;

  /**
   * Removes everything that the resource made outside of the state.
   *
   * @throws an Error if something remains, so that the resource stays in the state
   */
  remove(context: Context & More, state: State): Promise<void>;
}

/** An operation that failed after some progress: its state is saved, and the next operation continues from it. */
export class UnfinishedError<State> extends Error {
  readonly state: State;

  /** @param cause the explained error; its message becomes this error's message */
  constructor(cause: Error, state: State) {
    super(cause.message, { cause });
    this.name = "UnfinishedError";
    this.state = state;
  }
}

/** The parts of an operation's context that requests to the service need. */
export type ClientContext = Pick<
  Context,
  "configuration" | "fetch" | "clock" | "pacers" | "jobsSeen" | "reporter" | "tracer" | "secrets" | "signal"
>;

/** A context with a client of the service and a deadline. */
export type ServiceContext<Given extends ClientContext = Context> = Given & {
  readonly client: Client;
  readonly deadline: Deadline;
};

/**
 * Opens a client of the service for one operation.
 *
 * @param limit of the operation: in milliseconds from now on, or the deadline of an operation that has begun
 * @throws ConfigurationError
 */
export function openClient<Given extends ClientContext>(
  context: Given,
  inputs: { baseUrl?: string; apiKeyEnv?: string },
  limit: number | Deadline,
): ServiceContext<Given> {
  const { configuration, reporter } = context;
  const deadline = typeof limit === "number" ? startDeadline(context.clock, limit) : limit;
  const service = serviceSettings(configuration, inputs);
  if (isApiKeyPadded(configuration, inputs.apiKeyEnv)) {
    reporter.warn(
      `the admin API key in ${service.apiKeyName} has white space around it, such as a line break: the white space is not sent`,
    );
  }
  const destination = keyDestination(configuration, { ...inputs, baseUrl: service.baseUrl });
  if (destination?.isOther === true) reporter.warn(destination.text);
  else if (destination) reporter.info(destination.text);
  return { ...context, deadline, client: new Client({ ...context, service, deadline }) };
}

/**
 * The same, with errors that are complete messages.
 *
 * @param subject the domain
 * @param consequence whether anything is lost
 */
export function openClientFor<Given extends ClientContext>(
  context: Given,
  inputs: { baseUrl?: string; apiKeyEnv?: string },
  limit: number | Deadline,
  subject: string,
  consequence: string,
): ServiceContext<Given> {
  try {
    return openClient(context, inputs, limit);
  } catch (error) {
    throw explained(error, subject, consequence);
  }
}
