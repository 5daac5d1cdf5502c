import { expect, test } from "vitest";
import { HEADERS_VERSION } from "../../../../../provider/copies/destinations/objectStore/fileHeaders.ts";
import {
  isRecordPath,
  readRecord,
  recordPath,
  writeRecord,
} from "../../../../../provider/copies/destinations/objectStore/siteRecord.ts";

const PLACE = { uri: "s3://docs/v", uriOf: (key: string) => `s3://docs/${key}` };
const DIGEST = "ab".repeat(32);
const KEY = `v/${recordPath(DIGEST)}`;

test("a record is read back as written, with any file names", () => {
  const files = new Map(
    ["__proto__", "a b/ü.html", "constructor"].map((path) => [path, { sha256: DIGEST, revision: '"e"' }]),
  );
  const record = {
    sha256: DIGEST,
    isWhole: true,
    headersVersion: HEADERS_VERSION,
    files,
    derived: ["a b/ü"],
  };
  expect(readRecord(PLACE, KEY, writeRecord(record))).toEqual({ ...record, headersVersion: 2 });
});

test.for([
  "",
  "null",
  "[]",
  "{",
  JSON.stringify({ format: 2, sha256: DIGEST, isWhole: true, headersVersion: 1, files: [] }),
  JSON.stringify({ format: 1, sha256: DIGEST, isWhole: "yes", headersVersion: 1, files: [] }),
  JSON.stringify({ format: 1, sha256: DIGEST, isWhole: true, headersVersion: 1, files: ["a"] }),
  JSON.stringify({ format: 1, sha256: DIGEST, isWhole: true, headersVersion: 1, files: [["a", "b"]] }),
])("an invalid record is refused, with its path: %s", (text) => {
  expect(() => readRecord(PLACE, KEY, text)).toThrow(
    `s3://docs/v/.docs-hosting/${DIGEST}.json does not have the format of this version of pulumi-docs-hosting`,
  );
});

test("a record is recognized by its path", () => {
  expect(isRecordPath(`.docs-hosting/${DIGEST}.json`)).toBe(true);
  expect(isRecordPath(`.docs-hosting/${DIGEST}.txt`)).toBe(false);
  expect(isRecordPath(`v/.docs-hosting/${DIGEST}.json`)).toBe(false);
  expect(isRecordPath(`.docs-hosting/x${DIGEST}.json`)).toBe(false);
});
