import type * as pulumi from "@pulumi/pulumi";
import { releaseFailureHook } from "./releaseFailureHook";

/**
 * Options that mean nothing to a component, which has no inputs, provider or operation of its own, and that Pulumi does
 * not hand down to its children.
 *
 * The others take their course: `provider(s)`, `protect`, `transformations`, `transforms`, `aliases`, `deletedWith` and
 * `retainOnDelete` of a parent reach its children by Pulumi itself, and `dependsOn` does by the order of parent and
 * child.
 */
const OF_THE_RELEASE = [
  "ignoreChanges",
  "replaceOnChanges",
  "replacementTrigger",
  "replaceWith",
  "customTimeouts",
  "hideDiffs",
  "version",
  "pluginDownloadURL",
] as const satisfies readonly (keyof pulumi.ComponentResourceOptions)[];

/** The release's options, from those of the component. */
export function releaseOptions(
  component: pulumi.ComponentResource,
  opts: pulumi.ComponentResourceOptions,
): pulumi.CustomResourceOptions {
  const handedDown: pulumi.CustomResourceOptions = Object.fromEntries(
    Object.entries(opts as Record<string, unknown>).filter(([name]) =>
      (OF_THE_RELEASE as readonly string[]).includes(name),
    ),
  );
  const hook = releaseFailureHook();
  // only operations of the release fail: a hook for errors belongs there
  const onError = [...(hook === undefined ? [] : [hook]), ...(opts.hooks?.onError ?? [])];
  return {
    ...handedDown,
    ...(onError.length > 0 && { hooks: { onError } }),
    parent: component,
  };
}
