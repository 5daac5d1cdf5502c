import { resolve } from "node:path";
import type { Stryker } from "@stryker-mutator/core";

/** The result of one break. */
export type MutantResult = Awaited<ReturnType<Stryker["runMutationTest"]>>[number];

/** The share of breaks in some files that tests notice. */
export interface Score {
  readonly mutants: number;
  readonly noticed: number;
  /** Breaks that a comment in the code excludes, with its reason; they do not count. */
  readonly excluded: number;
  /** Breaks that leave no test to run, such as a module that cannot be loaded; they do not count. */
  readonly unjudged: number;
  /** The noticed share of the counted breaks; 100 when none counts. */
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
    unjudged: count("RuntimeError", "CompileError"),
    percent: mutants === 0 ? 100 : (100 * noticed) / mutants,
  };
}
