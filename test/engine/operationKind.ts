// The four operations, and which options they have on the real CLI.
import type { OperationOptions } from "./stack.ts";

export type OperationKind = "preview" | "up" | "refresh" | "destroy";

/** @throws rather than ignore an option */
export function refuseMisplaced(kind: OperationKind, options: OperationOptions): void {
  if (options.continueOnError && (kind === "preview" || kind === "refresh")) {
    throw new Error(`continueOnError has no meaning for ${kind}`);
  }
  if (options.clearPendingCreates && kind !== "refresh") {
    throw new Error(`clearPendingCreates has no meaning for ${kind}`);
  }
  if (options.runProgram && (kind === "preview" || kind === "up")) {
    throw new Error(`runProgram has no meaning for ${kind}`);
  }
  if (options.replaces && kind !== "preview" && kind !== "up") {
    throw new Error(`replaces has no meaning for ${kind}`);
  }
  if (options.refresh && kind === "refresh") throw new Error("refresh has no meaning for refresh");
}
