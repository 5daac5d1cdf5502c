import { expect, test } from "vitest";
import { formatBytes } from "../../../../../provider/base/runtime/messages/formatBytes.ts";

test.each([
  [0, "0 B"],
  [812, "812 B"],
  [999, "999 B"],
  [1_000, "1.0 kB"],
  [12_345_678, "12.3 MB"],
  [99_940_000, "99.9 MB"],
  [200e6, "200 MB"],
  [999.4e6, "999 MB"],
  [999.6e6, "1.0 GB"],
  [2 ** 30, "1.1 GB"],
  [5e15, "5000 TB"],
])("%d bytes are written %s", (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});
