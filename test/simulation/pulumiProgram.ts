// What nobody but the inner state of Pulumi's SDK tells of a program that runs under its mocks.
import * as pulumi from "@pulumi/pulumi";

/** Waits until all that was declared is registered, outputs of components, too. */
export async function settled(): Promise<void> {
  await (pulumi.runtime as unknown as { waitForRPCs: () => Promise<void> }).waitForRPCs();
}

/** What an output turns out to be: "unknown" where a preview cannot know it. */
export async function told(output: unknown): Promise<{ value: unknown; secret: boolean }> {
  const { promise, isSecret, isKnown } = output as {
    promise: () => Promise<unknown>;
    isSecret: Promise<boolean>;
    isKnown: Promise<boolean>;
  };
  return { value: (await isKnown) ? await promise() : "unknown", secret: await isSecret };
}
