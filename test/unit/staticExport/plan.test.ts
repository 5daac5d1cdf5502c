// The messages of a preview, word for word, and the resulting state.
import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { UNKNOWN } from "../../../provider/base/runtime/messages/plainText.ts";
import { type CheckedExportInputs, intentOf } from "../../../provider/staticExport/inputs.ts";
import { staticExport } from "../../../provider/staticExport/lifeCycle.ts";
import type { StaticExportOutputs } from "../../../provider/staticExport/outputs.ts";
import { type ExportPlan, planExport } from "../../../provider/staticExport/plan.ts";
import {
  type ExportBookkeeping,
  recordedState,
  serviceTimeOf,
  type StaticExportState,
} from "../../../provider/staticExport/state.ts";
import { stateToLookUp } from "../../../provider/staticExport/unmanaged.ts";

const inputs: CheckedExportInputs = {
  domain: "docs.example.com",
  baseUrl: "https://api.example.test",
  apiKeyEnv: "KEY",
};

/** Milliseconds since 1970 of a time of day. */
const at = (time: string): number => Date.parse(`2026-01-01T${time}:00Z`);

/** A link that lives from four to ten o'clock, and is renewed from eight o'clock on. */
function stateWith(
  outputs: Partial<StaticExportOutputs> = {},
  bookkeeping: Partial<ExportBookkeeping> = {},
): StaticExportState {
  return {
    outputs: {
      ...inputs,
      jobId: "job-1",
      version: "job-1",
      status: "completed",
      bundleUrl: "https://store.example.test/job-1",
      expiresAt: "2026-01-01T10:00:00.000Z",
      renewAfter: "2026-01-01T08:00:00.000Z",
      ...outputs,
    },
    bookkeeping: { given: [], mintedAtMs: at("04:00"), ...bookkeeping },
  };
}

function without(...names: (keyof StaticExportOutputs)[]): StaticExportState {
  const { outputs, bookkeeping } = stateWith();
  const left = Object.entries(outputs).filter(([name]) => !names.includes(name as keyof StaticExportOutputs));
  return { outputs: Object.fromEntries(left) as unknown as StaticExportOutputs, bookkeeping };
}

const plan = (given: Partial<CheckedExportInputs>, state = stateWith(), time = "05:00"): ExportPlan =>
  planExport({ ...inputs, ...given }, state, at(time));

