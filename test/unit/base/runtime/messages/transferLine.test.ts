import { expect, test } from "vitest";
import { transferLine } from "../../../../../provider/base/runtime/messages/transferLine.ts";

test("data in transfer: how much of how much, how fast, and how long it takes", () => {
  expect(transferLine("downloading", 12.3e6, 200e6, 400, 12.4e6)).toBe(
    "6% · 12.3 MB of 200 MB · 31.0 MB/s · ~6s · downloading",
  );
});

test("bytes of an earlier run do not raise the rate", () => {
  expect(transferLine("uploading", 150e6, 200e6, 1_000, 1e6)).toBe(
    "75% · 150 MB of 200 MB · 1.0 MB/s · ~50s · uploading",
  );
});

test("without a total the rest is unknown", () => {
  expect(transferLine("downloading", 12.3e6, undefined, 1_000)).toBe("12.3 MB · 12.3 MB/s · downloading");
  expect(transferLine("downloading", 0, 0, 0)).toBe("0 B of 0 B · downloading");
});

test.each([
  [0, 0],
  [5_000, 0],
  [0, 5e6],
])("after %d ms in which %d bytes came there is no rate", (elapsedMs, movedBytes) => {
  expect(transferLine("downloading", 5e6, 10e6, elapsedMs, movedBytes)).toBe(
    "50% · 5.0 MB of 10.0 MB · downloading",
  );
});
