// A resource as the program declares it. Options that this engine does not support are refused by name, never ignored.
import type { RegisterResourceRequest } from "@pulumi/pulumi/proto/resource_pb.js";
import { createUrn, stackType } from "../urn.ts";
import { aliasUrns, type Renames } from "./aliases.ts";
import { goDurationMs } from "./goDuration.ts";
import { bindsOthers, readBindings } from "./hooks.ts";
import { fromStruct } from "./propertyValues.ts";
import { packageOf } from "./providerReference.ts";
import type { Providers } from "./providers.ts";
import type { CustomTimeouts, StoredResource } from "./stateFile.ts";

export interface Goal {
  name: string;
  resource: StoredResource;
  aliases: string[];
  /** The id of the existing resource to import; "" where the program names none. */
  importId: string;
  /** Overrides the provider's own decision. */
  deleteBeforeReplace: boolean | undefined;
}

/** A feature that the engine does not support. Each message is shown on the resource's row. */
export class Refusal extends Error {
  readonly urn: string;
  readonly messages: string[];

  constructor(urn: string, ...messages: string[]) {
    super(messages.join("\n"));
    this.urn = urn;
    this.messages = messages;
  }
}

function readTimeouts(request: RegisterResourceRequest): CustomTimeouts | undefined {
  const given = request.getCustomtimeouts();
  if (!given) return undefined;
  const texts = {
    create: given.getCreate(),
    update: given.getUpdate(),
    delete: given.getDelete(),
    read: given.getRead(),
  };
  const set = Object.entries(texts).filter(([, text]) => text !== "");
  return Object.fromEntries(set.map(([name, text]) => [name, goDurationMs(text) / 1_000]));
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
  providers.useVersion(packageOf(type), request.getVersion());
  const hooks = readBindings(request);
  const deletedWith = request.getDeletedwith();
  const provider = request.getProvider();
  const customTimeouts = readTimeouts(request);
  const resource: StoredResource = {
    urn,
    type,
    custom: request.getCustom(),
    inputs: fromStruct(request.getObject()),
    outputs: {},
    ...(parent && { parent }),
    ...(provider && request.getCustom() && { provider }),
    ...(customTimeouts && { customTimeouts }),
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
    importId: request.getImportid(),
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
    "explicit providers":
      request.getCustom() && request.getProvider() !== "" && type.startsWith("pulumi-nodejs:"),
    "hooks before a step or of a deletion": bindsOthers(request),
    "remote components": request.getRemote(),
    "replaceOnChanges of a part of a value": request
      .getReplaceonchangesList()
      .some((path) => /[.[*]/.test(path)),
    replaceWith: request.getReplaceWithList().length > 0,
    replacementTrigger: request.hasReplacementTrigger(),
    "state migrations": request.getStateMigrationsList().length > 0,
    transforms: request.getTransformsList().length > 0,
  };
  const names = Object.keys(asked).filter((option) => asked[option]);
  if (names.length > 0 && type !== stackType) {
    throw new Refusal(urn, `not supported by the test engine: ${names.join(", ")}`);
  }
}
