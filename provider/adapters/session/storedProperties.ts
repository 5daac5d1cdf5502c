// Properties as Pulumi passes and stores them, the user's and internal ones (`__…`), and the operations of a life cycle on them.
import { InternalError } from "../../base/runtime/messages/errors";
import { isUnknown } from "../../base/runtime/messages/plainText";
import type { Secrets } from "../../base/runtime/messages/secrets";
import type { PublicationContext, SharedByPublications } from "../../copies/publication/context";
import { DECISION_CODES, reportDecision } from "../../resource/decision";
import {
  type CheckResult,
  type Diff,
  type Imported,
  type LifeCycle,
  renamedDiff,
  type StoredState,
  UnfinishedError,
} from "../../resource/lifeCycle";
import { shownLine } from "./rowReporter";
import type { CallOf, Session, Urns } from "./session";

/** Properties of a resource, as JSON. */
export type Properties = Record<string, unknown>;

/** Splits properties into the user's and the internal ones. */
export function split(properties: Properties): { visible: Properties; internal: Properties } {
  const { visible = [], internal = [] } = Object.groupBy(Object.entries(properties), ([name]) =>
    name.startsWith("__") ? "internal" : "visible",
  );
  return { visible: Object.fromEntries(visible), internal: Object.fromEntries(internal) };
}

/** A resource type as both adapters offer it. */
export type AnyLifeCycle = LifeCycle<object, StoredState, SharedByPublications>;

/** The result of an operation that creates or updates. */
interface Converged {
  readonly id: string;
  readonly state: StoredState;
  /** Why it is unfinished. Absent if it is finished. */
  readonly unfinished?: string;
}

/** The operations of a life cycle, with properties of either adapter. */
export interface Operations {
  stateIn(properties: Properties): StoredState;

  /** @param urn of the resource that the program declares, if it is known */
  check(
    urn: string | undefined,
    given: Properties,
    before: Properties,
    secrets: Secrets,
  ): CheckResult<object>;

  /** The outputs, as far as they are known before the operation. */
  predict(given: Properties, stored?: Properties): Properties;

  /** Reports what a preview can find out beside the outputs. */
  foresee(of: CallOf, given: Properties, stored: Properties | undefined, secrets: Secrets): Promise<void>;

  /** Reports the decision, unless the read just before has: newer engines call diff directly after the read of a refresh. */
  diff(urns: Urns, given: Properties, stored: Properties, secrets: Secrets): Diff;

  /**
   * Creates or updates the resource.
   *
   * @param before the stored properties; absent for a new resource
   */
  converge(
    of: CallOf,
    given: Properties,
    before: Properties | undefined,
    limitMs: number | undefined,
    secrets: Secrets,
  ): Promise<Converged>;

  /**
   * @param isImport whether the engine asks for an object to take under management
   * @returns `undefined` for a resource that no longer exists
   */
  read(
    of: CallOf,
    id: string,
    props: Properties,
    secrets: Secrets,
    isImport?: boolean,
  ): Promise<Imported<object, StoredState> | undefined>;

  remove(of: CallOf, props: Properties, secrets: Secrets): Promise<void>;
}

