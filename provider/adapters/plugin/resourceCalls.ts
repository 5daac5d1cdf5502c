import * as rpc from "@pulumi/pulumi/proto/provider_pb";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { type LifeCycle, renamedDiff, type StoredState, UnfinishedError } from "../../resource/lifeCycle";
import { present, rowsThat } from "../../resource/outputTable";
import { isUnknown } from "../../runtime/messages/plainText";
import {
  dynamicUrnOf,
  isFault,
  isRenamed,
  isStored,
  onStoredState,
  type Properties,
  split,
  stateIn as storedState,
  urnOf,
  urnsOf,
} from "../session/storedProperties";
import { RefreshDecisions, shown } from "../session/rowReporter";
import type { Session } from "../session/session";
import { type Call, filled, InvalidCallError, PartialResult } from "./calls";
import { checkFailures } from "./checkFailures";
import { detailedDiff } from "./detailedDiff";
import { withLocalDigests } from "./localDigests";
import { receive, type Received, send } from "./properties";
import { Secrecy } from "./secrecy";
import { failuresOfWholeResources } from "./wholeResources";

/**
 * The calls about one type of resource: the adapter between Pulumi's provider protocol and a life cycle. It only translates:
 * properties in and out, secrets, what is not known yet, and partial results.
 *
 * @param session the session of this process, which an engine that attaches replaces
 */
