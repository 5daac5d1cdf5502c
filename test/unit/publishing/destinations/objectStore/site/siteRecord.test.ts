import { expect, test } from "vitest";
import { HEADERS_VERSION } from "../../../../../../provider/publishing/destinations/objectStore/fileHeaders.ts";
import {
  isRecordPath,
  parseRecord,
  recordPath,
  type SiteRecord,
  writeRecord,
} from "../../../../../../provider/publishing/destinations/objectStore/site/siteRecord.ts";

const PLACE = { uri: "s3://docs/v", uriOf: (key: string) => `s3://docs/${key}` };
const DIGEST = "ab".repeat(32);
const KEY = `v/${recordPath(DIGEST)}`;

const parse = async (...texts: readonly string[]): Promise<SiteRecord> =>
  (await parseRecord(PLACE, KEY, texts)).record;

const recordOf = (paths: readonly string[]): SiteRecord => ({
  sha256: DIGEST,
  isWhole: true,
  headersVersion: HEADERS_VERSION,
  files: new Map(paths.map((path) => [path, { sha256: DIGEST, revision: '"e"' }])),
  derived: ['"files":[', '],["', "a b/ü"],
});
const RECORD = recordOf(["__proto__", "a b/ü.html", '],["', '"files":["x', "constructor"]);

test("a record is read back as written, with any file names, in any pieces", async () => {
  const text = writeRecord(RECORD).toString();
  for (let at = 0; at <= text.length; at++) {
    expect(await parse(text.slice(0, at), text.slice(at))).toEqual(RECORD);
  }
  expect(await parse(...text.split(/(?:)/u))).toEqual(RECORD);
  const spaced = JSON.stringify(JSON.parse(text), undefined, 2);
  expect(await parse(spaced.slice(0, 200), spaced.slice(200))).toEqual(RECORD);
});

test("the parser counts the bytes of a record", async () => {
  const bytes = writeRecord(RECORD);
  expect(await parseRecord(PLACE, KEY, bytes.toString())).toMatchObject({ bytes: bytes.length });
});

test.for([0, 1, 999, 1_000, 1_001, 2_000])(
  "a record of %i files is written as JSON, as versions before read it",
  (count) => {
    const record = recordOf(Array.from({ length: count }, (_, at) => `${at}.html`));
    const { files, sha256, isWhole, derived, headersVersion } = record;
    const entries = [...files].map(([path, file]) => [path, file.sha256, file.revision]);
    expect(writeRecord(record).toString()).toBe(
      JSON.stringify({ format: 1, sha256, isWhole, derived, headersVersion, files: entries }),
    );
  },
);

test.for([
  "",
  "null",
  "[]",
  "{",
  JSON.stringify({ format: 2, sha256: DIGEST, isWhole: true, headersVersion: 1, files: [] }),
  JSON.stringify({ format: 1, sha256: DIGEST, isWhole: "yes", headersVersion: 1, files: [] }),
  JSON.stringify({ format: 1, sha256: DIGEST, isWhole: true, headersVersion: 1, files: ["a"] }),
  JSON.stringify({ format: 1, sha256: DIGEST, isWhole: true, headersVersion: 1, files: [["a", "b"]] }),
])("an invalid record is refused, with its path: %s", async (text) => {
  await expect(parse(...text.split(/(?:)/u))).rejects.toThrow(
    `s3://docs/v/.docs-hosting/${DIGEST}.json does not have the format of this version of pulumi-docs-hosting`,
  );
});

test("a record is recognized by its path", () => {
  expect(isRecordPath(`.docs-hosting/${DIGEST}.json`)).toBe(true);
  expect(isRecordPath(`.docs-hosting/${DIGEST}.txt`)).toBe(false);
  expect(isRecordPath(`v/.docs-hosting/${DIGEST}.json`)).toBe(false);
  expect(isRecordPath(`.docs-hosting/x${DIGEST}.json`)).toBe(false);
});
