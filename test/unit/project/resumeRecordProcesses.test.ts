import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import {
  type RecordedResource,
  type RecordedStart,
  ResumeFolder,
} from "../../../provider/resource/resumeRecords.ts";
import { notOnWindows, POSIX_PROGRAMS } from "../../systems.ts";

const RESOURCE: RecordedResource = {
  baseUrl: "https://api.example.test",
  urn: "urn:pulumi:test::docs::pulumi-nodejs:dynamic/docs-hosting:StaticExport::docs",
  domain: "docs.example.com",
};
const INTENT = "a".repeat(64);
/** What the tests' processes run: the provider as it is installed. */
const COMPILED = join(import.meta.dirname, "../../../dist/provider/resource/resumeRecords.js");

function newFolder(): { folder: string; records: ResumeFolder } {
  const folder = mkdtempSync(join(tmpdir(), "records-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return { folder, records: new ResumeFolder(() => folder, { now: Date.now, random: Math.random }) };
}

/** A program of another process, in which `save` writes a record of the resource. */
const program = (folder: string, text: string): string =>
  `const { ResumeFolder } = require(${JSON.stringify(COMPILED)});
   const records = new ResumeFolder(() => ${JSON.stringify(folder)}, { now: Date.now, random: Math.random });
   const save = (start) => records.save(${JSON.stringify(RESOURCE)}, ${JSON.stringify(INTENT)}, start);
   ${text}`;

test("two processes that write at once leave whole records only, and no draft", async () => {
  const { folder, records } = newFolder();
  const write = (name: string): Promise<unknown> =>
    promisify(execFile)(process.execPath, [
      "-e",
      program(
        folder,
        `for (let i = 0; i < 100; i++) {
           const problem = save({ jobId: "${name}-" + i });
           if (problem) throw new Error(problem);
         }`,
      ),
    ]);
  const writers = { done: false };
  const both = Promise.all([write("one"), write("other")]).finally(() => (writers.done = true));
  const found = new Set<string | undefined>();
  while (!writers.done) {
    found.add(records.find(RESOURCE, INTENT).jobId);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await both;
  found.delete(undefined); // before the first
  for (const jobId of found) expect(jobId).toMatch(/^(one|other)-\d+$/);
  expect(records.find(RESOURCE, INTENT).jobId).toMatch(/^(one|other)-99$/);
  expect(readdirSync(folder).length).toBeLessThanOrEqual(2); // one of each, where neither saw the other's in time
});

test.for<[string, RecordedStart, RecordedStart]>([
  ["the key of the start whose job it writes", { idempotencyKey: "key-1" }, { jobId: "job-1" }],
  ["the job beside which it writes a key", { jobId: "job-1" }, { jobId: "job-1", idempotencyKey: "key-1" }],
  ["a long record that it makes shorter", { jobId: "j".repeat(512) }, { jobId: "job-2" }],
])(
  "a process that ends between opening a record and writing it leaves %s",
  async ([, before, after], context) => {
    notOnWindows(context, POSIX_PROGRAMS);
    const { folder, records } = newFolder();
    expect(records.save(RESOURCE, INTENT, before)).toBeUndefined();
    await failingToWrite(folder, after);
    expect(records.find(RESOURCE, INTENT)).toEqual(before);
  },
);

test("a process that ends so leaves the record of an earlier release, which has no blanks at its end", async (context) => {
  notOnWindows(context, POSIX_PROGRAMS);
  const { folder, records } = newFolder();
  records.save(RESOURCE, INTENT, { idempotencyKey: "key-1" });
  const path = join(folder, readdirSync(folder)[0] ?? "");
  writeFileSync(path, readFileSync(path, "utf8").trim());
  await failingToWrite(folder, { jobId: "job-1" });
  expect(records.find(RESOURCE, INTENT)).toEqual({ idempotencyKey: "key-1" });
  expect(records.save(RESOURCE, INTENT, { jobId: "job-1" })).toBeUndefined();
  expect(records.find(RESOURCE, INTENT)).toEqual({ jobId: "job-1" });
});

/** Lets a process record a start that can open files, and write to none: each write fails, or ends it. */
async function failingToWrite(folder: string, start: RecordedStart): Promise<void> {
  const text = program(folder, `process.exit(save(${JSON.stringify(start)}) === undefined ? 0 : 7);`);
  const shell = 'ulimit -f 0 && exec "$0" -e "$1"';
  const ended = promisify(execFile)("sh", ["-c", shell, process.execPath, text]);
  await expect(ended).rejects.toThrow();
}