describe("the plan", () => {
  test("says until when the link is valid, and from its renewal on when that was due and when the link ends", () => {
    expect(plan({})).toEqual({
      action: "record",
      code: "UP_TO_DATE",
      text: "the link to job job-1 is valid; its next renewal is due from 2026-01-01T08:00:00.000Z (in 3h) on",
      state: stateWith(),
    });
    const renewal = { action: "renew", code: "RENEW_WINDOW", state: stateWith() };
    const due = "the link to job job-1 is due for renewal since 2026-01-01T08:00:00.000Z";
    expect(plan({}, stateWith(), "08:00")).toEqual({
      ...renewal,
      text: `${due} (in 0s); it ends 2026-01-01T10:00:00.000Z (in 2h)`,
    });
    expect(plan({}, stateWith(), "11:00")).toEqual({
      ...renewal,
      text: `${due} (3h ago); it ends 2026-01-01T10:00:00.000Z (1h ago)`,
    });
  });

  test.each([[["expiresAt", "renewAfter"]], [["expiresAt"]], [["renewAfter"]]] as const)(
    "says that the end of the link is unknown, without %j",
    (names) => {
      expect(plan({}, without(...names))).toEqual({
        action: "record",
        code: "UP_TO_DATE",
        text: "the service does not say when the link to job job-1 expires, so it is renewed only when an input changes",
        state: without(...names),
      });
    },
  );

  test("renews a link with an unknown end when a setting changes", () => {
    expect(
      plan({ renewBefore: "1h", apiKeyEnv: "OTHER" }, without("expiresAt", "renewAfter"), "23:00"),
    ).toEqual({
      action: "renew",
      code: "RENEW_WINDOW",
      state: without("expiresAt", "renewAfter"),
      text:
        "renewBefore and apiKeyEnv changed; the service does not say when the link to job job-1 expires, " +
        "so it is renewed only when an input changes",
    });
  });

  test("records settings without a request, and says when the link is renewed by the new ones", () => {
    expect(plan({ renewBefore: "30m", apiKeyEnv: "OTHER" })).toEqual({
      action: "record",
      code: "SETTINGS",
      text:
        "renewBefore and apiKeyEnv changed: recorded without a request; the link to job job-1 is valid; " +
        "its next renewal is due from 2026-01-01T09:30:00.000Z (in 4h 30m) on",
      state: stateWith(),
    });
  });

  test("keeps the recorded renewal while renewBefore is the same, or not known yet", () => {
    const state = stateWith({ renewAfter: "2026-01-01T07:00:00.000Z" });
    for (const given of [{}, { apiKeyEnv: "OTHER" }, { renewBefore: UNKNOWN }]) {
      expect(plan(given, state).text).toContain("due from 2026-01-01T07:00:00.000Z (in 2h) on");
    }
  });

  test("names the changed content, and not the settings beside it", () => {
    expect(
      plan({ version: "v2", triggers: [1], exportOptions: { paths: ["/guide"] }, apiKeyEnv: "OTHER" }),
    ).toEqual({
      action: "start",
      code: "NEW_CONTENT",
      text: "version and triggers and exportOptions changed, so the site is exported again",
    });
  });

  describe("renews what is no link, or no date, in the state of a completed export, and starts no job", () => {
    // what tools write in the place of a secret that they cannot decrypt
    const damaged = [null, "", "[secret]", 7, {}, ["https://store.example.test/job-1"]];
    const cases = [
      ...damaged.map((bundleUrl) => ({ bundleUrl })),
      ...damaged.map((expiresAt) => ({ expiresAt })),
      ...damaged.slice(0, 3).map((renewAfter) => ({ renewAfter })),
      { bundleUrl: null, expiresAt: null, renewAfter: null },
    ];
    test.each(cases)("%j", (values) => {
      const stored = stateWith(values as unknown as Partial<StaticExportOutputs>);
      expect(plan({}, stored)).toEqual({
        action: "renew",
        code: "RENEW_WINDOW",
        text: "the state has no valid link to job job-1, or no valid date of it, so the link is renewed; no job is started",
        state: without("bundleUrl", "expiresAt", "renewAfter"),
      });
      const machine = { name: "build-agent", nowMs: at("05:00") };
      expect(staticExport.diff(inputs, stored, machine)).toMatchObject({ hidden: true });
      expect(staticExport.predict(inputs, stored, machine)).toMatchObject({
        jobId: "job-1",
        version: "job-1",
        bundleUrl: UNKNOWN,
        expiresAt: UNKNOWN,
      });
    });

    test("also if the service has another word for the status of a completed job since a refresh", () => {
      const archived = { status: "archived", bundleUrl: null } as unknown as Partial<StaticExportOutputs>;
      expect(plan({}, stateWith(archived))).toMatchObject({ action: "renew" });
    });

    test("also without any link, but changed content is exported again", () => {
      expect(plan({}, without("bundleUrl"))).toMatchObject({ action: "renew" });
      expect(plan({}, without("bundleUrl", "expiresAt", "renewAfter"))).toMatchObject({ action: "renew" });
      expect(plan({ version: "v2" }, without("bundleUrl"))).toMatchObject({
        action: "start",
        code: "NEW_CONTENT",
      });
    });
  });

  test("also continues it where a program writes the same options in another order", () => {
    const options = { paths: ["/guide"], language: "de", theme: { dark: true, accent: "red" } };
    const reversed = { theme: { accent: "red", dark: true }, language: "de", paths: ["/guide"] };
    const unfinished = {
      intent: intentOf({ ...inputs, exportOptions: options }),
      jobId: "job-2",
      completed: false,
    };
    const state = stateWith({ exportOptions: options }, { unfinished });
    expect(plan({ exportOptions: reversed }, state)).toMatchObject({
      action: "continue",
      code: "RESUMED",
    });
    expect(plan({ exportOptions: { ...options, paths: [] } }, state)).toMatchObject({ action: "start" });
  });

  test("adopts the given job, also one that is not known yet", () => {
    const adopted = (jobId: string) => ({
      action: "continue",
      code: "ADOPTED",
      job: { jobId },
    });
    const text = "job job-7 is adopted if the service has it for this site; no job is started";
    expect(plan({ jobId: "job-7" })).toEqual({ ...adopted("job-7"), text });
    expect(planExport({ ...inputs, jobId: UNKNOWN }, undefined, 0)).toEqual({
      ...adopted(UNKNOWN),
      text: "the job is not known yet: once it is, it is adopted if it is of this site; no job is started",
    });
  });

  test("replaces the export of another site or service, and says which of them changed", () => {
    const other = { ...inputs, domain: "other.example.com", baseUrl: "https://other.example.test" };
    expect(staticExport.diff(other, stateWith(), { name: "build-agent", nowMs: 0 })).toEqual({
      changed: ["domain", "baseUrl"],
      replaces: ["domain", "baseUrl"],
      hidden: false,
      decision: {
        code: "REPLACED",
        text: "domain and baseUrl changed: another export, with its own job, replaces this one",
      },
    });
  });
});

