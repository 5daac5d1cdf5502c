import { resolve } from "node:path";
import type { Stryker } from "@stryker-mutator/core";

/** What became of one break. */
export type MutantResult = Awaited<ReturnType<Stryker["runMutationTest"]>>[number];

/** How well tests notice what is broken in some files. */
export interface Score {
  readonly mutants: number;
  readonly noticed: number;
  /** Those that a comment beside the code excludes, with its reason; they do not count. */
  readonly excluded: number;
  /** What was noticed of what counts; 100 when nothing does. */
  readonly percent: number;
}

/** @param files paths from the root of the repository, with `/` */
export function scoreOf(results: readonly MutantResult[], files: readonly string[]): Score {
  const paths = new Set(files.map((file) => resolve(file)));
  const statuses = results.filter(({ fileName }) => paths.has(resolve(fileName))).map(({ status }) => status);
  const count = (...wanted: MutantResult["status"][]): number =>
    statuses.filter((status) => wanted.includes(status)).length;
  const noticed = count("Killed", "Timeout");
  const mutants = noticed + count("Survived", "NoCoverage");
  return {
    mutants,
    noticed,
    excluded: count("Ignored"),
    percent: mutants === 0 ? 100 : (100 * noticed) / mutants,
  };
}
