import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { PublicationFolder } from "../../../../provider/copies/publication/publicationRecords.ts";
import { MODES, notOnWindows } from "../../../systems.ts";

const ONE = { urn: "urn:one", place: "./copies" };
const OTHER = { urn: "urn:one", place: "./elsewhere" };

let folder: string;
let records: PublicationFolder;

beforeEach(() => {
  const root = mkdtempSync(join(tmpdir(), "publication-records-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  folder = join(root, "home/published");
  records = new PublicationFolder(() => folder);
});

test("a record is found by resource and destination, also by another process; a later one replaces it", () => {
  expect(records.find(ONE)).toBeUndefined();
  expect(records.save(ONE, { items: [1] })).toBeUndefined();
  expect(records.save(ONE, { items: [2, 1] })).toBeUndefined();
  const another = new PublicationFolder(() => folder);
  expect(another.find(ONE)).toEqual({ urn: "urn:one", items: [2, 1] });
  expect(another.find(OTHER)).toBeUndefined();
  expect(another.find({ ...ONE, urn: "urn:two" })).toBeUndefined();
  expect(readdirSync(folder)).toEqual([expect.stringMatching(/^[0-9a-f]{32}\.json$/)]);
});

test("only its owner can read a record", (context) => {
  notOnWindows(context, MODES);
  records.save(ONE, {});
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
});

test("a record is removed when the engine has stored the state, and not before", () => {
  records.save(ONE, {});
  records.save(OTHER, {});
  records.handOver(ONE);
  expect(records.find(ONE)).toBeDefined();
  records.operationEnded();
  expect(records.find(ONE)).toBeUndefined();
  expect(records.find(OTHER)).toBeDefined();
  records.save(ONE, {});
  records.operationEnded(); // records that were passed on before are removed
  expect(records.find(ONE)).toBeDefined();
  records.forget(ONE);
  records.forget(ONE);
  expect(records.find(ONE)).toBeUndefined();
});

test("an unreadable record counts as none, and one that cannot be written is reported by the system's code", () => {
  records.save(ONE, {});
  const [name = ""] = readdirSync(folder);
  writeFileSync(join(folder, name), "{");
  expect(records.find(ONE)).toBeUndefined();
  const below = new PublicationFolder(() => join(folder, name, "published"));
  expect(below.save(ONE, {})).toBe("ENOTDIR");
  below.forget(ONE);
});

test.runIf(existsSync("/proc/self"))("a folder that can never be created does not hang", () => {
  expect(new PublicationFolder(() => "/proc/never/published").save(ONE, {})).toBe("ENOENT");
});
