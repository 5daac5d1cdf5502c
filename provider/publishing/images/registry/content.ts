import { digestOf, isDigest } from "../../../base/runtime/values/digest";
import { parseJson } from "../../../base/runtime/values/json";

/** The digest and size of some content. */
export interface Blob {
  readonly digest: string;
  readonly size: number;
}

/** Annotations of a manifest or of an entry in an index. */
export type Annotations = Readonly<Record<string, string>>;

/** A blob, as a manifest describes it. */
export interface Descriptor extends Blob {
  readonly mediaType: string;
  readonly annotations?: Annotations | undefined;
}

/** Content in memory: a manifest, an image's configuration, a signature. */
export interface Content {
  readonly digest: string;
  readonly mediaType: string;
  readonly bytes: Buffer;
}

/** Bytes, or a value as JSON. */
export function contentOf(mediaType: string, value: Buffer | object): Content {
  const bytes = Buffer.isBuffer(value) ? value : Buffer.from(JSON.stringify(value));
  return { digest: digestOf(bytes), mediaType, bytes };
}

/** A manifest or an index with these fields. */
export function manifestOf(mediaType: string, fields: object): Content {
  return contentOf(mediaType, { schemaVersion: 2, mediaType, ...fields });
}

/** Describes content in a manifest. */
export function describe({ mediaType, digest, bytes }: Content): Descriptor {
  return { mediaType, digest, size: bytes.length };
}

/** Reads a descriptor of a manifest, without its annotations. @returns undefined when it is invalid */
export function descriptorIn(value: unknown): Descriptor | undefined {
  const { mediaType, digest, size } = fieldsOf(value);
  const isSize = typeof size === "number" && Number.isSafeInteger(size) && size >= 0;
  return isDigest(digest) && typeof mediaType === "string" && isSize
    ? { mediaType, digest, size }
    : undefined;
}

/** The annotations of a manifest or a descriptor, those that are texts. @param value as for {@link fieldsOf} */
export function annotationsIn(value: unknown): Annotations {
  const entries = Object.entries(fieldsOf(fieldAt(value, "annotations")));
  const isText = (entry: [string, unknown]): entry is [string, string] => typeof entry[1] === "string";
  return Object.fromEntries(entries.filter(isText));
}

/** A list among the fields of an object in JSON; empty if there is none. @param value as for {@link fieldsOf} */
export function listIn(value: unknown, name: string): readonly unknown[] {
  const list = fieldAt(value, name);
  return Array.isArray(list) ? list : [];
}

/** A field inside nested objects in JSON, by the names on the way. @param value as for {@link fieldsOf} */
export function fieldAt(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce((found, name) => fieldsOf(found)[name], value);
}

/** Whether a text is an object in JSON, as every manifest is. */
export function isObject(bytes: Buffer): boolean {
  const value = parseJson(bytes.toString());
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The fields of an object in JSON; none of anything else. @param value the bytes of JSON, or a part of it */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  const found = Buffer.isBuffer(value) ? parseJson(value.toString()) : value;
  return typeof found === "object" && found !== null && !Array.isArray(found) ? { ...found } : {};
}
