import * as pulumi from "@pulumi/pulumi";
import { ignoreRefusal, runWithErrorHooks } from "../pulumiSdk";
import { explainFailure, type FailedRelease } from "./releaseFailure";

/**
 * Name of the hook. The state stores it with each release, so it never changes and is the same for all releases. The engine
 * looks the hook up by this name, also for a release that a later program no longer declares.
 */
const NAME = "docs-hosting:explainReleaseFailure";

/** One hook per run of a program (a process of the Automation API can have many runs): engines refuse a second of the name. */
const hooks = new WeakMap<object, pulumi.ErrorHook>();

/**
 * The hook that explains a failed release on its row. It requests no retry. `undefined` if Pulumi has no error hooks: the
 * SDK and the engine have them from 3.218 (before 3.244, the engine calls them only after a failed wait).
 */
export function releaseFailureHook(): pulumi.ErrorHook | undefined {
  const run = runWithErrorHooks();
  if (run === undefined) return undefined;
  let hook = hooks.get(run);
  if (hook === undefined) {
    hook = new pulumi.ErrorHook(NAME, explain);
    ignoreRefusal(hook);
    hooks.set(run, hook);
  }
  return hook;
}

/** Never throws: the engine would show the hook's error instead of the release's. */
async function explain(failure: pulumi.ErrorHookArgs): Promise<boolean> {
  try {
    const text = failure.failedOperation === "delete" ? undefined : explainFailure(...failed(failure));
    // a warning: an error would fail the run even if a hook of the user retries and succeeds
    if (text !== undefined) await pulumi.log.warn(text, rowOf(failure.urn));
  } catch {
    // Pulumi shows the release's own error anyway
  }
  return false;
}

function failed({ errors, newInputs, id }: pulumi.ErrorHookArgs): [error: string, release: FailedRelease] {
  const [namespace, name] = id.split("/");
  const inputs = (newInputs ?? {}) as Readonly<Record<string, unknown>>;
  const { timeout, atomic } = inputs;
  // a secret comes as an output
  const text = (value: unknown): string | undefined =>
    typeof value === "string" && value !== "" ? value : undefined;
  return [
    errors[0] ?? "",
    {
      namespace: text(inputs["namespace"]) ?? (namespace || "NAMESPACE"),
      name: text(inputs["name"]) ?? name ?? "NAME",
      timeoutSeconds: typeof timeout === "number" ? timeout : undefined,
      atomic: atomic === true,
    },
  ];
}

/** A stand-in for the resource: the log reads only the URN, to find the row. */
function rowOf(urn: string): pulumi.Resource {
  return { urn: pulumi.output(urn) } as unknown as pulumi.Resource;
}
