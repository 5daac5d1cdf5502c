// Reads from the inner state of Pulumi's SDK what a program registered under its mocks.
import * as pulumi from "@pulumi/pulumi";

/** Waits until all declared resources are registered, with outputs of components. */
export async function settled(): Promise<void> {
  await (pulumi.runtime as unknown as { waitForRPCs: () => Promise<void> }).waitForRPCs();
}

/** The value of an output: "unknown" where a preview cannot know it. */
export async function resolved(output: unknown): Promise<{ value: unknown; secret: boolean }> {
  const { promise, isSecret, isKnown } = output as {
    promise: () => Promise<unknown>;
    isSecret: Promise<boolean>;
    isKnown: Promise<boolean>;
  };
  return { value: (await isKnown) ? await promise() : "unknown", secret: await isSecret };
}

/** A resource as a program registered it. */
export interface Registered {
  type: string;
  name: string;
  /** Id of a resource that is only read. */
  id: string;
  inputs: Record<string, unknown>;
}

/**
 * Begins a program under Pulumi's mocks.
 *
 * @param options `outputs`: of each resource, besides its inputs
 * @returns the registrations of the program, as they happen
 */
export async function startProgram({
  outputs = {},
  project = "project",
  preview = false,
}: { outputs?: object; project?: string; preview?: boolean } = {}): Promise<Registered[]> {
  const registered: Registered[] = [];
  const mocks: pulumi.runtime.Mocks = {
    newResource: ({ type, name, id, inputs }) => {
      registered.push({ type, name, id: id ?? "", inputs: inputs as Record<string, unknown> });
      return { id: name, state: { ...(inputs as object), ...outputs } };
    },
    call: () => ({}),
  };
  await pulumi.runtime.setMocks(mocks, project, "stack", preview);
  return registered;
}
