import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { type RecordedResource, ResumeFolder } from "../../../provider/resource/resumeRecords.ts";

const RESOURCE: RecordedResource = {
  baseUrl: "https://api.example.test",
  urn: "urn:pulumi:test::docs::pulumi-nodejs:dynamic/docs-hosting:StaticExport::docs",
  domain: "docs.example.com",
};
const INTENT = "a".repeat(64);

test("two processes that write at once leave whole records only, and no draft", async () => {
  const folder = mkdtempSync(join(tmpdir(), "records-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const records = new ResumeFolder(() => folder, { now: Date.now, random: Math.random });
  const compiled = join(import.meta.dirname, "../../../dist/provider/resource/resumeRecords.js");
  const write = (name: string): Promise<unknown> =>
    promisify(execFile)(process.execPath, [
      "-e",
      `const { ResumeFolder } = require(${JSON.stringify(compiled)});
       const records = new ResumeFolder(() => ${JSON.stringify(folder)}, { now: Date.now, random: Math.random });
       for (let i = 0; i < 100; i++) {
         const problem = records.save(${JSON.stringify(RESOURCE)}, ${JSON.stringify(INTENT)}, { jobId: "${name}-" + i });
         if (problem) throw new Error(problem);
       }`,
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
