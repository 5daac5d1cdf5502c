import * as rpc from "@pulumi/pulumi/proto/provider_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { isUnknown } from "../../base/runtime/messages/plainText";
import { present } from "../../base/runtime/values/fields";
import type { StoredState } from "../../resource/lifeCycle";
import { rowsThat } from "../../resource/outputTable";
import { filled } from "../session/rowReporter";
import type { Session } from "../session/session";
import {
  type AnyLifeCycle,
  dynamicUrnOf,
  onStoredState,
  operationsOf,
  type Properties,
  split,
  urnOf,
  urnsOf,
} from "../session/storedProperties";
import { InvalidCallError, PartialResult, type PluginCall } from "./calls";
import { checkFailures, failuresOfWholeResources } from "./checkFailures";
import { detailedDiff } from "./detailedDiff";
import { withLocalDigests } from "./localDigests";
import { receive, type Received, send } from "./properties";
import { Secrecy } from "./secrecy";

/** The calls about one type of resource, by name. */
export interface ResourceCalls {
  check(call: PluginCall<rpc.CheckRequest>): Promise<rpc.CheckResponse>;
  diff(call: PluginCall<rpc.DiffRequest>): Promise<rpc.DiffResponse>;
  create(call: PluginCall<rpc.CreateRequest>): Promise<rpc.CreateResponse>;
  read(call: PluginCall<rpc.ReadRequest>): Promise<rpc.ReadResponse>;
  update(call: PluginCall<rpc.UpdateRequest>): Promise<rpc.UpdateResponse>;
  delete(call: PluginCall<rpc.DeleteRequest>): Promise<Empty>;
}

/**
 * The calls about one type of resource: the adapter between Pulumi's provider protocol and a life cycle. It only translates:
 * properties in and out, secrets, what is not known yet, and partial results.
 *
 * @param session of the engine that calls
 * @param hasSecretBaseUrl whether the base URL that is filled in is a secret
 */
