import { expect, test } from "vitest";
import {
  annotationsIn,
  contentOf,
  describe,
  descriptorIn,
  fieldsOf,
  manifestOf,
} from "../../../../../provider/publishing/images/registry/content.ts";

const DIGEST = `sha256:${"a".repeat(64)}`;

test("content keeps its bytes, and a value is written as JSON", () => {
  expect(contentOf("a/b", Buffer.from("x"))).toMatchObject({ mediaType: "a/b", bytes: Buffer.from("x") });
  const manifest = manifestOf("a/b", { layers: [] });
  expect(manifest.bytes.toString()).toBe('{"schemaVersion":2,"mediaType":"a/b","layers":[]}');
  expect(describe(manifest)).toEqual({ mediaType: "a/b", digest: manifest.digest, size: 49 });
});

test("a descriptor is read without its other fields", () => {
  const read = { mediaType: "a/b", digest: DIGEST, size: 0 };
  expect(descriptorIn({ ...read, annotations: { a: "b" }, urls: ["https://example.com"] })).toEqual(read);
});

test.each([
  undefined,
  "text",
  { digest: DIGEST, size: 1 },
  { mediaType: "a/b", size: 1 },
  { mediaType: "a/b", digest: DIGEST },
  { mediaType: "a/b", digest: `x${DIGEST}`, size: 1 },
  { mediaType: "a/b", digest: DIGEST, size: -1 },
  { mediaType: "a/b", digest: DIGEST, size: 0.5 },
  { mediaType: "a/b", digest: DIGEST, size: 2 ** 53 },
  { mediaType: "a/b", digest: DIGEST, size: "1" },
])("%j is no descriptor", (value) => {
  expect(descriptorIn(value)).toBeUndefined();
});

test("annotations are texts", () => {
  expect(annotationsIn({ annotations: { a: "b", c: 1, d: null } })).toEqual({ a: "b" });
  expect(annotationsIn(Buffer.from('{"annotations":{"a":"b"}}'))).toEqual({ a: "b" });
  for (const none of [undefined, {}, { annotations: ["b"] }, Buffer.from("text")]) {
    expect(annotationsIn(none)).toEqual({});
  }
});

test("only an object has fields", () => {
  expect(fieldsOf({ a: 1 })).toEqual({ a: 1 });
  expect(fieldsOf(Buffer.from('{"a":1}'))).toEqual({ a: 1 });
  for (const none of [null, undefined, "text", 1, ["a"], Buffer.from("[1]"), Buffer.from("{"), () => 1]) {
    expect(fieldsOf(none)).toEqual({});
  }
});
