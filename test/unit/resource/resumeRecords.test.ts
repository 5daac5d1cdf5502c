import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  RECORD_LIFE_MS,
  type RecordedResource,
  ResumeFolder,
} from "../../../provider/resource/resumeRecords.ts";
import { intentOf } from "../../../provider/staticExport/inputs.ts";
import { URN } from "../../simulation/testContext.ts";
import { MODES, notOnWindows } from "../../systems.ts";

const RESOURCE: RecordedResource = {
  baseUrl: "https://api.example.test/c4n4ry-path",
  urn: URN,
  domain: "docs.example.com",
};
const INTENT = "a".repeat(64);

let home: string;
let folder: string;
let nowMs: number;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "pulumi-home-"));
  folder = join(home, "docs-hosting/resume");
  nowMs = Date.now();
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** A separate process: it knows only the contents of the folder. */
const records = (): ResumeFolder => new ResumeFolder(() => folder, { now: () => nowMs, random: Math.random });
const files = (): string[] => readdirSync(folder);
function onlyFile(): string {
  const [name = "", ...others] = files();
  expect(others).toEqual([]);
  return join(folder, name);
}

test("another process finds the saved job, with its URN and nothing else in plain text", () => {
  expect(records().save(RESOURCE, INTENT, { jobId: "job-1" })).toBeUndefined();
  expect(records().find(RESOURCE, INTENT).jobId).toBe("job-1");
  expect(JSON.parse(readFileSync(onlyFile(), "utf8"))).toEqual({ urn: RESOURCE.urn, jobId: "job-1" });
  expect(onlyFile()).not.toContain("c4n4ry");
});

test("the records of a renamed resource are found only under its new URN, with their age", () => {
  const urn = `${RESOURCE.urn}-renamed`;
  records().save(RESOURCE, INTENT, { jobId: "job-1" });
  records().save(RESOURCE, "b".repeat(64), { idempotencyKey: "key-1" });
  records().save({ ...RESOURCE, domain: "other.example.com" }, INTENT, { jobId: "job-2" });
  const savedAt = new Date(nowMs - RECORD_LIFE_MS + 60_000);
  for (const name of files()) utimesSync(join(folder, name), savedAt, savedAt);
  records().rename(RESOURCE, urn);
  expect(records().find({ ...RESOURCE, urn }, INTENT).jobId).toBe("job-1");
  expect(records().find({ ...RESOURCE, urn }, "b".repeat(64)).idempotencyKey).toBe("key-1");
  expect(records().find(RESOURCE, INTENT).jobId).toBeUndefined();
  expect(records().find({ ...RESOURCE, domain: "other.example.com" }, INTENT).jobId).toBe("job-2");
  const texts = files().map((name) => readFileSync(join(folder, name), "utf8"));
  expect(texts.filter((text) => text.includes("-renamed"))).toHaveLength(2);
  const modes = files().map((name) => statSync(join(folder, name)).mode & 0o777);
  if (process.platform !== "win32") expect(modes).toEqual([0o600, 0o600, 0o600]);
  nowMs += 120_000;
  expect(records().find({ ...RESOURCE, urn }, INTENT).jobId).toBeUndefined();
});

test("a rename leaves later records of the new URN alone, and a missing folder, too", () => {
  const renamed = { ...RESOURCE, urn: `${RESOURCE.urn}-renamed` };
  records().rename(RESOURCE, renamed.urn);
  records().save(RESOURCE, INTENT, { jobId: "job-1" });
  const earlier = new Date(nowMs - 60_000);
  utimesSync(onlyFile(), earlier, earlier); // two files that are written at once have the same time
  records().save(renamed, INTENT, { jobId: "job-2" });
  records().rename(RESOURCE, renamed.urn);
  expect(records().find(renamed, INTENT).jobId).toBe("job-2");
});

test("a rename moves valid records: other files stay where they were", () => {
  const urn = `${RESOURCE.urn}-renamed`;
  records().save(RESOURCE, INTENT, { jobId: "job-1" });
  writeFileSync(onlyFile(), '{ "urn": "urn:pulumi:test", "jobI');
  records().save(RESOURCE, "b".repeat(64), { jobId: "job-2" });
  records().rename(RESOURCE, urn);
  expect(records().find({ ...RESOURCE, urn }, "b".repeat(64)).jobId).toBe("job-2");
  const texts = files().map((name) => readFileSync(join(folder, name), "utf8"));
  expect(texts.map((text) => text.length > 40).sort()).toEqual([false, true]);
});

