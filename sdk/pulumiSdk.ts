// All that is private to @pulumi/pulumi and used in the program's process. What the provider's process uses of Pulumi is in
// provider/adapters/dynamic/pulumiHost.ts: the two processes load different copies of the SDK, and the provider imports none.
import { createRequire } from "node:module";
import * as pulumi from "@pulumi/pulumi";

/**
 * Whether an output's value is known in the end. Where `isKnown` is gone, every output counts as known: a preview then waits for
 * an output of which nothing comes.
 */
export async function isKnownOutput(output: pulumi.Output<unknown>): Promise<boolean> {
  const { isKnown } = output as { isKnown?: Promise<boolean> };
  return (await isKnown) ?? true;
}

/** Whether a configuration value is a secret. Where `isConfigSecret` is gone, every value counts as one: nobody is warned. */
export function isConfigSecret(name: string): boolean {
  const { isConfigSecret: ask } = pulumi.runtime as { isConfigSecret?: (name: string) => boolean };
  return ask?.(name) ?? true;
}

/**
 * What stands for the run of a program, if it can have error hooks: the SDK would fail a resource over a hook that the engine does
 * not offer. Where one of these is gone there are no hooks: the SDK must know the class, which it does not in the beginning of
 * the peer range; the engine must offer hooks, which is told in the SDK's inner state only; and Pulumi's mocks say that they
 * do, but do not.
 */
export function runWithErrorHooks(): object | undefined {
  try {
    const { getStore } = createRequire(__filename)("@pulumi/pulumi/runtime/state") as {
      getStore: () => { supportsErrorHooks?: boolean };
    };
    const { ErrorHook } = pulumi as Partial<typeof pulumi>;
    const monitor = pulumi.runtime.getMonitor() as { registerErrorHook?: unknown } | undefined;
    const run = getStore();
    return ErrorHook && run.supportsErrorHooks === true && monitor?.registerErrorHook ? run : undefined;
  } catch {
    return undefined;
  }
}

/** Lets a resource go on whose hook is refused: a second copy of this package may have registered it. Where `__registered` is gone, it fails. */
export function outliveRefusal(hook: pulumi.ErrorHook): void {
  const inner = hook as { __registered?: Promise<void> };
  if (inner.__registered !== undefined) inner.__registered = inner.__registered.catch(() => undefined);
}
