// Runs whole stacks: on the real Pulumi CLI if there is one, else on the small engine in `local/`, which speaks Pulumi's gRPC
// protocol to the real program runtime and the real dynamic-provider process of @pulumi/pulumi.
//
// The local engine behaves as the real one, with the exceptions in README.md.
import "./reaper.ts";
import { openCliStack } from "./cli/cliStack.ts";
import { openLocalStack } from "./local/localStack.ts";
import type { EngineKind, Stack, StackSettings } from "./stack.ts";

export { availableEngines, type AvailableEngines } from "./availableEngines.ts";
export * from "./stack.ts";

/** @throws «incorrect passphrase» */
export async function openStack(kind: EngineKind, settings: StackSettings): Promise<Stack> {
  return kind === "local" ? openLocalStack(settings) : await openCliStack(settings);
}
