import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { compositeOf, partSizeOf } from "../../../../provider/destination/bucket/uploadInParts.ts";

const MB = 1024 * 1024;

test("parts have 8 MB, more where they would be too many, and always the same for the same size", () => {
  expect(partSizeOf(17 * MB)).toBe(8 * MB);
  expect(partSizeOf(80_000 * MB)).toBe(8 * MB);
  expect(partSizeOf(80_000 * MB + 1)).toBe(9 * MB);
  expect(Math.ceil((5_000_000 * MB) / partSizeOf(5_000_000 * MB))).toBeLessThanOrEqual(10_000);
});

test("the checksum of an object in parts is that of its parts' checksums, with their number", () => {
  const parts = ["one", "two"].map((text) => createHash("sha256").update(text).digest());
  const expected = createHash("sha256").update(Buffer.concat(parts)).digest("base64");
  expect(compositeOf(parts.map((part) => part.toString("base64")))).toBe(`${expected}-2`);
  // seen of Amazon S3
  expect(
    compositeOf([
      "lcKa6Boe7a167tUCN5C4OaFygGSYD8MBnBARTrdL+1w=",
      "gHjhbUT4oo2tSCtSZJdlKi+jeNXJT+VImqdPXsXvkOc=",
      "4l9PQ3zOPZ0oGFvknFX+J4zZwE4WMzO+l3r8XrbWOeM=",
    ]),
  ).toBe("rVWtNbadtsaKXJAcgWPWjifHzJaXde/iV4jaJAOdivc=-3");
});