test("the name has the resource in 32 digits, the salt and the content", () => {
  records().save(RESOURCE, INTENT, { jobId: "job-1" });
  expect(files()).toEqual([expect.stringMatching(/^[0-9a-f]{32}-[0-9a-f]{32}-[0-9a-f]{32}\.json$/)]);
});

test("without particular content, a record has no salt, as earlier releases search for it", () => {
  const intent = intentOf(RESOURCE);
  records().save(RESOURCE, intent, { jobId: "job-1" });
  expect(onlyFile()).toMatch(new RegExp(`[0-9a-f]{32}-${intent.slice(0, 32)}\\.json$`));
  expect(records().find(RESOURCE, intent).jobId).toBe("job-1");
});

test.each<[string, Partial<RecordedResource>, string]>([
  ["service", { baseUrl: "https://other.example.test" }, INTENT],
  ["resource", { urn: `${RESOURCE.urn}-2` }, INTENT],
  ["site", { domain: "other.example.com" }, INTENT],
  ["content", {}, "b".repeat(64)],
])("the job of another %s is not found", (_what, other, intent) => {
  records().save(RESOURCE, INTENT, { jobId: "job-1" });
  expect(records().find({ ...RESOURCE, ...other }, intent).jobId).toBeUndefined();
});

test("another process finds the key of a start without a reply, until there is a job or a refusal", () => {
  records().save(RESOURCE, INTENT, { idempotencyKey: "key-1" });
  expect(records().find(RESOURCE, INTENT).idempotencyKey).toBe("key-1");
  expect(records().find(RESOURCE, INTENT).jobId).toBeUndefined();
  records().save(RESOURCE, INTENT, { jobId: "job-1" });
  expect(records().find(RESOURCE, INTENT).idempotencyKey).toBeUndefined();
  records().save(RESOURCE, "b".repeat(64), { idempotencyKey: "key-2" });
  records().forgetStart(RESOURCE, "b".repeat(64));
  records().forgetStart(RESOURCE, "c".repeat(64));
  expect(records().find(RESOURCE, "b".repeat(64)).idempotencyKey).toBeUndefined();
  expect(records().find(RESOURCE, INTENT).jobId).toBe("job-1");
});

test("a refused start leaves the job that was known before it, and has another key the next time", () => {
  const known = { jobId: "job-1", startedAtMs: 1_700_000_000_000 };
  records().save(RESOURCE, INTENT, { ...known, idempotencyKey: "key-1" });
  records().forgetStart(RESOURCE, INTENT);
  expect(records().find(RESOURCE, INTENT)).toEqual(known);
  expect(files()).toHaveLength(1);
});

test("a later job of the same content replaces the earlier one", () => {
  records().save(RESOURCE, INTENT, { jobId: "job-1" });
  records().save(RESOURCE, INTENT, { jobId: "job-2" });
  expect(records().find(RESOURCE, INTENT).jobId).toBe("job-2");
  expect(files()).toHaveLength(1);
});

