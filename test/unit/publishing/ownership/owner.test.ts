import { expect, test } from "vitest";
import { isOwnerId, newOwner } from "../../../../provider/publishing/ownership/owner.ts";

const URN = "urn:pulumi:dev::docs::docs-hosting:index:BundleCopy::copy";

test("each create makes an owner of its own", () => {
  const [one, two] = [newOwner(URN), newOwner(URN)];
  expect(one.id).toMatch(/^[0-9a-f]{32}$/);
  expect(one.id).not.toBe(two.id);
});

test.each([undefined, null, 7, "", "0".repeat(31), "G".repeat(32), "../".padEnd(32, "0")])(
  "%j in a state is no owner",
  (id) => {
    expect(isOwnerId(id)).toBe(false);
  },
);
