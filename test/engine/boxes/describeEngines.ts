// The same tests on every available engine.
import { describe } from "vitest";
import { availableEngines, type EngineKind } from "../index.ts";

const { kinds, skipped } = availableEngines();

export function describeEngines(title: string, tests: (kind: EngineKind) => void): void {
  if (skipped) console.info(`${title}: not run on ${skipped}`);
  describe.each(kinds)(`${title}, on the %s engine`, tests);
}
