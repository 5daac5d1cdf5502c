import { beforeEach, expect, test } from "vitest";
import { type CheckedExportInputs, intentOf } from "../../../provider/staticExport/inputs.ts";
import { renameRecords, type Resumption, resumptionOf } from "../../../provider/staticExport/resumption.ts";
import { MemoryRecords } from "../../simulation/memoryRecords.ts";
import { recordingReporter } from "../../simulation/recordingReporter.ts";
import { URN } from "../../simulation/testContext.ts";

const A_UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const INPUTS = { domain: "docs.example.com", baseUrl: "https://api.example.test", apiKeyEnv: "KEY" };

let resumeRecords: MemoryRecords;
let reporter: ReturnType<typeof recordingReporter>;

beforeEach(() => {
  resumeRecords = new MemoryRecords();
  reporter = recordingReporter();
});

const record = (urn: string | undefined, inputs: CheckedExportInputs = INPUTS): Resumption =>
  resumptionOf({ resumeRecords, reporter, ...(urn !== undefined && { urn }) }, inputs);

test("a job is found again by resource, site and service", () => {
  record(URN).save("job-1", 0);
  expect(record(URN).find().jobId).toBe("job-1");
  expect(record(`${URN}-other`).find().jobId).toBeUndefined();
  expect(record(URN, { ...INPUTS, domain: "other.example.com" }).find().jobId).toBeUndefined();
  expect(record(URN, { ...INPUTS, baseUrl: "https://other.example" }).find().jobId).toBeUndefined();
  expect(reporter.lines.warn).toEqual([]);
  record(URN, { ...INPUTS, version: "v9" }).save("job-9", 0);
  record(URN).forget();
  expect(record(URN).find().jobId).toBeUndefined();
  // a job that failed says nothing about one with other content, which a killed run started
  expect(record(URN, { ...INPUTS, version: "v9" }).find().jobId).toBe("job-9");
});

test("a job that cannot be recorded is a warning that says what that means", () => {
  resumeRecords.diskIsFull = true;
  record(URN).save("job-1", 0);
  expect(reporter.lines.warn).toEqual([
    "job job-1 could not be recorded in Pulumi's home folder (ENOSPC): if this run is killed, the next one starts another job",
  ]);
});

test("a key that an earlier release recorded, in another form, is still valid", () => {
  const key = "0123456789abcdef0123456789abcdef";
  resumeRecords.save({ ...INPUTS, urn: URN }, intentOf(INPUTS), { idempotencyKey: key });
  expect(record(URN).beginStart()).toEqual({ idempotencyKey: key, isOfEarlierRun: true });
});

test("without a URN nothing is recorded, and each start has its own key", () => {
  const none = record(undefined);
  const { idempotencyKey, isOfEarlierRun } = none.beginStart();
  expect([idempotencyKey, isOfEarlierRun]).toEqual([expect.stringMatching(A_UUID), false]);
  expect(none.beginStart().idempotencyKey).not.toBe(idempotencyKey);
  none.save("job-1", 0);
  none.startRefused();
  none.handOver("finished");
  none.forget();
  expect(none.find().jobId).toBeUndefined();
  expect([resumeRecords.jobs.size, resumeRecords.starts.size]).toEqual([0, 0]);
});

test("records from before a rename are found under the new URN", () => {
  const NEW_URN = `${URN}-renamed`;
  record(URN).save("job-1", 0);
  resumeRecords.save({ ...INPUTS, urn: "undefined" }, "", { jobId: "job-2" });
  renameRecords({ resumeRecords, urn: NEW_URN }, INPUTS);
  expect(resumeRecords.find({ ...INPUTS, urn: NEW_URN }, "").jobId).toBeUndefined();
  renameRecords({ resumeRecords, formerUrn: URN }, INPUTS);
  expect(record(URN).find().jobId).toBe("job-1");
  renameRecords({ resumeRecords, urn: NEW_URN, formerUrn: URN }, INPUTS);
  expect(record(URN).find().jobId).toBeUndefined();
  expect(record(NEW_URN).find().jobId).toBe("job-1");
});
