// Fails a test file that leaves a replaced timer behind: in a shared process, the files after it would wait without end.
import { afterAll, expect } from "vitest";

const { setTimeout } = globalThis;

afterAll(() => {
  expect(globalThis.setTimeout === setTimeout, "setTimeout is the one from before the file").toBe(true);
});