describe("the state", () => {
  test("is identified by its domain, and an earlier release's has no bookkeeping", () => {
    expect(staticExport.idOf(stateWith())).toBe("docs.example.com");
    expect(staticExport.noBookkeeping).toEqual({ given: [] });
  });

  test("cannot be from the future: the service's time is never before the creation of its link", () => {
    const machine = { name: "build-agent", nowMs: at("03:00") };
    expect(serviceTimeOf(stateWith(), machine)).toBe(at("04:00"));
    expect(serviceTimeOf(stateWith(), { ...machine, nowMs: at("05:00") })).toBe(at("05:00"));
    expect(serviceTimeOf(undefined, machine)).toBe(at("03:00"));
  });

  test("keeps link and all values of the job where only settings are recorded, and nothing where there was none", () => {
    const given = { ...inputs, version: "v1", apiKeyEnv: "OTHER" };
    const before = stateWith({ pageCount: 41, bundleSize: 5_000 });
    expect(recordedState(given, before)).toStrictEqual({
      outputs: { ...before.outputs, version: "v1", apiKeyEnv: "OTHER" },
      bookkeeping: { given: ["version"], mintedAtMs: at("04:00"), clockError: undefined },
    });
    expect(recordedState(inputs, without("bundleUrl", "expiresAt", "renewAfter")).outputs).toStrictEqual({
      ...inputs,
      jobId: "job-1",
      version: "job-1",
      status: "completed",
    });
  });

  test.each([
    ["[null,[],null]", {}],
    ["[null,[],null]", { exportOptions: {} }],
    [
      '["v1",[{"a":2,"b":[2,1]}],"job-1"]',
      { version: "v1", triggers: [{ b: [2, 1], a: 2 }], jobId: "job-1" },
    ],
    ['[null,[],null,{"draft":null,"paths":[]}]', { exportOptions: { paths: [], draft: null } }],
  ])("records the wanted content as the digest of %s, as earlier releases did", (text, wanted) => {
    expect(intentOf({ domain: "docs.example.com", ...wanted })).toBe(
      createHash("sha256").update(text).digest("hex"),
    );
  });
});

describe("a lookup", () => {
  const lookUp = (given: Record<string, unknown>): StaticExportState =>
    stateToLookUp(
      "docs.example.com",
      { baseUrl: "https://api.example.test", ...given },
      {
        environment: (name) => (name.endsWith("_KEY") ? "svc_key" : undefined),
        stackConfig: () => undefined,
      },
    );

  test("uses the id as the domain, and knows no status yet", () => {
    const wanted = { ...inputs, apiKeyEnv: "DOCS_HOSTING_ADMIN_API_KEY", jobId: "job-7" };
    expect(lookUp({ jobId: "job-7" })).toStrictEqual({
      outputs: { ...wanted, version: "job-7", status: "" },
      bookkeeping: { given: ["jobId"] },
    });
  });

  test.each([
    [{ jobId: ".." }, "jobId is not an id of a job: visible ASCII characters, at most 512 of them"],
    [
      { jobId: "job-7", version: "" },
      "version must have 1 to 128 characters, none of them a control character",
    ],
    [
      { renewBefore: "soon" },
      "jobId is required: the service cannot list the jobs of a site; " +
        'renewBefore "soon" is not a duration; write it like "90s", "30m" or "24h"',
    ],
  ])("of %j is an error that names each property that is wrong or missing, once", (given, reasons) => {
    const message = `docs.example.com: cannot be looked up: ${reasons}`;
    expect(() => lookUp(given)).toThrow(expect.objectContaining({ name: "InputError", message }));
  });
});
