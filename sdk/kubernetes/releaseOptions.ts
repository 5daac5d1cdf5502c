import type * as pulumi from "@pulumi/pulumi";
import { releaseFailureHook } from "./releaseFailureHook";

/**
 * Options that have no effect on a component, because it has no inputs, provider or operations, and that Pulumi does not
 * pass to its children.
 *
 * The other options need no handling here: Pulumi passes `provider(s)`, `protect`, `transformations`, `transforms`,
 * `aliases`, `deletedWith` and `retainOnDelete` of a parent to its children. `dependsOn` applies because the child follows
 * its parent.
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
  const given = OF_THE_RELEASE.filter((name) => name in opts);
  const inherited: pulumi.CustomResourceOptions = Object.fromEntries(given.map((name) => [name, opts[name]]));
  const hook = releaseFailureHook();
  // only operations of the release can fail, so the error hook belongs to the release
  const onError = [...(hook === undefined ? [] : [hook]), ...(opts.hooks?.onError ?? [])];
  return {
    ...inherited,
    ...(onError.length > 0 && { hooks: { onError } }),
    parent: component,
  };
}
