// The outputs that a preview shows of an export: what is certain as its value, everything else as unknown.
import { expect, test } from "vitest";
import { UNKNOWN } from "../../../provider/base/runtime/messages/plainText.ts";
import type { CheckedExportInputs } from "../../../provider/staticExport/inputs.ts";
import { staticExport } from "../../../provider/staticExport/lifeCycle.ts";
import type { StaticExportState } from "../../../provider/staticExport/state.ts";

const inputs: CheckedExportInputs = {
  domain: "docs.example.com",
  baseUrl: "https://api.example.test",
  apiKeyEnv: "KEY",
};
const HOUR_MS = 3_600_000;
/** Of a link that lives for six hours, and is due for renewal after four. */
const STATE: StaticExportState = {
  outputs: {
    ...inputs,
    jobId: "job-1",
    version: "job-1",
    status: "completed",
    pageCount: 41,
    bundleSize: 900,
    bundleUrl: "https://store.example.test/job-1",
    expiresAt: "1970-01-01T06:00:00.000Z",
    renewAfter: "1970-01-01T04:00:00.000Z",
  },
  bookkeeping: { given: [], mintedAtMs: 0 },
};
const NEW_LINK = { bundleUrl: UNKNOWN, bundleSize: UNKNOWN, expiresAt: UNKNOWN, renewAfter: UNKNOWN };

const predicted = (
  given: Partial<CheckedExportInputs>,
  before?: StaticExportState,
  hour = 0,
): Readonly<Record<string, unknown>> =>
  staticExport.predict({ ...inputs, ...given }, before, { name: "m", nowMs: hour * HOUR_MS });

test("a new export will be completed; its job, pages and link are unknown", () => {
  expect(predicted({})).toEqual({
    ...inputs,
    jobId: UNKNOWN,
    version: UNKNOWN,
    status: "completed",
    pageCount: UNKNOWN,
    ...NEW_LINK,
  });
});

test("a version that is given, and a job that is adopted, are known", () => {
  expect(predicted({ version: "v1" })).toMatchObject({ version: "v1", jobId: UNKNOWN });
  expect(predicted({ jobId: "job-7" })).toMatchObject({ version: "job-7", jobId: "job-7" });
});

test("an export that stays as it is keeps its outputs", () => {
  expect(predicted({}, STATE)).toEqual(STATE.outputs);
  expect(predicted({ apiKeyEnv: "OTHER" }, STATE)).toEqual({ ...STATE.outputs, apiKeyEnv: "OTHER" });
});

test("a link that is due becomes another one, of the same job and pages", () => {
  expect(predicted({}, STATE, 5)).toEqual({ ...STATE.outputs, ...NEW_LINK });
  const running = { ...STATE, outputs: { ...STATE.outputs, status: "running" } };
  expect(predicted({}, running, 5)).toMatchObject({ status: "completed", jobId: "job-1", pageCount: 41 });
});

test("an unknown renewBefore may make the link due", () => {
  const outputs = predicted({ renewBefore: UNKNOWN }, STATE);
  expect(outputs).toEqual({ ...STATE.outputs, renewBefore: UNKNOWN, ...NEW_LINK });
});

test("other content is another job", () => {
  expect(predicted({ version: "v2" }, STATE)).toMatchObject({
    version: "v2",
    jobId: UNKNOWN,
    status: "completed",
    pageCount: UNKNOWN,
    ...NEW_LINK,
  });
});
