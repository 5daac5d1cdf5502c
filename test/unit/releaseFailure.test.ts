import { expect, test } from "vitest";
import { explainFailure } from "../../sdk/releaseFailure.ts";

const RELEASE = { namespace: "site", name: "docs-1a2b", timeoutSeconds: 600 };

// what the Kubernetes plugin 4.34 says, word for word
const CREATED_NOT_READY =
  'Helm release "site/docs-1a2b" was created, but failed to initialize completely. Use Helm CLI to investigate: ' +
  "failed to become available within allocated timeout. Error: Helm Release site/docs-1a2b: context deadline exceeded";
const LOCKED = "error running update: another operation (install/upgrade/rollback) is in progress";

test.each([CREATED_NOT_READY, "error running update: timed out waiting for the condition"])(
  "pods that are not ready: commands that show why (%s)",
  (error) => {
    const text = explainFailure(error, RELEASE) ?? "";
    expect(text).toContain("The pods of the release site/docs-1a2b were not ready within 600 s.");
    for (const command of [
      "kubectl --namespace site get pods --selector app.kubernetes.io/instance=docs-1a2b\n",
      "kubectl --namespace site describe pods --selector app.kubernetes.io/instance=docs-1a2b\n",
      "kubectl --namespace site logs --selector app.kubernetes.io/instance=docs-1a2b --container fetch ",
      "--output jsonpath='{range .items[*]}{.metadata.name}",
      "{.lastState.terminated.message}",
      "kubectl --namespace site get events ",
    ]) {
      expect(text).toContain(command);
    }
    expect(text).not.toContain("atomic");
  },
);

test("an atomic release has no pods left to look at: the text says so", () => {
  expect(explainFailure(CREATED_NOT_READY, { ...RELEASE, atomic: true })).toContain(
    "`atomic` made Helm take",
  );
});

test.each([LOCKED, "cannot re-use a name that is still in use"])(
  "a release that a killed run left pending: the Secret to delete (%s)",
  (error) => {
    const text = explainFailure(error, RELEASE) ?? "";
    expect(text).toContain(
      "kubectl --namespace site get secrets --sort-by .metadata.creationTimestamp --selector " +
        "'owner=helm,name=docs-1a2b,status in (pending-install,pending-upgrade,pending-rollback)'\n",
    );
    expect(text).toContain("kubectl --namespace site delete secret sh.helm.release.v1.docs-1a2b.vN\n");
    expect(text).toContain("pulumi refresh --clear-pending-creates");
    expect(text).not.toContain("describe pods");
  },
);

test("an error that says itself what is wrong gets no text", () => {
  for (const error of ["values don't meet the specifications of the schema", "chart not found", ""]) {
    expect(explainFailure(error, RELEASE)).toBeUndefined();
  }
});

test("nothing of the error is repeated: Helm prints values in some", () => {
  expect(explainFailure(`${CREATED_NOT_READY} https://x/?sig=c4n4ry`, RELEASE)).not.toContain("c4n4ry");
});
