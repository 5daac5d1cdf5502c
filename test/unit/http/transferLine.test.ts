import { expect, test } from "vitest";
import { formatBytes, transferLine } from "../../../provider/http/transferLine.ts";

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

test("data on its way: how much of how much, how fast, and how long it takes", () => {
  expect(transferLine("downloading", 12.3e6, 200e6, 400, 12.4e6)).toBe(
    "6% · 12.3 MB of 200 MB · 31.0 MB/s · ~6s · downloading",
  );
});

test("what an earlier run moved does not make this one faster", () => {
  expect(transferLine("uploading", 150e6, 200e6, 1_000, 1e6)).toBe(
    "75% · 150 MB of 200 MB · 1.0 MB/s · ~50s · uploading",
  );
});

test("without a total nobody can tell what is left", () => {
  expect(transferLine("downloading", 12.3e6, undefined, 1_000)).toBe("12.3 MB · 12.3 MB/s · downloading");
  expect(transferLine("downloading", 0, 0, 0)).toBe("0 B of 0 B · downloading");
});

test.each([
  [0, 0],
  [5_000, 0],
  [0, 5e6],
])("after %d ms in which %d bytes came there is no rate to tell", (elapsedMs, movedBytes) => {
  expect(transferLine("downloading", 5e6, 10e6, elapsedMs, movedBytes)).toBe(
    "50% · 5.0 MB of 10.0 MB · downloading",
  );
});
