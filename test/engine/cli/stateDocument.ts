// The resources of the real CLI's state, as `pulumi stack export --show-secrets` writes them, and back.
import { randomUUID } from "node:crypto";
import type { PendingOperation, StateResource } from "../stack.ts";

/** One resource in the CLI's document; only what is used here. */
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
}

export interface StateDocument {
  resources?: ResourceDocument[];
  pending_operations?: { resource: ResourceDocument; type: PendingOperation["type"] }[];
}

const signature = "4dabf18193072939515e22adb298388d";
const secretSignature = "1b47061264138c4ac30d75fd1eb44270";
const providerType = "pulumi:providers:pulumi-nodejs";

export const isProvider = ({ type }: ResourceDocument): boolean => type.startsWith("pulumi:providers:");

export function readResource(document: ResourceDocument): StateResource {
  const inputs = readValues(document.inputs ?? {});
  const outputs = readValues(document.outputs ?? {});
  const { id, parent } = document;
  return {
    urn: document.urn,
    type: document.type,
    custom: document.custom ?? false,
    ...(id && { id }),
    ...(parent && { parent }),
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

/** With the default provider in front, which every dynamic resource must name. */
export function writeResources(
  resources: readonly StateResource[],
  known: readonly ResourceDocument[],
  names: { project: string; stack: string },
): ResourceDocument[] {
  const provider = known.find(({ type }) => type === providerType) ?? {
    urn: `urn:pulumi:${names.stack}::${names.project}::${providerType}::default`,
    type: providerType,
    custom: true,
    id: randomUUID(),
  };
  const reference = `${provider.urn}::${provider.id ?? ""}`;
  return [provider, ...resources.map((resource) => writeResource(resource, reference))];
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

/** Secrets in plain text, and the keys that hold any. */
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
