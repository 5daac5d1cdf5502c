// Property values are in Pulumi's wire form everywhere: plain JSON, in which an object with a signature represents a secret and
// one certain string an unknown value.
import { isDeepStrictEqual } from "node:util";
import type { Struct as StructMessage } from "google-protobuf/google/protobuf/struct_pb.js";
import { unknownValue } from "../stack.ts";
import { Struct } from "./wire.ts";

export type PropertyValue = null | boolean | number | string | PropertyValue[] | PropertyMap;
export interface PropertyMap {
  [key: string]: PropertyValue;
}

export const signature = "4dabf18193072939515e22adb298388d";
export const secretSignature = "1b47061264138c4ac30d75fd1eb44270";

export const isMap = (value: PropertyValue | undefined): value is PropertyMap =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const isSecret = (value: PropertyValue | undefined): value is PropertyMap =>
  isMap(value) && value[signature] === secretSignature;

export const secret = (value: PropertyValue): PropertyMap =>
  isSecret(value) ? value : { [signature]: secretSignature, value };

/** Rebuilds a value; calls `replace` on every secret, and puts the result in its place. */
export function mapSecrets(
  value: PropertyValue,
  replace: (secret: PropertyMap) => PropertyValue,
): PropertyValue {
  if (isSecret(value)) return replace(value);
  if (Array.isArray(value)) return value.map((element) => mapSecrets(element, replace));
  if (isMap(value)) return mapSecretsIn(value, replace);
  return value;
}

export const mapSecretsIn = (
  map: PropertyMap,
  replace: (secret: PropertyMap) => PropertyValue,
): PropertyMap =>
  Object.fromEntries(Object.entries(map).map(([key, value]) => [key, mapSecrets(value, replace)]));

/** The value without its marks. */
export const plain = (value: PropertyValue): PropertyValue =>
  mapSecrets(value, (marked) => plain(marked["value"] ?? null));

export const plainMap = (map: PropertyMap): PropertyMap =>
  Object.fromEntries(Object.entries(map).map(([key, value]) => [key, plain(value)]));

export function containsSecret(value: PropertyValue): boolean {
  let found = false;
  mapSecrets(value, (marked) => {
    found = true;
    return marked;
  });
  return found;
}

/** Something in it is to come from what is not made yet. */
export function containsUnknown(value: PropertyValue): boolean {
  if (Array.isArray(value)) return value.some(containsUnknown);
  return isMap(value) ? Object.values(value).some(containsUnknown) : value === unknownValue;
}

/**
 * Marks secrets again after a value was sent in plain text: the dynamic provider accepts no secrets, so a returned value is
 * secret when the sent value of that name was (the real engine's annotateSecrets). A list with a secret becomes one secret.
 */
export const remark = (returned: PropertyMap, sent: PropertyMap): PropertyMap =>
  Object.fromEntries(
    Object.entries(returned).map(([key, value]) => {
      const counterpart = sent[key];
      if (counterpart === undefined || isSecret(value)) return [key, value];
      if (isMap(value) && isMap(counterpart) && !isSecret(counterpart)) {
        return [key, remark(value, counterpart)];
      }
      return [key, containsSecret(counterpart) ? secret(value) : value];
    }),
  );

export const markSecret = (map: PropertyMap, keys: readonly string[]): PropertyMap =>
  Object.fromEntries(
    Object.entries(map).map(([key, value]) => [key, keys.includes(key) ? secret(value) : value]),
  );

export const secretKeys = (map: PropertyMap): string[] =>
  Object.keys(map).filter((key) => containsSecret(map[key] ?? null));

/** Top-level keys that differ, without marks. Keys beginning with `__` are the SDK's own and never shown. */
export const changedKeys = (olds: PropertyMap, news: PropertyMap): string[] =>
  [...new Set([...Object.keys(olds), ...Object.keys(news)])].filter(
    (key) => !isDeepStrictEqual(plain(olds[key] ?? null), plain(news[key] ?? null)),
  );

// structs on the wire
export const toStruct = (map: PropertyMap): StructMessage => Struct.fromJavaScript(map);
export const fromStruct = (struct: StructMessage | undefined): PropertyMap =>
  struct ? struct.toJavaScript() : {};
