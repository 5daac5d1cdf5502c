// Operations that an earlier run was interrupted in, reported as the real engine does.
import type { PendingOperation } from "../stack.ts";

export function describePendingOperations(operations: readonly PendingOperation[]): string {
  return [
    `Attempting to deploy or update resources with ${operations.length} pending operations from previous deployment.`,
    ...operations.map(({ urn, type }) => `  * ${urn}, interrupted while ${type}`),
  ].join("\n");
}
