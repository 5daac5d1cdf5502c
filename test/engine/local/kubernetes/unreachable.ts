// The real plugin looks at the cluster before it does anything, and says of one that it can't reach what it was
// looking for. `helm` looks by itself, for something else.
import { ProviderError } from "../provider.ts";
import { HelmError } from "./helmCommand.ts";

/** @returns why, if it was that */
export function readUnreachable(error: unknown): string | undefined {
  if (!(error instanceof HelmError)) return undefined;
  const [, why] = /^Kubernetes cluster unreachable: (.*)$/s.exec(error.message) ?? [];
  if (why === undefined) return undefined;
  const asked = why.replace(/\/version(\?timeout=32s)?"/, '/openapi/v2?timeout=32s"');
  return `unable to load schema information from the API server: ${asked}`;
}

export function unreachableError(operation: "create" | "update" | "delete", reason: string): ProviderError {
  const words = `can't ${operation} Helm Release with unreachable cluster`;
  return new ProviderError(
    operation === "delete" ? `${words}. Reason: ${JSON.stringify(reason)}` : `${words}: ${reason}`,
  );
}
