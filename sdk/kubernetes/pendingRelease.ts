import * as pulumi from "@pulumi/pulumi";
import type * as kubernetes from "@pulumi/kubernetes";
import { explainPending } from "./releaseFailure";

/**
 * Warns on the release's row when its status is `pending-…`.
 *
 * After a killed run, Pulumi advises `pulumi refresh`. Refresh takes Helm's record of the interrupted operation for the
 * installed state: a later `up` finds no changes, and nothing reports that the operation never finished.
 */
export function warnOfPendingRelease(release: kubernetes.helm.v3.Release): void {
  pulumi.all([release.status, release.namespace, release.name]).apply(async ([status, namespace, name]) => {
    // missing under the mocks of a user's test
    const now = (status as typeof status | undefined)?.status ?? "";
    if (!now.startsWith("pending-")) return;
    await pulumi.log.warn(
      `Its status is ${now}: whether it matches the program is unknown, even where Pulumi says «unchanged». ` +
        explainPending({ namespace, name }, "run `pulumi refresh` and `pulumi up`"),
      release,
    );
  });
}
