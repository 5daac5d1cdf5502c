// What a program asks for when it declares a resource. Options that this engine doesn't know are refused by name,
// never ignored.
import type { RegisterResourceRequest } from "@pulumi/pulumi/proto/resource_pb.js";
import { createUrn, stackType } from "../urn.ts";
import { fromStruct } from "./propertyValues.ts";
import type { StoredResource } from "./stateFile.ts";

export interface Goal {
  name: string;
  resource: StoredResource;
  aliases: string[];
  /** Overrides the provider's own wish. */
  deleteBeforeReplace: boolean | undefined;
}

/** Something that the engine won't do. Each message is shown on the resource's row. */
export class Refusal extends Error {
  readonly urn: string;
  readonly messages: string[];

  constructor(urn: string, ...messages: string[]) {
    super(messages.join("\n"));
    this.urn = urn;
    this.messages = messages;
  }
}

export const dynamicTypePrefix = "pulumi-nodejs:dynamic";

export function readGoal(request: RegisterResourceRequest, names: { project: string; stack: string }): Goal {
  const type = request.getType();
  const name = request.getName();
  const parent = request.getParent() || undefined;
  const urn = createUrn(names.stack, names.project, type, name, parent);
  refuseUnsupported(request, urn);
  const resource: StoredResource = {
    urn,
    type,
    custom: request.getCustom(),
    inputs: fromStruct(request.getObject()),
    outputs: {},
    ...(parent && { parent }),
    dependencies: request.getDependenciesList(),
    propertyDependencies: Object.fromEntries(
      Array.from(request.getPropertydependenciesMap().entries(), ([key, list]) => [key, list.getUrnsList()]),
    ),
    additionalSecretOutputs: request.getAdditionalsecretoutputsList(),
    ignoreChanges: request.getIgnorechangesList(),
    replaceOnChanges: request.getReplaceonchangesList(),
    initErrors: [],
    protect: request.getProtect() ?? false,
    retainOnDelete: request.getRetainondelete() ?? false,
    external: false,
    pendingDeletion: false,
    pendingReplacement: false,
  };
  return {
    name,
    resource,
    aliases: request.getAliasurnsList(),
    deleteBeforeReplace: request.getDeletebeforereplacedefined()
      ? request.getDeletebeforereplace()
      : undefined,
  };
}

function refuseUnsupported(request: RegisterResourceRequest, urn: string): void {
  const type = request.getType();
  const asked: Record<string, boolean> = {
    [`resources of type ${type}`]: request.getCustom() && !type.startsWith(dynamicTypePrefix),
    "remote components": request.getRemote(),
    "explicit providers": request.getProvider() !== "",
    import: request.getImportid() !== "",
    deletedWith: request.getDeletedwith() !== "",
    replaceWith: request.getReplaceWithList().length > 0,
    replacementTrigger: request.hasReplacementTrigger(),
    hooks: hasHooks(request),
    transforms: request.getTransformsList().length > 0,
    "state migrations": request.getStateMigrationsList().length > 0,
    "alias specs": request.getAliasesList().length > 0,
  };
  const names = Object.keys(asked).filter((option) => asked[option]);
  if (names.length > 0 && type !== stackType) {
    throw new Refusal(urn, `not supported by the test engine: ${names.join(", ")}`);
  }
}

function hasHooks(request: RegisterResourceRequest): boolean {
  const hooks = request.getHooks()?.toObject();
  return hooks !== undefined && Object.values(hooks).some((list) => list.length > 0);
}
