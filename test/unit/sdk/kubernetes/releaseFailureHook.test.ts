import { createRequire } from "node:module";
import * as pulumi from "@pulumi/pulumi";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { startProgram } from "../../../simulation/pulumiProgram.ts";

type Answer = (error: Error | null) => void;
/** The SDK's query before it registers hooks: Pulumi's mocks lack it. */
interface Monitor {
  registerErrorHook?: (request: { getName(): string }, answer: Answer) => void;
}

/** Loaded again for each test: it keeps the hook of a run. */
let releaseFailureHook: () => pulumi.ErrorHook | undefined;
/** The hooks of a test: the SDK registers them with a gRPC server of its own. */
const hooks = new Set<pulumi.ErrorHook>();
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
  vi.resetModules();
  const loaded = await import("../../../../sdk/kubernetes/releaseFailureHook.ts");
  releaseFailureHook = () => {
    const hook = loaded.releaseFailureHook();
    if (hook) hooks.add(hook);
    return hook;
  };
  await startProgram();
});

// closes the SDK's server: a thread that ends while its connection is open can abort Node.js (nodejs/node#38418)
afterEach(async () => {
  await Promise.all([...hooks].map(registration));
  hooks.clear();
  pulumi.runtime.disconnectSync();
});

describe("is created", () => {
  test("once for all releases, under a name that never changes: it is in the state", async () => {
    engineAnswers(null);
    const hook = releaseFailureHook();
    expect(releaseFailureHook()).toBe(hook);
    await registration(hook);
    expect(names).toEqual(["docs-hosting:explainReleaseFailure"]);
  });

  test("and bound to the release also when another copy of this package has registered it before", async () => {
    engineAnswers(new Error("resource hook already registered"));
    await expect(registration(releaseFailureHook())).resolves.toBeUndefined();
  });
});

/** The promise that the SDK awaits before it registers a resource with this hook. */
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

  test("by an engine without them, for the SDK would fail the release", () => {
    engineAnswers(null);
    const { getStore } = createRequire(import.meta.url)("@pulumi/pulumi/runtime/state") as {
      getStore: () => { supportsErrorHooks: boolean };
    };
    getStore().supportsErrorHooks = false;
    expect(releaseFailureHook()).toBeUndefined();
  });

  test("under mocks, which offer hooks and have none", () => {
    expect(releaseFailureHook()).toBeUndefined();
  });
});

describe("logs on the row of the release", () => {
  const URN = "urn:pulumi:stack::project::kubernetes:helm.sh/v3:Release::docs";
  const TIMED_OUT = "error running update: context deadline exceeded";
  const IN_USE = "cannot re-use a name that is still in use";
  const failure = (given: Partial<pulumi.ErrorHookArgs>): pulumi.ErrorHookArgs => ({
    urn: URN,
    id: "",
    name: "docs",
    type: "kubernetes:helm.sh/v3:Release",
    newInputs: { namespace: "site", name: "docs-1a2b", timeout: 600 },
    failedOperation: "update",
    errors: [TIMED_OUT],
    ...given,
  });

  async function said(given: Partial<pulumi.ErrorHookArgs>): Promise<string[]> {
    engineAnswers(null);
    const lines: string[] = [];
    vi.spyOn(pulumi.log, "warn").mockImplementation(async (text, resource) => {
      expect(await (resource?.urn as unknown as { promise(): Promise<string> }).promise()).toBe(URN);
      lines.push(text);
    });
    expect(await releaseFailureHook()?.callback(failure(given))).toBe(false); // no second try
    vi.restoreAllMocks();
    return lines;
  }

  const NAMES = { namespace: "site", name: "docs" };
  const notReady = (name: string): string => `The pods of the release ${name} were not ready. The reason`;

  test.each<[string, Partial<pulumi.ErrorHookArgs>, string]>([
    ["why its creation failed", { failedOperation: "create" }, "site/docs-1a2b were not ready within 600 s"],
    ["why its update failed", { failedOperation: "update" }, "site/docs-1a2b were not ready within 600 s"],
    ["what the newest of its errors is about", { errors: [IN_USE, TIMED_OUT] }, "release.v1.docs-1a2b.vN"],
    [
      "that atomic took the pods away",
      { newInputs: { ...NAMES, atomic: true } },
      "`atomic` made Helm remove these pods",
    ],
    ["its names, by its id", { id: "site/docs", newInputs: undefined as never }, notReady("site/docs")],
    [
      "what is known of its names",
      { newInputs: { namespace: "", name: "docs", timeout: "600" } },
      notReady("NAMESPACE/docs"),
    ],
    ["that it has no name", { newInputs: {} }, notReady("NAMESPACE/NAME")],
  ])("%s", async (_, given, text) => {
    expect(await said(given)).toEqual([expect.stringContaining(text)]);
  });

  test("nothing about a deletion, or about an error that needs no explanation", async () => {
    expect(await said({ failedOperation: "delete" })).toEqual([]);
    expect(await said({ errors: ["chart not found"] })).toEqual([]);
  });

  test("no secret name, but where to insert it", async () => {
    const [text] = await said({
      newInputs: { namespace: pulumi.secret("c4n4ry"), name: pulumi.secret("c4n4ry") },
    });
    expect(text).toContain("kubectl --namespace NAMESPACE get pods");
    expect(text).not.toContain("c4n4ry");
  });

  test("and fails silently, for Pulumi would show its error in place of the release's", async () => {
    engineAnswers(null);
    vi.spyOn(pulumi.log, "warn").mockRejectedValue(new Error("no engine"));
    expect(await releaseFailureHook()?.callback(failure({ errors: undefined as never }))).toBe(false);
    expect(await releaseFailureHook()?.callback(failure({}))).toBe(false);
    vi.restoreAllMocks();
  });
});