export function resourceCalls(
  lifeCycle: AnyLifeCycle,
  session: Session,
  hasSecretBaseUrl: () => boolean,
): ResourceCalls {
  const resource = operationsOf(lifeCycle, session);
  const always = Object.keys(rowsThat("isSecret", lifeCycle.outputs));
  const absent = Object.fromEntries(
    Object.keys(rowsThat("nullIfAbsent", lifeCycle.outputs)).map((name) => [name, null]),
  );
  const sendOutputs = (outputs: Properties, secrecy: Secrecy): Struct =>
    send({ ...absent, ...present<Properties>(outputs) }, { secrecy, repeats: true, always });
  /** The message of a state. The URN in it finds the records of a resource that is renamed later. */
  const sendState = ({ outputs, bookkeeping }: StoredState, urn: string, secrecy: Secrecy): Struct =>
    sendOutputs({ ...outputs, __bookkeeping: bookkeeping, __urn: urn }, secrecy);

  /** Creates or updates the resource. A preview only predicts the outputs. */
  async function converge(
    call: PluginCall<rpc.CreateRequest | rpc.UpdateRequest>,
    { properties, secrecy }: Received,
    stored?: Properties,
  ): Promise<{ id: string; properties: Struct }> {
    const { request } = call;
    const urn = urnOf(stored ?? {}) ?? dynamicUrnOf(request.getUrn());
    if (request.getPreview()) {
      await resource.foresee(ofCall(call, { __urn: urn }), properties, stored, call.secrets);
      return { id: "", properties: sendOutputs(resource.predict(properties, stored), secrecy) };
    }
    refuseUnknown(split(properties).visible);
    const of = ofCall(call, { __urn: urn });
    const made = await resource.converge(of, properties, stored, limitMs(request), call.secrets);
    const sent = { id: made.id, properties: sendState(made.state, of.urn, secrecy) };
    if (made.unfinished === undefined) return sent;
    throw new PartialResult(made.unfinished, { ...sent, inputs: send(properties, { secrecy }) });
  }

  return {
    async check(call) {
      const { request, secrets } = call;
      const news = received(call, request.getNews());
      const olds = received(call, request.getOlds());
      const given = await withLocalDigests(split(news.properties).visible);
      if (hasSecretBaseUrl()) markFilledIn(given, news.secrecy);
      const { inputs, failures } = resource.check(
        request.getUrn() || undefined,
        given,
        olds.properties,
        secrets,
      );
      const whole = failuresOfWholeResources(news.references);
      const rest = failures.filter(({ property }) => !whole.some((each) => each.property === property));
      return filled(new rpc.CheckResponse(), {
        inputs: send(inputs, { secrecy: news.secrecy }),
        failuresList: checkFailures([...whole, ...rest], given, secrets, news.secrecy),
      });
    },

    diff(call) {
      const { request, secrets } = call;
      return onStoredState(request.getUrn(), () => {
        const olds = received(call, request.getOlds()).properties;
        const news = received(call, request.getNews()).properties;
        const before = received(call, request.getOldInputs()).properties;
        const diff = resource.diff(ofCall(call, olds), news, olds, secrets);
        const outputs: Properties = { ...resource.stateIn(olds).outputs };
        const predicted = diff.hidden ? resource.predict(news, olds) : undefined;
        return detailedDiff(diff, before, news, outputs, predicted);
      });
    },

    async create(call) {
      const made = await converge(call, received(call, call.request.getProperties()));
      return filled(new rpc.CreateResponse(), made);
    },

    async read(call) {
      const { request, secrets } = call;
      const inputs = received(call, request.getInputs());
      const { properties, secrecy } = received(call, request.getProperties(), inputs.secrecy);
      const of = ofCall(call, properties);
      if (hasSecretBaseUrl()) markFilledIn(inputs.properties, secrecy);
      // the engine sends neither inputs nor state for an import, and at least empty ones for a `.get()`
      const isImport = !request.hasInputs() && !request.hasProperties();
      const found = await resource.read(of, request.getId(), properties, secrets, isImport);
      if (!found) return new rpc.ReadResponse();
      return filled(new rpc.ReadResponse(), {
        id: lifeCycle.idOf(found.state),
        // the next update finds the records of a resource that was renamed since
        properties: sendState(found.state, urnOf(properties) ?? of.urn, secrecy),
        inputs: send(found.inputs, { secrecy, repeats: true }),
      });
    },

    async update(call) {
      const olds = received(call, call.request.getOlds()).properties;
      const news = received(call, call.request.getNews());
      const { properties } = await onStoredState(call.request.getUrn(), () => converge(call, news, olds));
      return filled(new rpc.UpdateResponse(), { properties });
    },

    async delete(call) {
      const { properties } = received(call, call.request.getProperties());
      await resource.remove(ofCall(call, properties), properties, call.secrets);
      return new Empty();
    },
  };
}

/** Marks a base URL as a secret that is not given, so that the one of the settings is filled in. */
function markFilledIn({ baseUrl, source }: Properties, secrecy: Secrecy): void {
  if ((baseUrl ?? null) === null) secrecy.addPath(["baseUrl"]);
  const fields = Object(source) as { readonly jobId?: unknown; readonly baseUrl?: unknown };
  const isExport = (fields.jobId ?? null) !== null;
  if (isExport && (fields.baseUrl ?? null) === null) secrecy.addPath(["source", "baseUrl"]);
}

/** The properties of a call. Its secret texts must not get into messages. */
function received(
  { secrets }: PluginCall<unknown>,
  struct: Struct | undefined,
  secrecy = new Secrecy(),
): Received {
  try {
    const result = receive(struct, secrecy);
    for (const text of secrecy.texts) secrets.add(text);
    return result;
  } catch (error) {
    throw new InvalidCallError(`the properties are malformed: ${(error as Error).message}`);
  }
}

/** The resource of a call, and the call's span. */
function ofCall({ request, traceParent }: PluginCall<{ getUrn(): string }>, stored: Properties) {
  const urn = request.getUrn();
  if (urn === "") throw new InvalidCallError("the call does not name the URN of its resource");
  return { ...urnsOf(urnOf(stored), urn), urn, traceParent };
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