/** @param session of the engine that calls */
export function operationsOf(lifeCycle: AnyLifeCycle, session: Session): Operations {
  /** The decision that the last read of a resource reported, by URN. */
  const found = new Map<string, string>();
  const inputsIn = (properties: Properties): Properties => split(properties).visible;

  function stateIn(properties: Properties): StoredState {
    const { visible, internal } = split(properties);
    const given = Object.entries(visible).filter(
      ([name, value]) => value !== null || !lifeCycle.outputs[name]?.nullIfAbsent,
    );
    const bookkeeping = (internal["__bookkeeping"] as object | undefined) ?? lifeCycle.noBookkeeping;
    return { outputs: Object.fromEntries(given), bookkeeping };
  }

  return {
    stateIn,

    check(urn, given, before, secrets) {
      const declaration = urn === undefined ? undefined : session.declaration(urn);
      return lifeCycle.check(given, session.configuration(secrets), split(before).visible, declaration);
    },

    predict: (given, stored) =>
      lifeCycle.predict(inputsIn(given), stored && stateIn(stored), session.machine),

    async foresee(of, given, stored, secrets) {
      if (lifeCycle.foresee === undefined) return;
      await session.operation("preview", of, secrets, async (context) =>
        lifeCycle.foresee?.(context, inputsIn(given), stored && stateIn(stored)),
      );
    },

    diff(urns, given, stored, secrets) {
      const compared = lifeCycle.diff(inputsIn(given), stateIn(stored), session.machine);
      const diff = isRenamed(urns) ? renamedDiff(compared) : compared;
      const { urn = "" } = urns;
      if (found.get(urn) !== diff.decision.text) {
        reportDecision(session.reporter(urns.urn, secrets), diff.decision);
      }
      found.delete(urn);
      return diff;
    },

    async converge(of, given, before, limitMs, secrets) {
      const run = (context: PublicationContext): Promise<StoredState> =>
        before
          ? lifeCycle.update(context, stateIn(before), inputsIn(given), limitMs)
          : lifeCycle.create(context, inputsIn(given), limitMs);
      try {
        const state = await session.operation(before ? "update" : "create", of, secrets, run);
        return { id: lifeCycle.idOf(state), state };
      } catch (error) {
        // an unexpected error made no progress that is worth storing
        if (!(error instanceof UnfinishedError) || (before && faultOf(error) !== undefined)) throw error;
        const state = error.state as StoredState;
        return { id: lifeCycle.idOf(state), state, unfinished: shownLine(error.message, secrets) };
      }
    },

    read: (of, id, props, secrets, isImport = false) =>
      onStoredState(of.urn, () =>
        session.operation("read", of, secrets, async (context) => {
          if (isImport) return lifeCycle.import(context, id);
          const isStored = "__bookkeeping" in props;
          if (!isStored) return lifeCycle.lookUp(context, id, split(props).visible);
          const stored = stateIn(props);
          const current = await lifeCycle.read(context, stored);
          const decision = current
            ? lifeCycle.diff(current.inputs, current.state, session.machine).decision
            : lifeCycle.gone(stored);
          if (DECISION_CODES[decision.code].reported === "refreshAndUp") {
            reportDecision(context.reporter, decision);
            found.set(of.urn ?? "", decision.text);
          }
          return current;
        }),
      ),

    remove: (of, props, secrets) =>
      onStoredState(of.urn, () =>
        session.operation("delete", of, secrets, (context) => lifeCycle.remove(context, stateIn(props))),
      ),
  };
}

/** Converts to JSON with well-formed strings, the only form that every host accepts. */
export function plain(properties: Properties): Properties {
  const whole = (_: string, value: unknown): unknown =>
    typeof value === "string" ? value.toWellFormed() : value;
  return JSON.parse(JSON.stringify(properties), whole) as Properties;
}

/** The URN that is stored with a resource; `undefined` if unknown. */
export function urnOf(properties: Properties): string | undefined {
  const urn = properties["__urn"];
  return typeof urn === "string" && !isUnknown(urn) ? urn : undefined;
}

/** Errors that code throws by itself when a value is not what its type says. */
const FAULTS = ["TypeError", "RangeError", "SyntaxError"];

/**
 * Runs a call that works on a stored state. The state comes from a file that anybody can edit, so what cannot be read of it is not a fault
 * of the code: the message says what to do.
 *
 * @param urn the resource, if known
 */
export async function onStoredState<T>(urn: string | undefined, run: () => T | Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    const fault = faultOf(error);
    if (fault === undefined) throw error;
    const name = urn?.split("::").at(-1);
    throw new InternalError(
      `${name === undefined ? "a resource" : name}: its stored state cannot be read (${fault}): the state is damaged, or a newer version of this ` +
        "package wrote it. The state stays as it is. Restore it from an earlier update (`pulumi stack export --version N`, then " +
        `\`pulumi stack import\`), or install the newer version, or take the resource out of the state (\`pulumi state delete '${urn ?? "URN"}'\`) ` +
        "and run `pulumi up` again. If the state is as this version wrote it, please report it.",
      "",
    );
  }
}

/** The class of an unexpected error; undefined for an error that says itself what is wrong. */
function faultOf(error: unknown): string | undefined {
  if (error instanceof UnfinishedError) return faultOf(error.cause);
  if (!(error instanceof Error)) return undefined;
  const kind = error instanceof InternalError ? error.kind : error.constructor.name;
  return FAULTS.includes(kind) ? kind : undefined;
}

/** The types of the dynamic provider, in a URN. The types of the plugin have {@link PLUGIN_TYPES} in this place. */
const DYNAMIC_TYPES = "pulumi-nodejs:dynamic/docs-hosting:";
const PLUGIN_TYPES = "docs-hosting:index:";

/** The URN, and the URN in the state if the resource was renamed since. */
export function urnsOf(before: string | undefined, now: string | undefined): Urns {
  return {
    ...(now !== undefined && { urn: now }),
    ...(now !== undefined && before !== undefined && before !== now && { formerUrn: before }),
  };
}

/**
 * Whether the program renamed or moved the resource. A resource that only changed from one adapter to the other was not: its
 * state stays as it is.
 */
function isRenamed({ urn, formerUrn }: Urns): boolean {
  return urn !== undefined && formerUrn !== undefined && dynamicUrnOf(urn) !== dynamicUrnOf(formerUrn);
}

/** The URN that the same resource has, or had, as a dynamic one. */
export function dynamicUrnOf(urn: string): string {
  return urn.replaceAll(PLUGIN_TYPES, DYNAMIC_TYPES);
}
