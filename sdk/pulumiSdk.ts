// Every private part of @pulumi/pulumi that the program's process uses. provider/adapters/dynamic/dynamicHost.ts has the parts
// that the provider's process uses: the two processes load different copies of the SDK, and the provider imports none.
import { createRequire } from "node:module";
import * as pulumi from "@pulumi/pulumi";

/**
 * Whether an output's value is known once the output settles. If the SDK no longer has `isKnown`, every output counts as known: a
 * preview then waits for an output that never gets a value.
 */
export async function isKnownOutput(output: pulumi.Output<unknown>): Promise<boolean> {
  const { isKnown } = output as { isKnown?: Promise<boolean> };
  return (await isKnown) ?? true;
}

/**
 * Whether a configuration value is a secret. If the SDK no longer has `isConfigSecret`, every value counts as one: no warning.
 */
export function isConfigSecret(name: string): boolean {
  const { isConfigSecret: isSecret } = pulumi.runtime as { isConfigSecret?: (name: string) => boolean };
  return isSecret?.(name) ?? true;
}

/**
 * Whether this process runs a program for the CLI. Unit tests with mocks and inline programs of the Automation API have processes of
 * their own. If the SDK starts programs with another file one day, no program counts as one of the CLI.
 */
export function runsInCli(mainFile: string | undefined = process.argv[1]): boolean {
  return /[\\/]@pulumi[\\/]pulumi[\\/]cmd[\\/]run(?:[\\/]index(?:\.js)?)?$/.test(mainFile ?? "");
}

/**
 * Whether this process is a component package in Node.js: a plugin that the engine asks for the components of other programs. If the SDK
 * starts such packages with another file one day, none counts as one.
 */
export function runsInComponentPackage(mainFile: string | undefined = process.argv[1]): boolean {
  return /[\\/]@pulumi[\\/]pulumi[\\/]cmd[\\/]run-plugin(?:[\\/]index(?:\.js)?)?$/.test(mainFile ?? "");
}

/**
 * The object that identifies the run of a program, if the run supports error hooks. The SDK fails a resource with a hook that the
 * engine does not support. Hooks need all of these: the SDK has the class, which the oldest versions of the peer range lack; the
 * engine supports hooks, which only the SDK's internal state shows; and the monitor is real, because Pulumi's mocks claim support
 * but have none.
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

/**
 * Prevents a refused hook from failing its resource: a second copy of this package may have registered the hook. If the SDK no
 * longer has `__registered`, the resource fails.
 */
export function ignoreRefusal(hook: pulumi.ErrorHook): void {
  const inner = hook as { __registered?: Promise<void> };
  if (inner.__registered !== undefined) inner.__registered = inner.__registered.catch(() => undefined);
}
