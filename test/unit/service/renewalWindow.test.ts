import { expect, test } from "vitest";
import { linkTimes, renewalWindow } from "../../../provider/service/renewalWindow.ts";

test("a link is renewed when a third of its life is left, or less than the user wants", () => {
  const link = { mintedAtMs: 0, expiresAtMs: 90_000 };
  expect(renewalWindow(link)).toEqual({ ms: 30_000, isShortened: false });
  expect(renewalWindow(link, 10_000)).toEqual({ ms: 10_000, isShortened: false });
});

test.each([60_000, 90_000, 1e15])(
  "C11 a link of 90 s is renewed in its second half, also with a renewBefore of %i ms",
  (asked) => {
    expect(renewalWindow({ mintedAtMs: 0, expiresAtMs: 90_000 }, asked)).toEqual({
      ms: 44_500,
      isShortened: true,
    });
  },
);

test.each([0, 500, 999])(
  "C11 a link of 2 s that was created %i ms after its Date header is renewed in its second half",
  (lateMs) => {
    const link = { mintedAtMs: 0, expiresAtMs: lateMs + 2_000 };
    for (const asked of [undefined, 2_000, 3_600_000]) {
      expect(link.expiresAtMs - (renewalWindow(link, asked)?.ms ?? NaN)).toBeGreaterThanOrEqual(
        lateMs + 1_000,
      );
    }
  },
);

test("a link of unknown life has no renewal time, one that is dead on arrival is due", () => {
  expect(renewalWindow({ mintedAtMs: 0 })).toBeUndefined();
  expect(renewalWindow({ mintedAtMs: 0 }, 10_000)).toBeUndefined();
  expect(renewalWindow({ mintedAtMs: 90_000, expiresAtMs: 60_000 })).toEqual({ ms: 0, isShortened: false });
});

test("a link of less than two seconds is due from its first moment", () => {
  expect(renewalWindow({ mintedAtMs: 0, expiresAtMs: 1_999 }, 10)).toEqual({ ms: 1_999, isShortened: false });
  expect(renewalWindow({ mintedAtMs: 0, expiresAtMs: 2_000 })).toEqual({ ms: 500, isShortened: false });
});

test("outputs have the link's end and the start of its renewal, or neither", () => {
  const link = { mintedAtMs: 0, expiresAtMs: 90_000 };
  expect(linkTimes(link)).toEqual({
    expiresAt: "1970-01-01T00:01:30.000Z",
    renewAfter: "1970-01-01T00:01:00.000Z",
  });
  expect(linkTimes(link, 10_000)).toMatchObject({ renewAfter: "1970-01-01T00:01:20.000Z" });
  expect(linkTimes({ mintedAtMs: 0 })).toEqual({});
});
