// The operations, and the options that they lack on the real CLI.
import type { OperationOptions } from "./stack.ts";

export type OperationKind = "preview" | "up" | "refresh" | "destroy" | "import";

const meaningless: Record<OperationKind, (keyof OperationOptions)[]> = {
  preview: ["continueOnError", "runProgram"],
  up: ["runProgram"],
  refresh: ["continueOnError", "replaces", "refresh"],
  destroy: ["replaces"],
  import: ["targets", "targetDependents", "excludes", "replaces", "continueOnError", "refresh", "runProgram"],
};

/** @throws rather than ignores an option */
export function refuseMisplaced(kind: OperationKind, options: OperationOptions): void {
  const option = meaningless[kind].find((each) => options[each]);
  if (option) throw new Error(`${option} has no meaning for ${kind}`);
}
