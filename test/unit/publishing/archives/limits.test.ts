// The limits of what is read and inspected, at their borders.
import { expect, test } from "vitest";
import { checkEntry } from "../../../../provider/publishing/archives/entry.ts";
import {
  boundUnpacked,
  DEFAULT_UNPACKED_BYTES,
} from "../../../../provider/publishing/archives/unpackedBound.ts";
import { Yielder } from "../../../../provider/publishing/archives/yielder.ts";
import {
  inspectedCharacters,
  InspectionBudget,
  isNotInspected,
  NotInspected,
} from "../../../../provider/publishing/inspection/inspectionBudget.ts";

const MIB = 1_024 * 1_024;
const limits = { unpackedBytes: 1_000 * MIB, files: 1 };

test("an archive may unpack to its limit, and further bytes beside its files", () => {
  boundUnpacked(1_000 * MIB, Infinity, limits);
  boundUnpacked(1_000 * MIB + 5, Infinity, limits, 5);
  expect(() => boundUnpacked(1_000 * MIB + 1, Infinity, limits)).toThrow(
    expect.objectContaining({
      message: "the bundle is refused: it unpacks to more than 1048576000 bytes",
      remedy: "If the site is meant to be that large, raise `limits.unpackedBytes`.",
    }),
  );
  expect(() => boundUnpacked(1_000 * MIB + 6, Infinity, limits, 5)).toThrow(
    "unpacks to more than 1048576000",
  );
});

test("an archive of more than 64 MiB may unpack to 200 times its size", () => {
  const limits = { unpackedBytes: DEFAULT_UNPACKED_BYTES, files: 1 };
  boundUnpacked(64 * MIB, 0, limits);
  boundUnpacked(200 * MIB, MIB, limits);
  for (const [unpacked, packed] of [
    [64 * MIB + 1, 0],
    [200 * MIB + 1, MIB],
  ] as const) {
    expect(() => boundUnpacked(unpacked, packed, limits)).toThrow("more than 200 times its size");
  }
});

test("a limit that the user gave is the only one of the unpacked size, whatever the ratio", () => {
  boundUnpacked(1_000 * MIB, 1, limits);
  for (const unpackedBytes of [DEFAULT_UNPACKED_BYTES - 1, DEFAULT_UNPACKED_BYTES + 1]) {
    boundUnpacked(DEFAULT_UNPACKED_BYTES - 1, 1, { unpackedBytes, files: 1 });
  }
  expect(() => boundUnpacked(100 * MIB, 1, { unpackedBytes: DEFAULT_UNPACKED_BYTES, files: 1 })).toThrow(
    expect.objectContaining({ remedy: expect.stringContaining("give `limits.unpackedBytes`") as unknown }),
  );
});

test.each([
  ["file", 5, 0o755, undefined],
  ["file", 5, 0o4755, "(setuid)"],
  ["file", 5, 0o2755, "(setuid)"],
  ["folder", 0, 0o2775, undefined],
  ["folder", 0, 0o4755, "(setuid)"],
  ["folder", 1, 0o755, "is a folder with content"],
] as const)("a %s of %d bytes with the mode %d: %s", (kind, size, mode, problem) => {
  const check = (): void => checkEntry({ name: "x", kind, size }, mode);
  if (problem === undefined) check();
  else expect(check).toThrow(problem);
});

test("four times the largest bundle is inspected, up to 8 GiB, and each bundle once", () => {
  expect([1_000, 2 ** 31, 2 ** 32, 2 ** 34].map(inspectedCharacters)).toEqual([
    4_000,
    2 ** 33,
    2 ** 33,
    2 ** 34,
  ]);
});

test("a budget is spent to its last character", async () => {
  const budget = new InspectionBudget(10, new Yielder(new AbortController().signal));
  await budget.spend(10);
  await budget.spend(0);
  const error = await budget.spend(1).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(NotInspected);
  expect(isNotInspected((error as NotInspected).address)).toBe(true);
  expect(["https://a.example/", "x (not inspected"].map(isNotInspected)).toEqual([false, false]);
});

test("work yields to the event loop after 256 Ki units, and then notices that the run was stopped", async () => {
  const stop = new AbortController();
  const turns = new Yielder(stop.signal);
  let immediates = 0;
  setImmediate(() => immediates++);
  for (let each = 0; each < 1_023; each++) await turns.take(256);
  expect(immediates).toBe(0);
  await turns.take(256);
  expect(immediates).toBe(1);
  setImmediate(() => immediates++);
  await turns.take(256 * 1_024 - 1);
  expect(immediates).toBe(1);
  const reason = new Error("time limit");
  stop.abort(reason);
  await expect(turns.take(1)).rejects.toBe(reason);
  expect(immediates).toBe(2);
});
