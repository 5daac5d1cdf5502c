import type * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";

/** The fields of a Helm release that a failure's message needs. */
export interface FailedRelease {
  namespace: string;
  name: string;
  /** The time limit of the wait, in seconds. */
  timeoutSeconds?: number | undefined;
  /** Helm removed everything again, or rolled it back. */
  atomic?: boolean | undefined;
}

/** Helm's error for a release that another run is changing, or was changing when it was killed. */
const PENDING =
  /another operation \(install\/upgrade\/rollback\) is in progress|cannot re-use a name that is still in use/;

/** Errors of Helm and the plugin when the release does not become ready. */
const NOT_READY =
  /failed to become available|failed to initialize completely|context deadline exceeded|timed out waiting/;

/**
 * Explains Helm's error: which commands show the cause, and how to fix it.
 *
 * The text does not repeat the error: Pulumi shows it anyway, and it may contain a value that Helm printed.
 *
 * @returns undefined when the error itself names the cause
 */
export function explainFailure(error: string, release: FailedRelease): string | undefined {
  if (PENDING.test(error)) return explainPending(release, "run `pulumi up` again");
  if (NOT_READY.test(error)) return explainNotReady(release);
  return undefined;
}

function explainNotReady({ namespace, name, timeoutSeconds, atomic }: FailedRelease): string {
  const kubectl = `kubectl --namespace ${namespace}`;
  const pods = `--selector app.kubernetes.io/instance=${name}`;
  const limit = timeoutSeconds === undefined ? "" : ` within ${timeoutSeconds} s`;
  return [
    `The pods of the release ${namespace}/${name} were not ready${limit}. The reason is with the pods:`,
    `  ${kubectl} get pods ${pods}`,
    `  ${kubectl} describe pods ${pods}`,
    `  ${kubectl} logs ${pods} --all-containers --tail 50 --prefix`,
    `  ${kubectl} get pods ${pods} --output jsonpath='${TERMINATION_MESSAGES}'`,
    `  ${kubectl} get events --sort-by .lastTimestamp`,
    `Of the descriptions, «Init Containers: fetch» shows problems with the bundle (an expired link, a host that the cluster cannot ` +
      `reach, a broken archive), and «Events» those with images, volumes and scheduling. If kubectl's current context is another ` +
      `cluster than the provider's, add --context.`,
    ...(atomic === true
      ? ["`atomic` made Helm remove these pods: set it to false in `release` to be able to inspect them."]
      : []),
    `Then run \`pulumi up\` again. If the pods are only slow, raise \`release.timeout\` (seconds).`,
  ].join("\n");
}

/** One line for each failed init container: pod, container, message. */
const TERMINATION_MESSAGES =
  '{range .items[*]}{.metadata.name}{range .status.initContainerStatuses[*]}{" "}{.name}{": "}' +
  '{.state.terminated.message}{.lastState.terminated.message}{end}{"\\n"}{end}';

/**
 * How to recover a release that Helm's records list as pending.
 *
 * @param afterwards the next step after the record is deleted
 */
function explainPending({ namespace, name }: FailedRelease, afterwards: string): string {
  const kubectl = `kubectl --namespace ${namespace}`;
  return [
    `Helm considers the release ${namespace}/${name} to be changed by another operation. Unless another run is at ` +
      `work, an earlier run was killed and left it pending. Helm's record of that is a Secret; find the newest:`,
    `  ${kubectl} get secrets --sort-by .metadata.creationTimestamp --selector ` +
      `'owner=helm,name=${name},status in (pending-install,pending-upgrade,pending-rollback)'`,
    `Delete that one, the last of the list, and no other (N is its number), then ${afterwards}:`,
    `  ${kubectl} delete secret sh.helm.release.v1.${name}.vN`,
    `If the killed run was the first install, also run:`,
    `  pulumi refresh --clear-pending-creates`,
    `If the list is empty, something else manages a release of this name: give \`release.name\` another one.`,
  ].join("\n");
}

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
