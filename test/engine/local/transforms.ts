// Functions of the program that change a declaration before the engine processes it: those of the resource itself, then its
// parents', the nearest first.
import { isDeepStrictEqual } from "node:util";
import type { RegisterResourceRequest, TransformResourceOptions } from "@pulumi/pulumi/proto/resource_pb.js";
import type { Callbacks } from "./callbacks.ts";
import { fromStruct } from "./propertyValues.ts";
import { resourceProto } from "./wire.ts";

type Transform = (request: Uint8Array) => Promise<Uint8Array>;

interface Registered {
  parent: string;
  transforms: Transform[];
}

export class Transforms {
  #callbacks: Callbacks;
  #byUrn = new Map<string, Registered>();
  #own = new WeakMap<RegisterResourceRequest, Transform[]>();

  constructor(callbacks: Callbacks) {
    this.#callbacks = callbacks;
  }

  /** @throws «transform failed: …» */
  async apply(request: RegisterResourceRequest): Promise<void> {
    const own = request.getTransformsList().map((callback) => this.#callbacks.open(callback));
    for (const transform of [...own, ...this.#ofParents(request.getParent())]) {
      await applyOne(transform, request);
    }
    request.setTransformsList([]);
    this.#own.set(request, own);
  }

  /** Its children inherit what it has. */
  remember(request: RegisterResourceRequest, urn: string): void {
    this.#byUrn.set(urn, { parent: request.getParent(), transforms: this.#own.get(request) ?? [] });
  }

  #ofParents(urn: string): Transform[] {
    const parent = this.#byUrn.get(urn);
    return parent ? [...parent.transforms, ...this.#ofParents(parent.parent)] : [];
  }
}

async function applyOne(transform: Transform, request: RegisterResourceRequest): Promise<void> {
  const question = new resourceProto.TransformRequest();
  question.setType(request.getType());
  question.setName(request.getName());
  question.setCustom(request.getCustom());
  question.setParent(request.getParent());
  question.setProperties(request.getObject());
  question.setOptions(readOptions(request));
  const answer = resourceProto.TransformResponse.deserializeBinary(
    await transform(question.serializeBinary()),
  );
  const properties = answer.getProperties();
  if (properties && !isDeepStrictEqual(fromStruct(properties), fromStruct(request.getObject()))) {
    request.setObject(properties);
    // the dependencies of each value get lost on the way through the program, as with the real engine
    for (const list of request.getPropertydependenciesMap().values()) list.clearUrnsList();
  }
  const options = answer.getOptions();
  if (options) writeOptions(request, options);
}

function readOptions(request: RegisterResourceRequest): TransformResourceOptions {
  const options = new resourceProto.TransformResourceOptions();
  options.setDependsOnList(request.getDependenciesList());
  if (request.hasProtect()) options.setProtect(request.getProtect() ?? false);
  options.setIgnoreChangesList(request.getIgnorechangesList());
  options.setReplaceOnChangesList(request.getReplaceonchangesList());
  options.setAliasesList(request.getAliasesList());
  options.setProvider(request.getProvider());
  options.setCustomTimeouts(request.getCustomtimeouts());
  if (request.hasRetainondelete()) options.setRetainOnDelete(request.getRetainondelete() ?? false);
  options.setDeletedWith(request.getDeletedwith());
  if (request.getDeletebeforereplacedefined()) {
    options.setDeleteBeforeReplace(request.getDeletebeforereplace());
  }
  options.setAdditionalSecretOutputsList(request.getAdditionalsecretoutputsList());
  options.setImport(request.getImportid());
  options.setHooks(request.getHooks());
  options.setReplaceWithList(request.getReplaceWithList());
  return options;
}

function writeOptions(request: RegisterResourceRequest, options: TransformResourceOptions): void {
  request.setDependenciesList(options.getDependsOnList());
  if (options.hasProtect()) request.setProtect(options.getProtect() ?? false);
  request.setIgnorechangesList(options.getIgnoreChangesList());
  request.setReplaceonchangesList(options.getReplaceOnChangesList());
  request.setAliasesList(options.getAliasesList());
  request.setProvider(options.getProvider());
  if (options.hasRetainOnDelete()) request.setRetainondelete(options.getRetainOnDelete() ?? false);
  request.setDeletedwith(options.getDeletedWith());
  request.setDeletebeforereplacedefined(options.hasDeleteBeforeReplace());
  request.setDeletebeforereplace(options.getDeleteBeforeReplace() ?? false);
  request.setAdditionalsecretoutputsList(options.getAdditionalSecretOutputsList());
  request.setImportid(options.getImport());
  request.setHooks(options.getHooks());
  request.setReplaceWithList(options.getReplaceWithList());
}
