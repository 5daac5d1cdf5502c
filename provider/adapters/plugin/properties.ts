// Properties as the engine sends them, and as a life cycle takes them: plain values.
// https://github.com/pulumi/pulumi/blob/master/sdk/go/common/resource/plugin/rpc.go
import { type JavaScriptValue, Struct, Value } from "google-protobuf/google/protobuf/struct_pb";
import { isUnknown, UNKNOWN } from "../../base/runtime/messages/plainText";
import type { Properties } from "../session/storedProperties";
import { type Path, Secrecy } from "./secrecy";

/** The field that marks an object as a value of a special kind; its content names the kind. */
const KIND = "4dabf18193072939515e22adb298388d";
const SECRET = "1b47061264138c4ac30d75fd1eb44270";
const OUTPUT = "d0e6a833031e9bbcd3f4e8bde6ca49a4";
const RESOURCE = "5cf8f73096256a8f31e491e813e4eb8e";

/** The properties of a message. */
export interface Received {
  /** Plain values. */
  readonly properties: Properties;
  /** What of them is secret. */
  readonly secrecy: Secrecy;
  /** Names of inputs, with dots, that are a reference to a resource: of it, the properties have only the id. */
  readonly references: ReadonlySet<string>;
}

/**
 * Unwraps secrets, outputs and references to resources, at any depth. A reference becomes the resource's id. What is not known yet
 * becomes {@link UNKNOWN}.
 *
 * @param secrecy receives what was secret
 * @throws Error for a malformed message
 */
export function receive(struct: Struct = new Struct(), secrecy: Secrecy = new Secrecy()): Received {
  const references = new Set<string>();

  function plainValue(value: Value, path: Path, isSecret: boolean): unknown {
    if (value.hasStructValue()) return plainObject(value.getStructValue() ?? new Struct(), path, isSecret);
    if (value.hasListValue()) {
      const values = value.getListValue()?.getValuesList() ?? [];
      return values.map((each, index) => plainValue(each, [...path, String(index)], isSecret));
    }
    if (value.getKindCase() === Value.KindCase.KIND_NOT_SET) {
      throw new Error(`${path.join(".")} has no value`);
    }
    const plain = value.toJavaScript();
    if (isSecret && typeof plain === "string" && !isUnknown(plain)) secrecy.addText(plain);
    return plain;
  }

  function plainObject(object: Struct, path: Path, isSecret: boolean): unknown {
    const fields = object.getFieldsMap();
    const inner = fields.get("value");
    switch (fields.get(KIND)?.getStringValue()) {
      case SECRET:
        secrecy.addPath(path);
        if (!inner) throw new Error(`${path.join(".")} is a secret without a value`);
        return plainValue(inner, path, true);
      case OUTPUT: {
        const becomesSecret = fields.get("secret")?.getBoolValue() === true;
        if (becomesSecret) secrecy.addPath(path);
        return inner ? plainValue(inner, path, isSecret || becomesSecret) : UNKNOWN;
      }
      case RESOURCE: {
        references.add(path.join("."));
        const id = fields.get("id");
        return id ? id.getStringValue() || UNKNOWN : (fields.get("urn")?.getStringValue() ?? "");
      }
      default: // a map, an asset or an archive: the latter two are passed on unchanged
        return fieldsOf(object, path, isSecret);
    }
  }

  function fieldsOf(object: Struct, path: Path, isSecret: boolean): Properties {
    const fields: [string, unknown][] = [];
    object.getFieldsMap().forEach((value, name) => {
      fields.push([name, plainValue(value, [...path, name], isSecret)]);
    });
    return Object.fromEntries(fields);
  }

  return { properties: fieldsOf(struct, [], false), secrecy, references };
}

/**
 * Makes a message of plain values. `undefined` is left out.
 *
 * @param marked.secrecy which values are secrets
 * @param marked.repeats whether values elsewhere that repeat a secret text become secret, too
 * @param marked.always properties that are always secret
 */
export function send(
  properties: object,
  marked: { secrecy: Secrecy; repeats?: boolean; always?: readonly string[] },
): Struct {
  const { secrecy, repeats = false, always = [] } = marked;
  const isSecretAt = (value: unknown, path: Path): boolean =>
    (path.length === 1 && always.includes(path.join())) ||
    secrecy.hasPath(path) ||
    (repeats && typeof value === "string" && !isUnknown(value) && secrecy.isIn(value));

  const fieldsToSend = (object: object, path: Path, isSecret: boolean): Record<string, JavaScriptValue> =>
    Object.fromEntries(
      Object.entries(object)
        .filter(([, value]) => value !== undefined)
        .map(([given, value]: [string, unknown]) => {
          const name = given.toWellFormed();
          return [name, valueToSend(value, [...path, name], isSecret)];
        }),
    );

  function valueToSend(value: unknown, path: Path, isSecret: boolean): JavaScriptValue {
    if (!isSecret && isSecretAt(value, path)) {
      return { [KIND]: SECRET, value: valueToSend(value, path, true) };
    }
    if (typeof value === "string") return value.toWellFormed();
    if (typeof value === "boolean" || Number.isFinite(value)) return value as boolean | number;
    if (Array.isArray(value)) {
      return value.map((each, index) => valueToSend(each, [...path, String(index)], isSecret));
    }
    return typeof value === "object" && value !== null ? fieldsToSend(value, path, isSecret) : null;
  }

  return Struct.fromJavaScript(fieldsToSend(properties, [], false));
}
