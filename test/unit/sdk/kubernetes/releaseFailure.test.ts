import { expect, test } from "vitest";
import { explainFailure } from "../../../../sdk/kubernetes/releaseFailure.ts";

const RELEASE = { namespace: "site", name: "docs-1a2b", timeoutSeconds: 600 };

// the messages of the Kubernetes plugin 4.34, word for word
const CREATED_NOT_READY =
  'Helm release "site/docs-1a2b" was created, but failed to initialize completely. Use Helm CLI to investigate: ' +
  "failed to become available within allocated timeout. Error: Helm Release site/docs-1a2b: context deadline exceeded";
const LOCKED = "error running update: another operation (install/upgrade/rollback) is in progress";

test("pods that are not ready: how long was waited, and nothing of `atomic` where it is not set", () => {
  const text = explainFailure(CREATED_NOT_READY, RELEASE);
  expect(text).toMatch(/^The pods of the release site\/docs-1a2b were not ready within 600 s\. The reason/);
  expect(text).not.toContain("atomic");
});

test("an error that explains itself gets no text", () => {
  for (const error of ["values don't meet the specifications of the schema", "chart not found", ""]) {
    expect(explainFailure(error, RELEASE)).toBeUndefined();
  }
});

test("no text of the error is repeated: Helm prints values in some", () => {
  expect(explainFailure(`${CREATED_NOT_READY} https://x/?sig=c4n4ry`, RELEASE)).not.toContain("c4n4ry");
});

test.each([
  "failed to become available",
  "failed to initialize completely",
  "context deadline exceeded",
  "timed out waiting",
])("the whole text about pods that are not ready (%s)", (error) => {
  expect(explainFailure(error, { namespace: "site", name: "docs", atomic: true })).toBe(
    [
      "The pods of the release site/docs were not ready. The reason is with the pods:",
      "  kubectl --namespace site get pods --selector app.kubernetes.io/instance=docs",
      "  kubectl --namespace site describe pods --selector app.kubernetes.io/instance=docs",
      "  kubectl --namespace site logs --selector app.kubernetes.io/instance=docs --all-containers --tail 50 --prefix",
      "  kubectl --namespace site get pods --selector app.kubernetes.io/instance=docs --output " +
        "jsonpath='{range .items[*]}{.metadata.name}{range .status.initContainerStatuses[*]}" +
        '{" "}{.name}{": "}{.state.terminated.message}{.lastState.terminated.message}{end}{"\\n"}{end}\'',
      "  kubectl --namespace site get events --sort-by .lastTimestamp",
      "Of the descriptions, «Init Containers: fetch» shows problems with the bundle (an expired link, a host that the cluster cannot " +
        "reach, a broken archive), and «Events» those with images, volumes and scheduling. If kubectl's current context is another " +
        "cluster than the provider's, add --context.",
      "`atomic` made Helm remove these pods: set it to false in `release` to be able to inspect them.",
      "Then run `pulumi up` again. If the pods are only slow, raise `release.timeout` (seconds).",
    ].join("\n"),
  );
});

test.each([LOCKED, "cannot re-use a name that is still in use"])(
  "the whole text about a release that is pending (%s)",
  (error) => {
    expect(explainFailure(error, RELEASE)).toBe(
      [
        "Helm considers the release site/docs-1a2b to be changed by another operation. Unless another run is at work, an " +
          "earlier run was killed and left it pending. Helm's record of that is a Secret; find the newest:",
        "  kubectl --namespace site get secrets --sort-by .metadata.creationTimestamp --selector " +
          "'owner=helm,name=docs-1a2b,status in (pending-install,pending-upgrade,pending-rollback)'",
        "Delete that one, the last of the list, and no other (N is its number), then run `pulumi up` again:",
        "  kubectl --namespace site delete secret sh.helm.release.v1.docs-1a2b.vN",
        "If the killed run was the first install, also run:",
        "  pulumi refresh --clear-pending-creates",
        "If the list is empty, something else manages a release of this name: give `release.name` another one.",
      ].join("\n"),
    );
  },
);
