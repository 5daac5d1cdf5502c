import { types } from "node:util";
import * as pulumi from "@pulumi/pulumi";
import { FILES_REMEDY, REFUSED_VALUE } from "../provider/resource/anyValue";

/**
 * A value as Pulumi can register it: a `Date` becomes its ISO text. A value that JSON cannot hold becomes a mark, so that the provider
 * refuses it at the user's own property: Pulumi would make an empty object of it, whose changes nobody sees. Outputs and promises
 * are followed.
 */
export function anyValue(value: unknown, around: readonly object[] = []): unknown {
  if (pulumi.Output.isInstance(value)) return value.apply((inner) => anyValue(inner));
  if (types.isPromise(value)) return value.then((inner) => anyValue(inner));
  const refused = refusalOf(value, around);
  if (refused !== undefined) return { [REFUSED_VALUE]: refused };
  if (types.isDate(value)) return value.toISOString();
  if (Array.isArray(value)) return Array.from(value, (each) => anyValue(each, [...around, value]));
  if (typeof value !== "object" || value === null || pulumi.Resource.isInstance(value)) return value;
  const inner = [...around, value];
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, anyValue(each, inner)]));
}

/** What a value is, and what to write in its place; `undefined` for a value that can be registered. */
function refusalOf(value: unknown, around: readonly object[]): string | undefined {
  if (typeof value === "function") return "a function: write what it returns";
  if (typeof value === "symbol") return "a symbol: write its text";
  if (typeof value === "bigint") return "a BigInt: write its text, such as String(value)";
  if (typeof value !== "object" || value === null) return undefined;
  if (around.includes(value)) return "an object that contains itself: write only its values that matter";
  if (value instanceof Error) return "an Error: write its message";
  if (value instanceof URL) return "a URL: write its href";
  if (types.isDate(value)) {
    return Number.isNaN(value.getTime()) ? "an invalid Date: write a valid one" : undefined;
  }
  if (Array.isArray(value) || pulumi.Resource.isInstance(value)) return undefined;
  if (pulumi.asset.Asset.isInstance(value) || pulumi.asset.Archive.isInstance(value)) return FILES_REMEDY;
  if (types.isMap(value)) return "a Map: write Object.fromEntries(map)";
  if (types.isSet(value)) return "a Set: write [...set]";
  if (types.isRegExp(value)) return "a RegExp: write its source";
  if (ArrayBuffer.isView(value) || types.isAnyArrayBuffer(value)) {
    return 'bytes: write their text, such as buffer.toString("base64")';
  }
  return isPlainObject(value)
    ? undefined
    : `an object of a class (${nameOfClass(value)}): write a plain object of its values`;
}

/** Also an object of another realm, such as the sandbox of a test runner. */
function isPlainObject(value: object): boolean {
  const prototype = Object.getPrototypeOf(value) as object | null;
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function nameOfClass(value: object): string {
  const { name } = value.constructor as { name?: unknown };
  return typeof name === "string" && name !== "" ? name : "without a name";
}
