import * as pulumi from "@pulumi/pulumi";
import { outliveRefusal, runWithErrorHooks } from "../pulumiSdk";
import { explainFailure, type FailedRelease } from "./releaseFailure";

/**
 * Name of the hook. It is stored with each release, so it never changes and is the same for all: whichever release a
 * later program has no more, the hook that an engine looks up by this name serves it.
 */
const NAME = "docs-hosting:explainReleaseFailure";

/** One for each run of a program (Automation API can have many in a process): engines refuse a second of its name. */
const hooks = new WeakMap<object, pulumi.ErrorHook>();

/**
 * The hook that explains a failed release on its row; it asks for no second try. `undefined` where Pulumi has no error
 * hooks: they came with the SDK and the engine 3.218 (before 3.244, only a wait that came to nothing calls them).
 */
export function releaseFailureHook(): pulumi.ErrorHook | undefined {
  const run = runWithErrorHooks();
  if (run === undefined) return undefined;
  let hook = hooks.get(run);
  if (hook === undefined) {
    hook = new pulumi.ErrorHook(NAME, explain);
    outliveRefusal(hook);
    hooks.set(run, hook);
  }
  return hook;
}

/** Never throws: an engine then shows the hook's error in the place of the release's. */
async function explain(failure: pulumi.ErrorHookArgs): Promise<boolean> {
  try {
    const text = failure.failedOperation === "delete" ? undefined : explainFailure(...failed(failure));
    // a warning: an error would fail the run even where a hook of the user tries again and succeeds
    if (text !== undefined) await pulumi.log.warn(text, rowOf(failure.urn));
  } catch {
    // the release's own error is shown all the same
  }
  return false;
}

function failed({ errors, newInputs, id }: pulumi.ErrorHookArgs): [error: string, release: FailedRelease] {
  const [namespace, name] = id.split("/");
  return [
    errors[0] ?? "",
    {
      namespace: plain("string", newInputs?.["namespace"]) ?? (namespace || "NAMESPACE"),
      name: plain("string", newInputs?.["name"]) ?? name ?? "NAME",
      timeoutSeconds: plain("number", newInputs?.["timeout"]),
      atomic: plain("boolean", newInputs?.["atomic"]),
    },
  ];
}

interface Plain {
  string: string;
  number: number;
  boolean: boolean;
}

/** The value, unless it is missing or a secret (which comes as an output). */
function plain<Type extends keyof Plain>(type: Type, value: unknown): Plain[Type] | undefined {
  return typeof value === type && value !== "" ? (value as Plain[Type]) : undefined;
}

/** Of a resource only its URN is asked for, to find its row. */
function rowOf(urn: string): pulumi.Resource {
  return { urn: pulumi.output(urn) } as unknown as pulumi.Resource;
}
