import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ajv, type ValidateFunction } from "ajv";
import { parse } from "yaml";
import { runCommand } from "../programs/commands.ts";

/** A version of `k8s.io/client-go` for every minor version of Kubernetes: 1.N is 0.N there. */
export const CLIENTS = [
  "0.25.9", "0.26.9", "0.27.3", "0.28.8", "0.29.15", "0.30.14",
  "0.31.14", "0.32.13", "0.33.13", "0.34.2", "0.35.10", "0.36.6",
]; // prettier-ignore
/** The oldest version with what is needed here, and a new one. */
export const GATEWAY_APIS = ["1.1.0", "1.6.3"];

type Schema = Record<string, unknown>;

/** A type as structured-merge-diff writes it, the package that applies changes of objects on the server. */
interface ServerType {
  scalar?: "string" | "numeric" | "boolean" | "untyped";
  list?: { elementType: ServerType };
  map?: { fields?: { name: string; type: ServerType }[]; elementType?: ServerType };
  namedType?: string;
}

interface ApiObject {
  apiVersion: string;
  kind: string;
  spec?: unknown;
  /** Of a PodTemplate, which has no spec. */
  template?: unknown;
}

/** The errors of an object, a sentence each. */
export type Check = (object: ApiObject) => string[];

/**
 * Checks manifests by the types that clients of this Kubernetes version know: an unknown field, or a field of another type, is an
 * error. These types do not say which fields are required, and which values are allowed.
 */
export async function kubernetesCheck(client: string): Promise<Check> {
  const folder = await goModule(`k8s.io/client-go@v${client}`);
  const source = await readFile(join(folder, "applyconfigurations/internal/internal.go"), "utf8");
  const yaml = /YAMLObject\(`([^`]*)`\)/.exec(source)?.[1] ?? "";
  const { types } = parse(yaml) as { types: (ServerType & { name: string })[] };
  const $defs = Object.fromEntries(types.map((type) => [type.name, schemaOf(type)]));
  const ajv = new Ajv({ strict: false, allErrors: true }).addSchema({ $id: "types", $defs });
  return (manifest) => {
    const name = typeName(manifest);
    const check = ajv.getSchema(`types#/$defs/${name}`);
    return check ? errorsOf(check, manifest) : [`no type is named ${name}`];
  };
}

/** Checks an object by the schema of the Gateway API's own resource definition. */
export async function gatewayCheck(version: string): Promise<Check> {
  const folder = await goModule(`sigs.k8s.io/gateway-api@v${version}`);
  return definitionCheck(join(folder, "config/crd/standard/gateway.networking.k8s.io_httproutes.yaml"));
}

/** Checks an object by the schema of a CustomResourceDefinition, version `v1` of it. */
export async function definitionCheck(file: string): Promise<Check> {
  const definition = parse(await readFile(file, "utf8")) as {
    spec: { versions: { name: string; schema: { openAPIV3Schema: Schema } }[] };
  };
  const v1 = definition.spec.versions.find(({ name }) => name === "v1");
  if (!v1) throw new Error(`${file} has no version v1`);
  // only the API server checks metadata
  const schema = closed({
    ...v1.schema.openAPIV3Schema,
    properties: withoutMetadata(v1.schema.openAPIV3Schema),
  });
  const check = new Ajv({ strict: false, allErrors: true, validateFormats: false }).compile(schema);
  return (manifest) => errorsOf(check, { ...manifest, metadata: {} });
}

const withoutMetadata = (schema: Schema): Schema => ({
  ...(schema["properties"] as Schema | undefined),
  metadata: {},
});

/** `apps/v1` Deployment is `io.k8s.api.apps.v1.Deployment`; of `rbac.authorization.k8s.io`, the first word. */
function typeName({ apiVersion, kind }: ApiObject): string {
  const [version = "", group = "core"] = apiVersion.split("/").reverse();
  return `io.k8s.api.${group.replace(/\..*/, "")}.${version}.${kind}`;
}

function schemaOf({ scalar, list, map, namedType }: ServerType): Schema {
  if (namedType !== undefined) return { $ref: `types#/$defs/${namedType}` };
  if (scalar === "untyped") return {};
  if (scalar !== undefined) return { type: scalar === "numeric" ? "number" : scalar };
  if (list) return { type: "array", items: schemaOf(list.elementType) };
  const properties = Object.fromEntries((map?.fields ?? []).map(({ name, type }) => [name, schemaOf(type)]));
  const more = map?.elementType ? schemaOf(map.elementType) : false;
  return { type: "object", properties, additionalProperties: more };
}

/** The same schema, in which no object may have undeclared fields. */
function closed(schema: Schema): Schema {
  const inner = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, typeof value === "object" ? closedIn(value) : value]),
  );
  const isClosed = typeof schema["properties"] === "object" && !("additionalProperties" in schema);
  return isClosed && schema["type"] === "object" ? { ...inner, additionalProperties: false } : inner;
}

const closedIn = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(closedIn)
    : typeof value === "object" && value !== null
      ? closed(value as Schema)
      : value;

function errorsOf(check: ValidateFunction, manifest: object): string[] {
  if (check(manifest)) return [];
  return (check.errors ?? []).map(
    ({ instancePath, message = "", params }) => `${instancePath} ${message}: ${JSON.stringify(params)}`,
  );
}

/** @returns its folder, in the module cache of Go */
async function goModule(name: string): Promise<string> {
  const answer = await runCommand("go", ["mod", "download", "-json", name], { cwd: tmpdir() });
  return (JSON.parse(answer) as { Dir: string }).Dir;
}
