// What a program asks for when it declares a resource. Options that this engine doesn't know are refused by name,
// never ignored.
import type { RegisterResourceRequest } from "@pulumi/pulumi/proto/resource_pb.js";
import { createUrn, stackType } from "../urn.ts";
import { aliasUrns, type Renames } from "./aliases.ts";
import { bindsOthers, readBindings } from "./hooks.ts";
import type { Providers } from "./providers.ts";
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
  const resource: StoredResource = {
    urn,
    type,
    custom: request.getCustom(),
    inputs: fromStruct(request.getObject()),
    outputs: {},
    ...(parent && { parent }),
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

function refuseUnsupported(request: RegisterResourceRequest, urn: string, providers: Providers): void {
  const type = request.getType();
  const reason = request.getCustom() && providers.whyNot(type);
  const asked: Record<string, boolean> = {
    [reason || ""]: Boolean(reason),
    "explicit providers": request.getCustom() && request.getProvider() !== "",
    "hooks before a step or of a deletion": bindsOthers(request),
    "remote components": request.getRemote(),
    import: request.getImportid() !== "",
    "replaceOnChanges of a part of a value": request
      .getReplaceonchangesList()
      .some((path) => /[.[*]/.test(path)),
    replaceWith: request.getReplaceWithList().length > 0,
    replacementTrigger: request.hasReplacementTrigger(),
    "state migrations": request.getStateMigrationsList().length > 0,
  };
  const names = Object.keys(asked).filter((option) => asked[option]);
  if (names.length > 0 && type !== stackType) {
    throw new Refusal(urn, `not supported by the test engine: ${names.join(", ")}`);
  }
}
