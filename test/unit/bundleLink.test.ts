import { expect, test } from "vitest";
import { renewAfterMs } from "../../provider/bundleLink.ts";

test("a link is renewed when a third of its life is left, or less than the user wants", () => {
  const link = { mintedAtMs: 0, expiresAtMs: 90_000 };
  expect(renewAfterMs(link)).toBe(60_000);
  expect(renewAfterMs(link, 10_000)).toBe(80_000);
});
