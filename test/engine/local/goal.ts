// What a program asks for when it declares a resource. Options that this engine doesn't know are refused by name,
// never ignored.
import type { RegisterResourceRequest } from "@pulumi/pulumi/proto/resource_pb.js";
import { createUrn, stackType } from "../urn.ts";
import { aliasUrns, type Renames } from "./aliases.ts";
import { readBindings } from "./hooks.ts";
import { kubernetesProviderType } from "./kubernetes/kubernetesProviderResource.ts";
import type { Providers } from "./providers.ts";
import { fromStruct, type PropertyMap } from "./propertyValues.ts";
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

export function readGoal(
  request: RegisterResourceRequest,
  { project, stack, providers, aliased }: Renames & { providers: Providers },
): Goal {
  const type = request.getType();
  const name = request.getName();
  const parent = request.getParent() || undefined;
  const urn = createUrn(stack, project, type, name, parent);
  refuseUnsupported(request, urn, providers);
  const hooks = readBindings(request);
  const deletedWith = request.getDeletedwith();
  const provider = request.getCustom() ? request.getProvider() : "";
  const resource: StoredResource = {
    urn,
    type,
    custom: request.getCustom(),
    inputs: readInputs(request),
    outputs: {},
    ...(parent && { parent }),
    ...(provider && { provider }),
    ...(Object.keys(hooks).length > 0 && { hooks }),
    dependencies: request.getDependenciesList(),
    propertyDependencies: Object.fromEntries(
      Array.from(request.getPropertydependenciesMap().entries(), ([key, list]) => [key, list.getUrnsList()]),
    ),
    additionalSecretOutputs: request.getAdditionalsecretoutputsList(),
    ignoreChanges: request.getIgnorechangesList(),
    replaceOnChanges: request.getReplaceonchangesList(),
    ...(deletedWith && { deletedWith }),
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
    aliases: aliasUrns(request, { project, stack, aliased }),
    deleteBeforeReplace: request.getDeletebeforereplacedefined()
      ? request.getDeletebeforereplace()
      : undefined,
  };
}

/** The version of a provider is one of its inputs, as in the real engine. */
function readInputs(request: RegisterResourceRequest): PropertyMap {
  const inputs = fromStruct(request.getObject());
  const version = request.getVersion();
  return request.getType() === kubernetesProviderType && version ? { ...inputs, version } : inputs;
}

function refuseUnsupported(request: RegisterResourceRequest, urn: string, providers: Providers): void {
  const type = request.getType();
  const reason = request.getCustom() && providers.whyNot({ type, provider: request.getProvider() });
  const asked: Record<string, boolean> = {
    [reason || ""]: Boolean(reason),
    "remote components": request.getRemote(),
    import: request.getImportid() !== "",
    replaceWith: request.getReplaceWithList().length > 0,
    replacementTrigger: request.hasReplacementTrigger(),
    "state migrations": request.getStateMigrationsList().length > 0,
  };
  const names = Object.keys(asked).filter((option) => asked[option]);
  if (names.length > 0 && type !== stackType) {
    throw new Refusal(urn, `not supported by the test engine: ${names.join(", ")}`);
  }
}
