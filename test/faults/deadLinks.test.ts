// Links that have ended when they arrive, or nearly.
import { expect, test } from "vitest";
import { caught, nothing, unfinished } from "../simulation/simulatedExport.ts";
import { BUNDLE, DAY_MS, exported, HOUR_MS, LINK, site, warnings, withExport } from "./expiringLinks.ts";

withExport();

const DEAD = { body: { bundleUrl: LINK, expiresAt: "2025-12-31T23:59:59Z" } };

const SHORT = { body: { bundleUrl: LINK, expiresAt: "2026-01-01T00:00:01Z" } };

test.each([
  ["E03", "is dead on arrival", DEAD],
  ["E04", "ends in a second", SHORT],
])("%s a link that %s is requested once more before it is used", async (_row, _what, reply) => {
  site.answer("bundle", (number) => (number === 1 ? reply : undefined));
  expect((await site.create()).outputs.bundleUrl).not.toBe(LINK);
  expect(site.service.requests.filter((request) => request === BUNDLE)).toHaveLength(2);
  expect(warnings()).toEqual([]);
});

test("E03 a second link that is dead on arrival as well is an error, and the job is kept", async () => {
  site.answer("bundle", () => DEAD);
  const { message, state } = await unfinished(site.create());
  expect(message).toContain("the service minted a link for job job-1 that has expired already");
  expect(site.service.requests.filter((request) => request === BUNDLE)).toHaveLength(2);
  site.service.fault = () => undefined;
  expect((await site.update(state)).outputs.jobId).toBe("job-1");
});

test("E03 when the second link of a renewal is dead on arrival as well, the old link stays", async () => {
  const state = await site.create();
  site.clock.advance(HOUR_MS);
  site.answer("bundle", () => DEAD);
  expect((await caught(site.update(state))).message).toContain("The old link stays in place.");
});

test("E04 a second link that ends in a second as well is passed on with a warning, and the next run renews it", async () => {
  site.answer("bundle", () => SHORT);
  const state = await site.create();
  expect(state.outputs.bundleUrl).toBe(LINK);
  expect(warnings()).toEqual([expect.stringContaining("expires within 2 seconds")]);
  expect(site.verdict(state)).toEqual({ ...nothing, hidden: true, code: "RENEW_WINDOW" });
  site.service.fault = () => undefined;
  site.requests();
  expect(site.verdict(await site.update(state))).toEqual(nothing);
  expect(site.requests()).toEqual([BUNDLE]);
});

test.each([
  "9999-12-31T23:59:59Z",
  "+010000-01-01T00:00:00Z",
  "275760-09-13T00:00:00Z",
  "+275760-09-14T00:00:00Z",
  "999999-01-01T00:00:00Z",
  "2036-02-01T00:00:00Z",
  8.64e15,
  1e300,
])(
  "E05 %s is more than ten years away: the end is refused by name, and the job is kept",
  async (expiresAt) => {
    const { message, state } = await unfinished(exported(expiresAt));
    expect(message).toContain(`answered the expiresAt ${expiresAt}, which is more than ten years away`);
    expect(state.bookkeeping.unfinished?.jobId).toBe("job-1");
    site.service.fault = () => undefined;
    expect((await site.update(state)).outputs.jobId).toBe("job-1");
  },
);

test.each([
  ["a day ahead", "the Date header does", DAY_MS],
  ["a day behind", "the Date header does", -DAY_MS],
  ["a day ahead", "that of an earlier reply does", DAY_MS],
  ["a day behind", "that of an earlier reply does", -DAY_MS],
])("E06 a clock that is %s decides nothing: %s", async (_, header, aheadMs) => {
  site.clock.wallMs += aheadMs;
  if (header.includes("earlier")) {
    site.answer("bundle", () => {
      const expiresAt = new Date(site.clock.trueNow() + HOUR_MS).toISOString();
      return { headers: {}, body: { bundleUrl: LINK, expiresAt } };
    });
  }
  const state = await site.create();
  expect(state.outputs.expiresAt).toBe("2026-01-01T01:00:00.000Z");
  expect(warnings()).toEqual([]);
  site.clock.advance(39 * 60_000);
  expect(site.verdict(state)).toEqual(nothing);
  site.clock.advance(2 * 60_000);
  expect(site.verdict(state)).toMatchObject({ code: "RENEW_WINDOW" });
  site.service.fault = () => undefined;
  site.requests();
  const renewed = await site.update(state);
  expect(site.requests()).toEqual([BUNDLE]);
  expect(site.verdict(renewed)).toEqual(nothing);
});
