// Tries a failed step again while the program's error hooks say so (the real engine's retries.go and step.go).
import type { Deployment } from "./deployment.ts";
import type { HookBindings, HookSubject } from "./hooks.ts";
import { ProviderError } from "./provider.ts";

const maxAttempts = 100;

interface Retried {
  operation: "create" | "update" | "delete";
  hooks: HookBindings | undefined;
  subject: HookSubject;
}

/** @throws the last failure; an error of a hook replaces it, unless something was created (or stays) */
export async function withRetries<Result>(
  { hooks, report }: Deployment,
  { operation, hooks: bindings, subject }: Retried,
  attempt: () => Promise<Result>,
): Promise<Result> {
  const { urn } = subject;
  const warn = (message: string) => report.log({ severity: "warning", message, urn });
  const errors: string[] = [];
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      errors.unshift(error.message);
      if (errors.length >= maxAttempts) {
        warn(`maximum number of error hook retries (${maxAttempts}) reached`);
        throw new ProviderError("maximum number of error hook retries reached");
      }
      let again: boolean;
      try {
        again = await hooks.wantsRetry(bindings, subject, operation, errors);
      } catch (hookError) {
        if (error.partial || operation === "delete") throw error;
        throw new ProviderError(`error hooks execution failed: ${(hookError as Error).message}`);
      }
      if (!again) throw error;
      warn(`retrying ${operation} due to on-error hook request (${errors.length}/${maxAttempts})`);
    }
  }
}
