import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "vitest";

/** An object of the cluster's namespace «default», as its API gives it. */
export interface StoredObject {
  apiVersion: string;
  kind: string;
  metadata: {
    name: string;
    ownerReferences?: { name: string }[];
    annotations?: Record<string, string>;
    labels?: Record<string, string>;
  };
  [field: string]: unknown;
}

interface Resource {
  name: string;
  kind: string;
  namespaced: true;
  verbs: string[];
}

const resource = (name: string, kind: string): Resource => ({
  name,
  kind,
  namespaced: true,
  verbs: ["get", "list"],
});

/** Kinds that templates look up or render, as API discovery reports them: Helm 4 asks for the latter, too. */
const RESOURCES: Readonly<Record<string, Resource[]>> = {
  v1: [
    resource("configmaps", "ConfigMap"),
    resource("secrets", "Secret"),
    resource("services", "Service"),
    resource("pods", "Pod"),
  ],
  "apps/v1": [resource("replicasets", "ReplicaSet"), resource("deployments", "Deployment")],
  "networking.k8s.io/v1": [resource("networkpolicies", "NetworkPolicy")],
  "policy/v1": [resource("poddisruptionbudgets", "PodDisruptionBudget")],
};

const GROUPS = Object.keys(RESOURCES)
  .filter((groupVersion) => groupVersion !== "v1")
  .map((groupVersion) => {
    const [name = "", version = ""] = groupVersion.split("/");
    return { name, versions: [{ groupVersion, version }], preferredVersion: { groupVersion, version } };
  });

/**
 * Serves these objects to Helm's `lookup`, as an API server. Until the test ends.
 *
 * @param forbidden the kind of objects that the deployer may not read
 * @returns arguments of helm that render against it
 */
export async function standInForCluster(
  context: Pick<TestContext, "onTestFinished">,
  objects: readonly StoredObject[],
  forbidden?: string,
): Promise<string[]> {
  const answers = new Map<string, object>([
    ["/version", { major: "1", minor: "34", gitVersion: "v1.34.2" }],
    ["/api", { kind: "APIVersions", versions: ["v1"] }],
    ["/apis", { kind: "APIGroupList", apiVersion: "v1", groups: GROUPS }],
  ]);
  for (const [groupVersion, resources] of Object.entries(RESOURCES)) {
    const root = groupVersion === "v1" ? "/api/v1" : `/apis/${groupVersion}`;
    answers.set(root, { kind: "APIResourceList", groupVersion, resources });
    for (const { name, kind } of resources) {
      const items = objects.filter((object) => object.kind === kind).map(installed);
      const all = `${root}/namespaces/default/${name}`;
      if (kind === forbidden) {
        answers.set(all, FORBIDDEN);
        continue;
      }
      answers.set(all, { kind: `${kind}List`, apiVersion: groupVersion, metadata: {}, items });
      for (const item of items) answers.set(`${all}/${item.metadata.name}`, item);
    }
  }
  const server = createServer(({ url = "" }, response) => {
    const answer = answers.get(url.split("?")[0] ?? "");
    const status = answer === FORBIDDEN ? 403 : answer ? 200 : 404;
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(answer ?? NOT_FOUND));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  context.onTestFinished(() => server.close().closeAllConnections());
  return [
    ...["--dry-run=server", "--disable-openapi-validation"], // of which Helm 4 asks a cluster for the types
    "--kube-apiserver",
    `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  ];
}

/** An object as Helm stores it for the release «docs»: Helm 4 refuses to change others. */
function installed(object: StoredObject): StoredObject {
  const { annotations, labels } = object.metadata;
  const metadata = {
    ...object.metadata,
    labels: { ...labels, "app.kubernetes.io/managed-by": "Helm" },
    annotations: {
      ...annotations,
      "meta.helm.sh/release-name": "docs",
      "meta.helm.sh/release-namespace": "default",
    },
  };
  return { ...object, metadata };
}

const NOT_FOUND = { kind: "Status", apiVersion: "v1", status: "Failure", reason: "NotFound", code: 404 };
const FORBIDDEN = { kind: "Status", apiVersion: "v1", status: "Failure", reason: "Forbidden", code: 403 };
