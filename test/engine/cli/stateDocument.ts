// The resources of the real CLI's state, as `pulumi stack export --show-secrets` writes them, and in reverse.
import { randomUUID } from "node:crypto";
import type { StateResource } from "../stack.ts";
import { parseUrn } from "../urn.ts";

/** One resource in the CLI's document; only the fields that are used here. */
export interface ResourceDocument {
  urn: string;
  type: string;
  custom?: boolean;
  id?: string;
  inputs?: Record<string, unknown>;
  outputs?: Record<string, unknown>;
  parent?: string;
  provider?: string;
  dependencies?: string[];
  propertyDependencies?: Record<string, string[] | null>;
  additionalSecretOutputs?: string[];
  initErrors?: string[];
  protect?: boolean;
  retainOnDelete?: boolean;
  external?: boolean;
  delete?: boolean;
  taint?: boolean;
}

export interface StateDocument {
  resources?: ResourceDocument[];
}

const signature = "4dabf18193072939515e22adb298388d";
const secretSignature = "1b47061264138c4ac30d75fd1eb44270";

export const isProvider = ({ type }: ResourceDocument): boolean => type.startsWith("pulumi:providers:");

const isDefaultProvider = ({ urn }: ResourceDocument): boolean => parseUrn(urn).name.startsWith("default");

const isDefaultReference = (reference: string): boolean =>
  isDefaultProvider({ urn: reference.slice(0, reference.lastIndexOf("::")), type: "" });

export function readResource(document: ResourceDocument): StateResource {
  const inputs = readValues(document.inputs ?? {});
  const outputs = readValues(document.outputs ?? {});
  const { id, parent, provider } = document;
  return {
    urn: document.urn,
    type: document.type,
    custom: document.custom ?? false,
    ...(id && { id }),
    ...(parent && { parent }),
    ...(provider && !isDefaultReference(provider) && { provider }),
    inputs: inputs.values,
    outputs: outputs.values,
    secretInputs: inputs.secretKeys,
    secretOutputs: outputs.secretKeys,
    dependencies: document.dependencies ?? [],
    propertyDependencies: Object.fromEntries(
      Object.entries(document.propertyDependencies ?? {}).map(([key, urns]) => [key, urns ?? []]),
    ),
    additionalSecretOutputs: document.additionalSecretOutputs ?? [],
    initErrors: document.initErrors ?? [],
    protect: document.protect ?? false,
    retainOnDelete: document.retainOnDelete ?? false,
    external: document.external ?? false,
    pendingDeletion: document.delete ?? false,
  };
}

/** With the providers first: each resource names one, the default one of its package or the one of its program. */
export function writeResources(
  resources: readonly StateResource[],
  known: readonly ResourceDocument[],
  names: { project: string; stack: string },
): ResourceDocument[] {
  const providers = known.filter(isProvider);
  const referenceFor = ({ type, provider }: StateResource): string => {
    if (provider !== undefined) return provider;
    const providerType = `pulumi:providers:${type.slice(0, type.indexOf(":"))}`;
    const isDefault = (each: ResourceDocument) => each.type === providerType && isDefaultProvider(each);
    let found = providers.find(isDefault);
    if (!found) {
      const urn = `urn:pulumi:${names.stack}::${names.project}::${providerType}::default`;
      found = { urn, type: providerType, custom: true, id: randomUUID() };
      providers.push(found);
    }
    return `${found.urn}::${found.id ?? ""}`;
  };
  const written = resources.map((resource) => writeResource(resource, referenceFor(resource)));
  return [...providers, ...written];
}

function writeResource(resource: StateResource, provider: string): ResourceDocument {
  const { secretInputs, secretOutputs, pendingDeletion, ...rest } = resource;
  return {
    ...rest,
    inputs: writeValues(resource.inputs, secretInputs),
    outputs: writeValues(resource.outputs, secretOutputs),
    delete: pendingDeletion,
    ...(resource.custom && { provider }),
  };
}

/** Secrets in plain text, and the keys that contain any. */
export function readValues(map: Record<string, unknown>): {
  values: Record<string, unknown>;
  secretKeys: string[];
} {
  const secretKeys: string[] = [];
  const values = Object.fromEntries(
    Object.entries(map).map(([key, value]) => [
      key,
      openSecrets(value, () => secretKeys.includes(key) || secretKeys.push(key)),
    ]),
  );
  return { values, secretKeys };
}

function openSecrets(value: unknown, onSecret: () => void): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((element) => openSecrets(element, onSecret));
  const map = value as Record<string, unknown>;
  if (map[signature] === secretSignature) {
    onSecret();
    const { plaintext } = map;
    return typeof plaintext === "string" ? openSecrets(JSON.parse(plaintext), onSecret) : map["ciphertext"];
  }
  return Object.fromEntries(Object.entries(map).map(([key, each]) => [key, openSecrets(each, onSecret)]));
}

const writeValues = (values: Record<string, unknown>, secretKeys: readonly string[]) =>
  Object.fromEntries(
    Object.entries(values).map(([key, value]) => [
      key,
      secretKeys.includes(key) ? { [signature]: secretSignature, plaintext: JSON.stringify(value) } : value,
    ]),
  );
