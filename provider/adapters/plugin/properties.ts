// Properties as the engine sends them, and as a life cycle takes them: plain values.
// https://github.com/pulumi/pulumi/blob/master/sdk/go/common/resource/plugin/rpc.go
import { type JavaScriptValue, Struct, Value } from "google-protobuf/google/protobuf/struct_pb";
import { isUnknown, UNKNOWN } from "../../runtime/messages/plainText";
import type { Properties } from "../session/storedProperties";
import { type Path, Secrecy } from "./secrecy";

/** The field that marks an object as a value of a special kind; its content names the kind. */
const KIND = "4dabf18193072939515e22adb298388d";
const SECRET = "1b47061264138c4ac30d75fd1eb44270";
const OUTPUT = "d0e6a833031e9bbcd3f4e8bde6ca49a4";
const RESOURCE = "5cf8f73096256a8f31e491e813e4eb8e";

export interface Received {
  /** Plain values; what is not known yet is {@link UNKNOWN}. */
  readonly properties: Properties;
  readonly secrecy: Secrecy;
}

/**
 * Unwraps secrets, outputs and references to resources, at any depth. A reference becomes the resource's id.
 *
 * @param secrecy receives what was secret
 * @throws Error for a malformed message
 */
export function receive(struct: Struct | undefined, secrecy = new Secrecy()): Received {
  return { properties: struct ? fieldsOf(struct, [], secrecy, false) : {}, secrecy };
}

function fieldsOf(struct: Struct, path: Path, secrecy: Secrecy, isSecret: boolean): Properties {
  const fields: [string, unknown][] = [];
  struct.getFieldsMap().forEach((value, name) => {
    fields.push([name, plainValue(value, [...path, name], secrecy, isSecret)]);
  });
  return Object.fromEntries(fields);
}

function plainValue(value: Value, path: Path, secrecy: Secrecy, isSecret: boolean): unknown {
  switch (value.getKindCase()) {
    case Value.KindCase.NULL_VALUE:
    case Value.KindCase.BOOL_VALUE:
    case Value.KindCase.NUMBER_VALUE:
      return value.toJavaScript();
    case Value.KindCase.STRING_VALUE: {
      const text = value.getStringValue();
      if (isSecret && !isUnknown(text)) secrecy.addText(text);
      return text;
    }
    case Value.KindCase.LIST_VALUE:
      return (value.getListValue()?.getValuesList() ?? []).map((each, index) =>
        plainValue(each, [...path, String(index)], secrecy, isSecret),
      );
    case Value.KindCase.STRUCT_VALUE:
      return plainObject(value.getStructValue() ?? new Struct(), path, secrecy, isSecret);
    default:
      throw new Error(`${path.join(".")} has no value`);
  }
}

function plainObject(struct: Struct, path: Path, secrecy: Secrecy, isSecret: boolean): unknown {
  const fields = struct.getFieldsMap();
  const kind = fields.get(KIND)?.getStringValue();
  const inner = fields.get("value");
  switch (kind) {
    case SECRET:
      secrecy.addPath(path);
      if (!inner) throw new Error(`${path.join(".")} is a secret without a value`);
      return plainValue(inner, path, secrecy, true);
    case OUTPUT: {
      const becomesSecret = fields.get("secret")?.getBoolValue() === true;
      if (becomesSecret) secrecy.addPath(path);
      return inner ? plainValue(inner, path, secrecy, isSecret || becomesSecret) : UNKNOWN;
    }
    case RESOURCE: {
      const id = fields.get("id");
      if (!id) return fields.get("urn")?.getStringValue() ?? "";
      const text = id.getStringValue();
      return text === "" ? UNKNOWN : text;
    }
    default: // a map, an asset or an archive: the latter two are passed on unchanged
      return fieldsOf(struct, path, secrecy, isSecret);
  }
}

/** Whether the value at a path is a reference to a resource, of which {@link receive} leaves only the id. */
export function isReferenceAt(struct: Struct | undefined, [name, ...rest]: Path): boolean {
  const value = struct?.getFieldsMap().get(name ?? "");
  const inner = value && unwrapped(value.getStructValue());
  if (rest.length > 0) return isReferenceAt(inner, rest);
  return inner?.getFieldsMap().get(KIND)?.getStringValue() === RESOURCE;
}

/** The content of a secret or of an output. */
function unwrapped(struct: Struct | undefined): Struct | undefined {
  const kind = struct?.getFieldsMap().get(KIND)?.getStringValue();
  if (kind !== SECRET && kind !== OUTPUT) return struct;
  return unwrapped(struct?.getFieldsMap().get("value")?.getStructValue());
}

/** Which values are marked as secrets. */
export interface SecretRules {
  readonly secrecy: Secrecy;
  /** Whether values elsewhere that repeat a secret text become secret, too. */
  readonly repeats?: boolean;
  /** Properties that are always secret. */
  readonly always?: readonly string[];
}

/** Makes a message of plain values. `undefined` is left out. */
export function send(properties: object, rules: SecretRules): Struct {
  return Struct.fromJavaScript(fieldsToSend(properties, [], rules, false));
}

function fieldsToSend(
  properties: object,
  path: Path,
  rules: SecretRules,
  isSecret: boolean,
): Record<string, JavaScriptValue> {
  const fields = Object.entries(properties).flatMap(([given, value]: [string, unknown]) => {
    if (value === undefined) return [];
    const name = given.toWellFormed();
    return [[name, valueToSend(value, [...path, name], rules, isSecret)] as const];
  });
  return Object.fromEntries(fields);
}

function valueToSend(value: unknown, path: Path, rules: SecretRules, isSecret: boolean): JavaScriptValue {
  if (isSecret || !isSecretAt(value, path, rules)) return bareValue(value, path, rules, isSecret);
  return { [KIND]: SECRET, value: bareValue(value, path, rules, true) };
}

function isSecretAt(value: unknown, path: Path, { secrecy, repeats, always = [] }: SecretRules): boolean {
  const [name = ""] = path;
  if (path.length === 1 && always.includes(name)) return true;
  return (
    secrecy.hasPath(path) ||
    (repeats === true && typeof value === "string" && !isUnknown(value) && secrecy.isIn(value))
  );
}

function bareValue(value: unknown, path: Path, rules: SecretRules, isSecret: boolean): JavaScriptValue {
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value === "boolean" || Number.isFinite(value)) return value as boolean | number;
  if (Array.isArray(value)) {
    return value.map((each, index) => valueToSend(each, [...path, String(index)], rules, isSecret));
  }
  if (typeof value === "object" && value !== null) return fieldsToSend(value, path, rules, isSecret);
  return null;
}