test("only the owner can read file and folder", (context) => {
  notOnWindows(context, MODES);
  records().save(RESOURCE, INTENT, { jobId: "job-1" });
  expect(statSync(onlyFile()).mode & 0o777).toBe(0o600);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test.each([
  ["nothing", ""],
  ["half a record", '{ "urn": "urn:pulumi:test", "jobI'],
  ["null", "null"],
  ["a number", "7"],
  ["no job", "{}"],
  ["a job that is a folder", '{ "jobId": ".." }'],
  ["a job that is an object", '{ "jobId": {} }'],
  ["a key that is a number", '{ "idempotencyKey": 7 }'],
  ["not text", "\0\u{1}\uffff"],
])("a file with %s in it is no record, and can be replaced", (_what, text) => {
  records().save(RESOURCE, INTENT, { jobId: "job-1" });
  writeFileSync(onlyFile(), text);
  expect(records().find(RESOURCE, INTENT).jobId).toBeUndefined();
  expect(records().find(RESOURCE, INTENT).idempotencyKey).toBeUndefined();
  expect(records().save(RESOURCE, INTENT, { jobId: "job-2" })).toBeUndefined();
  expect(records().find(RESOURCE, INTENT).jobId).toBe("job-2");
});

test("no folder means no record, and nothing to forget", () => {
  expect(records().find(RESOURCE, INTENT).jobId).toBeUndefined();
  records().forget(RESOURCE);
  records().operationEnded();
  expect(readdirSync(home)).toEqual([]);
});

describe("after a day", () => {
  const age = (path: string, ms: number): void => {
    const at = new Date(nowMs - ms);
    utimesSync(path, at, at);
  };

  test("is a day to the millisecond: a record is valid until then, and is not removed before", () => {
    expect(RECORD_LIFE_MS).toBe(86_400_000);
    records().save(RESOURCE, INTENT, { jobId: "job-1" });
    nowMs -= nowMs % 1_000; // a file's own time is only as exact as it was written
    age(onlyFile(), RECORD_LIFE_MS);
    expect(statSync(onlyFile()).mtimeMs).toBe(nowMs - RECORD_LIFE_MS);
    expect(records().find(RESOURCE, INTENT).jobId).toBe("job-1");
    records().save({ ...RESOURCE, urn: "urn:other" }, INTENT, { jobId: "job-2" });
    expect(records().find(RESOURCE, INTENT).jobId).toBe("job-1");
    nowMs += 1;
    expect(records().find(RESOURCE, INTENT).jobId).toBeUndefined();
  });

  test("the newest of two records of one content counts, whichever is found first", () => {
    records().save(RESOURCE, INTENT, { jobId: "job-1" });
    const prefix = join(folder, (files()[0] ?? "").slice(0, 33));
    const unsalted = `${prefix}${INTENT.slice(0, 32)}.json`;
    const salted = onlyFile();
    writeFileSync(unsalted, '{ "jobId": "job-2" }');
    for (const [older, newer, jobId] of [
      [salted, unsalted, "job-2"],
      [unsalted, salted, "job-1"],
    ] as const) {
      age(older, 7_200_000);
      age(newer, 3_600_000);
      expect(records().find(RESOURCE, INTENT).jobId).toBe(jobId);
    }
  });

  test("an unreadable file of another process in the folder does no harm", () => {
    records().save(RESOURCE, INTENT, { jobId: "job-1" });
    const prefix = (files()[0] ?? "").slice(0, 33);
    symlinkSync(join(folder, "is not there"), join(folder, "0-dangling"));
    symlinkSync(join(folder, "is not there"), join(folder, `${prefix}${INTENT.slice(0, 32)}.json`));
    expect(records().find(RESOURCE, INTENT).jobId).toBe("job-1");
    const other = { ...RESOURCE, urn: "urn:other" };
    expect(records().save(other, INTENT, { jobId: "job-2" })).toBeUndefined();
    expect(records().find(other, INTENT).jobId).toBe("job-2");
  });

  test.each(["0-", ".old"])("a file whose name only resembles that of a record is none (%s)", (more) => {
    records().save(RESOURCE, INTENT, { jobId: "job-1" });
    const [name = ""] = files();
    const lookalike = more === "0-" ? `${name.slice(0, 33)}0-${name.slice(33)}` : name + more;
    renameSync(join(folder, name), join(folder, lookalike));
    expect(records().find(RESOURCE, INTENT).jobId).toBeUndefined();
  });

  test("a record is removed when the next one is written, with any other files in the folder", () => {
    records().save(RESOURCE, INTENT, { jobId: "job-1" });
    age(onlyFile(), RECORD_LIFE_MS + 1_000);
    for (const name of ["0-somebody's folder", "zzz"]) {
      mkdirSync(join(folder, name, "in it"), { recursive: true });
      age(join(folder, name), RECORD_LIFE_MS + 1_000);
    }
    records().save({ ...RESOURCE, urn: "urn:other" }, INTENT, { jobId: "job-2" });
    expect(files().filter((name) => name.endsWith(".json"))).toHaveLength(1);
  });

  test("a record of a clock that was ahead is still valid", () => {
    records().save(RESOURCE, INTENT, { jobId: "job-1" });
    age(onlyFile(), -3 * 3_600_000);
    expect(records().find(RESOURCE, INTENT).jobId).toBe("job-1");
  });
});

test.each([
  ["the folder's place is taken by a file", () => writeFileSync(join(home, "docs-hosting"), "")],
  [
    "the record's place is taken by a folder",
    () => {
      records().save(RESOURCE, INTENT, { jobId: "job-1" });
      const path = onlyFile();
      rmSync(path);
      mkdirSync(join(path, "in it"), { recursive: true });
    },
  ],
])("a record that cannot be written is reported, and not thrown: %s", (_why, block) => {
  block();
  expect(records().save(RESOURCE, INTENT, { jobId: "job-2" })).toMatch(/^E[A-Z]+$/);
  expect(records().find(RESOURCE, INTENT).jobId).toBeUndefined();
});

test("the name of a record does not show the content, not even that two have the same", () => {
  records().save(RESOURCE, INTENT, { jobId: "job-1" });
  const [name = ""] = files();
  expect(name).not.toContain("aaaa");
  records().forget(RESOURCE);
  records().save(RESOURCE, INTENT, { jobId: "job-1" });
  expect(files()[0]?.slice(66)).not.toBe(name.slice(66));
});

test("a record of an earlier release, without a salt, is found, replaced and forgotten", () => {
  records().save(RESOURCE, INTENT, { jobId: "job-1" });
  const old = onlyFile().replace(/-[0-9a-f]{32}-[0-9a-f]{32}\.json$/, `-${INTENT.slice(0, 32)}.json`);
  renameSync(onlyFile(), old);
  expect(records().find(RESOURCE, INTENT).jobId).toBe("job-1");
  expect(records().find(RESOURCE, "b".repeat(64)).jobId).toBeUndefined();
  records().save(RESOURCE, INTENT, { jobId: "job-2" });
  expect(records().find(RESOURCE, INTENT).jobId).toBe("job-2");
  records().forget(RESOURCE);
  expect(files()).toEqual([]);
});

describe("forgetting", () => {
  test("removes all of a resource's records, and no others", () => {
    records().save(RESOURCE, INTENT, { jobId: "job-1" });
    records().save(RESOURCE, "b".repeat(64), { jobId: "job-2" });
    const other = { ...RESOURCE, domain: "other.example.com" };
    records().save(other, INTENT, { jobId: "job-3" });
    records().forget(RESOURCE);
    expect(files()).toHaveLength(1);
    expect(records().find(other, INTENT).jobId).toBe("job-3");
  });

  test("of one content leaves the records of others, also where nothing was wanted", () => {
    records().save(RESOURCE, INTENT, { jobId: "job-1" });
    records().save(RESOURCE, "b".repeat(64), { jobId: "job-2" });
    records().forgetContent(RESOURCE, INTENT);
    expect(records().find(RESOURCE, INTENT).jobId).toBeUndefined();
    expect(records().find(RESOURCE, "b".repeat(64)).jobId).toBe("job-2");
  });

  test("waits until the engine has stored the returned state, and happens once for it", () => {
    const process = records();
    process.save(RESOURCE, INTENT, { jobId: "job-1" });
    process.operationEnded();
    process.handOver(RESOURCE);
    expect(records().find(RESOURCE, INTENT).jobId).toBe("job-1");
    process.operationEnded();
    expect(files()).toEqual([]);
    process.save(RESOURCE, INTENT, { jobId: "job-2" });
    process.operationEnded();
    expect(records().find(RESOURCE, INTENT).jobId).toBe("job-2");
  });
});

test.runIf(process.platform === "linux")(
  "a folder in which nothing can be created is reported, and does not hang",
  () => {
    const records = new ResumeFolder(() => "/proc/docs-hosting/resume", {
      now: () => nowMs,
      random: Math.random,
    });
    expect(records.save(RESOURCE, INTENT, { jobId: "job-1" })).toBe("ENOENT");
  },
);
