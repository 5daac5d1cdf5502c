import { expect, test } from "vitest";
import { isSentinel, isUnknown, UNKNOWN } from "../../../../../provider/base/runtime/messages/plainText.ts";

test("only the sentinel is unknown", () => {
  expect(isUnknown("04da6b54-80e4-46f7-96ec-b56ff0331ba9")).toBe(true);
  for (const known of ["", "x", undefined, null, 7]) expect(isUnknown(known)).toBe(false);
});

test.each([
  UNKNOWN,
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
  "030794c1-ac77-496b-92df-f27374a8bd58",
  "E48ECE36-62E2-4504-BAD9-02848725956A",
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
])("%s of a service would be interpreted as an unknown value", (text) => {
  expect(isSentinel(text)).toBe(true);
  expect(isSentinel(`${text}0`)).toBe(false);
});
