// When a link ends, by any form of the service's time and by any clock: E01 to E09 of the faults.
import { describe, expect, test } from "vitest";
import { parsePointInTime } from "../../provider/base/runtime/time/pointInTime.ts";
import { nothing } from "../simulation/simulatedExport.ts";
import { BUNDLE, DAY_MS, exported, HOUR_MS, LINK, site, warnings, withExport } from "./expiringLinks.ts";

withExport();

describe("no expiresAt", () => {
  const unknownLife = "the service does not say when the link to job job-1 expires";

  test("E01 no expiresAt: a warning, once, and no renewal by time", async () => {
    const state = await exported(undefined);
    expect(state.outputs).not.toHaveProperty("expiresAt");
    expect(state.outputs).not.toHaveProperty("renewAfter");
    expect(warnings()).toEqual([`${unknownLife}: it is renewed only when an input changes`]);
    site.clock.advance(365 * DAY_MS);
    expect(site.verdict(state)).toEqual(nothing);
  });

  test.each([
    ["settings", { renewBefore: "10m" }, "RENEW_WINDOW", [BUNDLE]],
    [
      "version",
      { version: "v2" },
      "NEW_CONTENT",
      ["POST /jobs", "GET /jobs/job-2", "POST /jobs/job-2/bundle"],
    ],
  ])("E01 no expiresAt: a change of %s renews the link", async (_, change, code, requests) => {
    const state = await exported(undefined);
    site.requests();
    site.service.fault = () => undefined;
    site.service.linkLifeMs = undefined;
    const inputs = { ...site.inputs, ...change };
    expect(site.verdict(state, inputs)).toMatchObject({ changed: Object.keys(change), code });
    const { outputs } = await site.update(state, inputs);
    expect(site.requests()).toEqual(requests);
    expect(outputs.bundleUrl).not.toBe(LINK);
    expect(warnings()).toHaveLength(2); // one for each link
  });

  test.each([
    ["an S3-compatible store", "X-Amz-Date=20260101T000000Z&X-Amz-Expires=3600&X-Amz-Signature=c4n4ry"],
    ["Google's store", "X-Goog-Date=20260101T000000Z&X-Goog-Expires=3600&X-Goog-Signature=c4n4ry"],
    ["Azure's store", "sv=2024-11-04&se=2026-01-01T01%3A00%3A00Z&sr=b&sig=c4n4ry"],
  ])("E01 no expiresAt: the query of %s has the end", async (_, query) => {
    const { outputs } = await exported(undefined, `https://store.example.test/b.tgz?${query}`);
    expect(outputs.expiresAt).toBe("2026-01-01T01:00:00.000Z");
    expect(warnings()).toEqual([]);
  });

  test.each([
    "X-Amz-Date=20260101T000000Z",
    "X-Amz-Expires=3600",
    "X-Amz-Date=20260101T000000Z&X-Amz-Expires=",
    "X-Amz-Date=20260101T000000Z&X-Amz-Expires=-5",
    "se=2026-01-01T01:00:00Z",
    "sig=c4n4ry&se=soon",
  ])("E01 no expiresAt: the query %s does not", async (query) => {
    const { outputs } = await exported(undefined, `https://store.example.test/b.tgz?${query}`);
    expect(outputs).not.toHaveProperty("expiresAt");
    expect(warnings()).toEqual([expect.stringContaining(unknownLife)]);
  });
});

