import { matchesGlob, relative } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { REPLACED_MODULES } from "../vitest.config.ts";

/** The tests that judge a module, its own first: see `modules.ts`. */
const tests = process.env["MUTATION_TESTS"]?.split(" ").map((name) => `${name}.test.ts`) ?? [];
const ROOT = `${import.meta.dirname}/..`;

/** The module's own tests, which are quick, run first: the first that fails ends the run of a break. */
class OwnTestsFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number =>
      tests.findIndex((pattern) => matchesGlob(relative(ROOT, moduleId), pattern));
    return Promise.resolve(files.toSorted((a, b) => place(a) - place(b)));
  }
}

export default defineConfig({
  test: {
    root: ROOT,
    include: tests,
    exclude: ["unit/publishing/offlineSearch/hostilePages.test.ts"], // pages of many megabytes: minutes for each break
    sequence: { sequencer: OwnTestsFirst },
    setupFiles: ["fixedSeed.ts", "faults/canary.ts"],
    // as in `npm test`: the test files of a run share a process and its loaded modules, unless they replace modules by others
    isolate: tests.some((pattern) => matchesGlob(pattern, REPLACED_MODULES)),
    testTimeout: 10_000, // a break that makes a test wait without end costs no more
  },
});
