// The four operations, and which options they do not have on the real CLI.
import type { OperationOptions } from "./stack.ts";

export type OperationKind = "preview" | "up" | "refresh" | "destroy";

const meaningless: Record<OperationKind, (keyof OperationOptions)[]> = {
  preview: ["continueOnError", "clearPendingCreates", "runProgram"],
  up: ["clearPendingCreates", "runProgram"],
  refresh: ["continueOnError", "replaces", "refresh"],
  destroy: ["clearPendingCreates", "replaces"],
};

/** @throws rather than ignore an option */
export function refuseMisplaced(kind: OperationKind, options: OperationOptions): void {
  const option = meaningless[kind].find((each) => options[each]);
  if (option) throw new Error(`${option} has no meaning for ${kind}`);
}