describe("the forms of expiresAt", () => {
  const hour = Date.parse("2026-01-01T01:00:00Z");

  test.each([
    ["E02", "13-digit milliseconds", hour],
    ["E02", "10-digit seconds", hour / 1_000],
    ["E02", "13 digits as text", String(hour)],
    ["E02", "10 digits as text", String(hour / 1_000)],
    ["E02", "no zone, so UTC", "2026-01-01T01:00:00"],
    ["E02", "a space for the T", "2026-01-01 01:00:00Z"],
    ["E02", "no seconds", "2026-01-01T01:00Z"],
    ["E02", "an offset without a colon", "2026-01-01T15:00:00+1400"],
    ["E02", "microseconds", hour * 1e3],
    ["E02", "nanoseconds", hour * 1e6],
    ["E02", "nanoseconds as text", `${hour}000000`],
    ["E02", "seconds with a fraction", `${hour / 1_000}.000`],
    ["E02", "RFC 1123", "Thu, 01 Jan 2026 01:00:00 GMT"],
    ["E02", "RFC 850", "Thursday, 01-Jan-26 01:00:00 GMT"],
    ["E02", "asctime", "Thu Jan  1 01:00:00 2026"],
    ["E02", "a time of Go", "2026-01-01 01:00:00 +0000 UTC"],
    ["E02", "a time of Java", "2026-01-01T01:00:00Z[UTC]"],
    ["E02", "ISO 8601 without separators", "20260101T010000Z"],
    ["E02", "RFC 1123 with an offset after GMT", "Thu, 01 Jan 2026 02:00:00 GMT+01:00"],
    ["E02", "a date of a cookie", "Thu, 01-Jan-2026 01:00:00 GMT"],
    ["E02", "a text of JavaScript", "Thu Jan 01 2026 02:00:00 GMT+0100 (Central European Standard Time)"],
    ["E02", "the output of date", "Thu Jan  1 01:00:00 UTC 2026"],
    [
      "E02",
      "a time of Go with its monotonic clock",
      "2026-01-01 01:00:00.5 +0000 UTC m=+0.01",
      "2026-01-01T01:00:00.500Z",
    ],
    ["E02", "a time of Go in a zone without a name", "2026-01-01 03:00:00 +0200 +0200"],
    ["E02", "a number of Go as text", "1.7672292e+09"],
    ["E02", "JSON of .NET", `/Date(${hour})/`],
    ["E08", "a leap second", "2026-01-01T00:59:60Z", "2026-01-01T00:59:59.000Z"],
    ["E08", "an offset of +14:00", "2026-01-01T15:00:00+14:00"],
    ["E08", "an offset of -12:00", "2025-12-31T13:00:00-12:00"],
    ["E08", "a lower-case t and z", "2026-01-01t01:00:00.000z"],
  ])("%s %s is accepted", async (_row, _what, expiresAt, understood = "2026-01-01T01:00:00.000Z") => {
    expect((await exported(expiresAt)).outputs.expiresAt).toBe(understood);
    expect(warnings()).toEqual([]);
  });

  test.each([
    "tomorrow",
    "2026-13-01T00:00:00Z",
    "2026-02-30T25:00:00Z",
    "01/02/2026",
    "2026-01-01",
    "2026-02-30T01:00:00Z",
    "NaN",
    "12345",
    "Thu, 01 Jan 2026 01:00:00 CEST",
    5,
    -1,
    true,
    {},
    { seconds: 1767229200 },
    ["2026-01-01T01:00:00Z"],
    639028728000000000,
    134116956000000000,
  ])("E02 %j is not guessed: a warning that names it, and no date", async (expiresAt) => {
    const state = await exported(expiresAt);
    expect(state.outputs).not.toHaveProperty("expiresAt");
    expect(state.outputs).not.toHaveProperty("renewAfter");
    expect(warnings()).toEqual([
      expect.stringMatching(/ expires at .+, which is no point in time: it is renewed /),
    ]);
    site.clock.advance(DAY_MS);
    expect(site.verdict(state)).toEqual(nothing);
  });

  test.each([null, "", 0, "0001-01-01T00:00:00Z", "1970-01-01T00:00:00Z"])(
    "E02 %j is no end",
    async (expiresAt) => {
      const state = await exported(expiresAt);
      expect(state.outputs).not.toHaveProperty("expiresAt");
      expect(warnings()).toEqual([expect.stringContaining("the service does not say when the link")]);
      site.clock.advance(DAY_MS);
      expect(site.verdict(state)).toEqual(nothing);
    },
  );

  test("E02 a value that is no finite number is no date", () => {
    for (const value of [NaN, Infinity, -Infinity]) expect(parsePointInTime(value)).toBeUndefined();
  });
});

test("E05 an end in nine years is accepted", async () => {
  expect((await exported("2035-01-01T00:00:00Z")).outputs.expiresAt).toBe("2035-01-01T00:00:00.000Z");
});

describe("no Date header", () => {
  /** The service, except for its clock, which it does not report. */
  const tellNoTime = (): void => {
    let links = 0;
    site.service.fault = ({ method, path }) => {
      if (path.endsWith("/jobs")) return { body: { jobId: "7" } };
      if (method === "GET") return { body: { status: "completed" } };
      const expiresAt = new Date(site.clock.trueNow() + HOUR_MS).toISOString();
      return { body: { bundleUrl: `${LINK}&n=${++links}`, expiresAt } };
    };
  };

  test("E07 without a Date header and with a clock that is a day ahead, the link looks dead: it is passed on with a warning, and each run renews it", async () => {
    tellNoTime();
    site.clock.wallMs += DAY_MS;
    const state = await site.create();
    expect(state.outputs).toMatchObject({ status: "completed", expiresAt: "2026-01-01T01:00:00.000Z" });
    expect(warnings()).toEqual([expect.stringContaining("check the clock")]);
    expect(site.verdict(state)).toMatchObject({ hidden: true, code: "RENEW_WINDOW" });
    expect((await site.update(state)).outputs.bundleUrl).not.toBe(state.outputs.bundleUrl);
    site.clock.wallMs -= DAY_MS; // corrected
    expect(site.verdict(await site.update(state))).toEqual(nothing);
  });

  test("E07 without a Date header and with a clock that is a day behind, the renewal comes too late: storage refuses", async () => {
    tellNoTime();
    site.clock.wallMs -= DAY_MS;
    const state = await site.create();
    expect(warnings()).toEqual([]);
    site.clock.advance(2 * HOUR_MS);
    expect(site.verdict(state)).toEqual(nothing); // the provider cannot know
    site.clock.wallMs += DAY_MS; // corrected
    expect(site.verdict(state)).toMatchObject({ hidden: true, code: "RENEW_WINDOW" });
    expect(site.verdict(await site.update(state))).toEqual(nothing);
  });
});
