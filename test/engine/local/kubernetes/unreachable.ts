// The real plugin looks at the cluster before it does anything, and says of one that it can't reach what it was
// looking for. `helm` looks by itself, for something else.
import { HelmError } from "./helmCommand.ts";

export interface Unreachable {
  reason: string;
}

export function readUnreachable(error: unknown): Unreachable | undefined {
  if (!(error instanceof HelmError)) return undefined;
  const [, why] = /^Kubernetes cluster unreachable: (.*)$/s.exec(error.message) ?? [];
  if (why === undefined) return undefined;
  const asked = why.replace(/\/version(\?timeout=32s)?"/, '/openapi/v2?timeout=32s"');
  return { reason: `unable to load schema information from the API server: ${asked}` };
}
