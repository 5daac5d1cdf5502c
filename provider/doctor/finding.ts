import { DocsHostingError } from "../base/runtime/messages/errors";
import { redact } from "../base/runtime/messages/plainText";
import type { Reporter } from "../base/runtime/messages/reporter";

/** The result of one check. */
export interface Finding {
  /** What was checked. The names are listed in the documentation and do not change. */
  readonly check: string;
  /** `failure`: `pulumi up` cannot work like this. `warning`: it can, but this may not be intended. */
  readonly status: "ok" | "warning" | "failure";
  readonly message: string;
  /** What to do. Absent if nothing has to be done. */
  readonly remedy?: string;
}

export function ok(check: string, message: string): Finding {
  return { check, status: "ok", message };
}

export function warning(check: string, message: string, remedy: string): Finding {
  return { check, status: "warning", message, remedy };
}

export function failure(check: string, message: string, remedy: string): Finding {
  return { check, status: "failure", message, remedy };
}

/** Whether nothing keeps `pulumi up` from working. */
export function isHealthy(findings: readonly Finding[]): boolean {
  return findings.every(({ status }) => status !== "failure");
}

/** The finding of a check that failed with an error. */
export function failureOf(check: string, error: unknown): Finding {
  if (error instanceof DocsHostingError) return failure(check, error.message, error.remedy);
  const text = error instanceof Error ? `${error.name}: ${error.message}` : typeof error;
  return failure(check, `internal error (${redact(text)})`, "Please report it.");
}

/** Runs one check. An error of it is its finding, so that every other check still has one. */
export function findingOf(check: string, run: () => Finding): Finding {
  try {
    return run();
  } catch (error) {
    return failureOf(check, error);
  }
}

/** The same of several checks that depend on each other. @param otherwise the result for the finding of an error */
export async function resultOf<Result>(
  check: string,
  run: () => Result | Promise<Result>,
  otherwise: (finding: Finding) => Result,
): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    return otherwise(failureOf(check, error));
  }
}

/** Reports nothing: a check reports by its findings. */
export const silent: Reporter = {
  progress: () => undefined,
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
};
