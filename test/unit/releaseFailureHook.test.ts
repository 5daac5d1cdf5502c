import * as pulumi from "@pulumi/pulumi";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { releaseFailureHook } from "../../sdk/releaseFailureHook.ts";

type Answer = (error: Error | null) => void;
/** What the SDK asks to register hooks: Pulumi's mocks have nothing there. */
interface Monitor {
  registerErrorHook?: (request: { getName(): string }, answer: Answer) => void;
}

let names: string[];
const monitor = (): Monitor => pulumi.runtime.getMonitor() as unknown as Monitor;
function engineAnswers(error: Error | null): void {
  monitor().registerErrorHook = (request, answer) => {
    names.push(request.getName());
    answer(error);
  };
}

beforeEach(async () => {
  names = [];
  const mocks = { newResource: () => ({ id: "", state: {} }), call: () => ({}) };
  await pulumi.runtime.setMocks(mocks, "project", "stack");
});

describe("is made", () => {
  test("once for all releases, under a name that is the same for ever: it is in the state", async () => {
    engineAnswers(null);
    const hook = releaseFailureHook();
    expect(releaseFailureHook()).toBe(hook);
    await registration(hook);
    expect(names).toEqual(["docs-hosting:explainReleaseFailure"]);
  });

  test("and bound to the release also when a copy of this package has registered it before", async () => {
    engineAnswers(new Error("resource hook already registered"));
    await expect(registration(releaseFailureHook())).resolves.toBeUndefined();
  });
});

/** What the SDK awaits before it registers a resource with this hook. */
async function registration(hook: pulumi.ErrorHook | undefined): Promise<unknown> {
  return (hook as unknown as { __registered: Promise<void> }).__registered;
}

describe("is left out", () => {
  test("by an SDK without error hooks", () => {
    engineAnswers(null);
    const { ErrorHook } = pulumi;
    vi.spyOn(pulumi, "ErrorHook", "get").mockReturnValue(undefined as never);
    expect(ErrorHook).toBeDefined();
    expect(releaseFailureHook()).toBeUndefined();
    vi.restoreAllMocks();
  });

  test("under mocks, which offer hooks and have none", () => {
    expect(releaseFailureHook()).toBeUndefined();
  });
});