export function resourceCalls<Inputs extends object, State extends StoredState, More extends object>(
  lifeCycle: LifeCycle<Inputs, State, More>,
  session: () => Session<NoInfer<More>>,
) {
  const decisions = new RefreshDecisions();
  const always = Object.keys(rowsThat("isSecret", lifeCycle.outputs));
  const absent = Object.fromEntries(
    Object.keys(rowsThat("nullIfAbsent", lifeCycle.outputs)).map((name) => [name, null]),
  );
  const sendOutputs = (outputs: Properties, secrecy: Secrecy): Struct =>
    send({ ...absent, ...present<Properties>(outputs) }, { secrecy, repeats: true, always });
  /** The message of a state. The URN in it finds the records of a resource that is renamed later. */
  const sendState = (
    { outputs, bookkeeping }: StoredState,
    urn: string | undefined,
    secrecy: Secrecy,
  ): Struct => sendOutputs({ ...outputs, __bookkeeping: bookkeeping, __urn: urn }, secrecy);
  const inputsIn = (properties: Properties): Inputs => split(properties).visible as Inputs;
  const stateIn = (properties: Properties): State => storedState<State>(properties, lifeCycle);

  /** Creates or updates the resource. A preview only predicts the outputs. */
  async function converge(
    { request, secrets, traceParent }: Call<rpc.CreateRequest | rpc.UpdateRequest>,
    { properties, secrecy }: Received,
    stored?: Properties,
  ): Promise<{ id: string; outputs: Struct }> {
    const inputs = inputsIn(properties);
    const before = stored && stateIn(stored);
    if (request.getPreview()) {
      const predicted = lifeCycle.predict(inputs, before, session().machine);
      return { id: "", outputs: sendOutputs({ ...predicted }, secrecy) };
    }
    refuseUnknown(inputs);
    const urn = urnIn(request);
    const of = { ...urnsOf(urnOf(stored ?? {}) ?? dynamicUrnOf(urn), urn), traceParent };
    const sent = (state: State): { id: string; outputs: Struct } => ({
      id: lifeCycle.idOf(state),
      outputs: sendState(state, urn, secrecy),
    });
    try {
      const state = await session().operation(before ? "update" : "create", of, secrets, (context) =>
        before
          ? lifeCycle.update(context, before, inputs, limitMs(request))
          : lifeCycle.create(context, inputs, limitMs(request)),
      );
      return sent(state);
    } catch (error) {
      if (!(error instanceof UnfinishedError) || (before !== undefined && isFault(error))) throw error;
      const { id, outputs } = sent(error.state as State);
      throw new PartialResult(shown(error.message, secrets), id, outputs, send(properties, { secrecy }));
    }
  }

  return {
    async check(call: Call<rpc.CheckRequest>): Promise<rpc.CheckResponse> {
      const { request, secrets } = call;
      const news = received(call, request.getNews());
      const olds = received(call, request.getOlds());
      const { inputs, failures } = lifeCycle.check(
        await withLocalDigests(split(news.properties).visible),
        session().configuration(secrets),
        split(olds.properties).visible,
      );
      const whole = failuresOfWholeResources(request.getNews());
      const rest = failures.filter(({ property }) => !whole.some((each) => each.property === property));
      return filled(new rpc.CheckResponse(), {
        inputs: send(inputs, { secrecy: news.secrecy }),
        failuresList: checkFailures([...whole, ...rest], secrets, news.secrecy),
      });
    },

    diff(call: Call<rpc.DiffRequest>): Promise<rpc.DiffResponse> {
      const { request, secrets } = call;
      return onStoredState(request.getUrn(), () => {
        const { machine } = session();
        const olds = received(call, request.getOlds()).properties;
        const news = received(call, request.getNews()).properties;
        const before = received(call, request.getOldInputs()).properties;
        const urns = urnsOf(urnOf(olds), urnIn(request));
        const [inputs, state] = [inputsIn(news), stateIn(olds)];
        const compared = lifeCycle.diff(inputs, state, machine);
        const diff = isRenamed(urns) ? renamedDiff(compared) : compared;
        decisions.reportDiff(session().reporter(urns.urn, secrets), urns.urn, diff.decision);
        const predicted = diff.hidden ? lifeCycle.predict(inputs, state, machine) : undefined;
        return detailedDiff(diff, { before, news, outputs: { ...state.outputs }, predicted });
      });
    },

    async create(call: Call<rpc.CreateRequest>): Promise<rpc.CreateResponse> {
      const { id, outputs } = await converge(call, received(call, call.request.getProperties()));
      return filled(new rpc.CreateResponse(), { id, properties: outputs });
    },

    async read(call: Call<rpc.ReadRequest>): Promise<rpc.ReadResponse> {
      const { request, secrets, traceParent } = call;
      const inputs = received(call, request.getInputs());
      const props = received(call, request.getProperties(), inputs.secrecy);
      const urn = urnIn(request);
      const of = { ...urnsOf(urnOf(props.properties), urn), traceParent };
      const found = await onStoredState(urn, () =>
        session().operation("read", of, secrets, async (context) => {
          const id = request.getId();
          // the engine sends neither inputs nor state for an import, and at least empty ones for a `.get()`
          if (!request.hasInputs() && !request.hasProperties()) return lifeCycle.import(context, id);
          if (!isStored(props.properties)) {
            return lifeCycle.lookUp(context, id, split(props.properties).visible);
          }
          const stored = stateIn(props.properties);
          const current = await lifeCycle.read(context, stored);
          const decision = current
            ? lifeCycle.diff(current.inputs, current.state, session().machine).decision
            : lifeCycle.gone(stored);
          decisions.reportRead(context.reporter, urn, decision);
          return current;
        }),
      );
      if (!found) return new rpc.ReadResponse();
      return filled(new rpc.ReadResponse(), {
        id: lifeCycle.idOf(found.state),
        // the next update finds the records of a resource that was renamed since
        properties: sendState(found.state, urnOf(props.properties) ?? urn, props.secrecy),
        inputs: send(found.inputs, { secrecy: props.secrecy, repeats: true }),
      });
    },

    async update(call: Call<rpc.UpdateRequest>): Promise<rpc.UpdateResponse> {
      const { properties } = received(call, call.request.getOlds());
      const news = received(call, call.request.getNews());
      const { outputs } = await onStoredState(call.request.getUrn(), () => converge(call, news, properties));
      return filled(new rpc.UpdateResponse(), { properties: outputs });
    },

    delete(call: Call<rpc.DeleteRequest>): Promise<void> {
      const { request, secrets, traceParent } = call;
      const { properties } = received(call, request.getProperties());
      const of = { ...urnsOf(urnOf(properties), urnIn(request)), traceParent };
      return onStoredState(request.getUrn(), () =>
        session().operation("delete", of, secrets, (context) =>
          lifeCycle.remove(context, stateIn(properties)),
        ),
      );
    },
  };
}

/** The properties of a call. Its secret texts must not get into messages. */
function received({ secrets }: Call<unknown>, struct: Struct | undefined, secrecy = new Secrecy()): Received {
  try {
    const result = receive(struct, secrecy);
    for (const text of secrecy.texts) secrets.add(text);
    return result;
  } catch (error) {
    throw new InvalidCallError(`the properties are malformed: ${(error as Error).message}`);
  }
}

function urnIn(request: { getUrn(): string }): string {
  const urn = request.getUrn();
  if (urn === "") throw new InvalidCallError("the call does not name the URN of its resource");
  return urn;
}

/** The time limit of an operation from `customTimeouts`, in milliseconds. */
function limitMs(request: { getTimeout(): number }): number | undefined {
  const seconds = request.getTimeout();
  return seconds > 0 ? seconds * 1_000 : undefined;
}

/** @throws InvalidCallError for a value that only a preview may leave open */
function refuseUnknown(value: unknown, path: readonly string[] = []): void {
  if (isUnknown(value)) throw new InvalidCallError(`${path.join(".")} is not known, and this is no preview`);
  if (typeof value !== "object" || value === null) return;
  for (const [name, each] of Object.entries(value)) refuseUnknown(each, [...path, name]);
}
