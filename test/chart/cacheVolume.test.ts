import { expect, test, type TestContext } from "vitest";
import { standInForCluster, type StoredObject } from "./clusterStandIn.ts";
import { type Manifest, only, render, serving, type Values } from "./renderedChart.ts";

const IS_DEFAULT = { "storageclass.kubernetes.io/is-default-class": "true" };

const storageClass = (name: string, provisioner: string, metadata: object = {}): StoredObject => ({
  apiVersion: "storage.k8s.io/v1",
  kind: "StorageClass",
  metadata: { name, creationTimestamp: "2026-01-01T00:00:00Z", ...metadata },
  provisioner,
});

const claim = (name: string, ...accessModes: string[]): StoredObject => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name },
  spec: { accessModes },
});

async function renderedOn(
  context: TestContext,
  objects: readonly StoredObject[],
  cache: Values,
  more: Values = {},
): Promise<Manifest[]> {
  const cluster = await standInForCluster(context, objects);
  return render(serving({ ...more, cache: { enabled: true, ...cache } }), ...cluster);
}

const EBS = storageClass("gp3", "ebs.csi.aws.com", { annotations: IS_DEFAULT });
const EFS = storageClass("shared", "efs.csi.aws.com");
const NEW_DEFAULT = { annotations: IS_DEFAULT, creationTimestamp: "2026-02-01T00:00:00Z" };

test.for<[string, string, readonly StoredObject[], Values]>([
  ["no cluster can be asked", "ReadWriteMany", [], {}],
  ["the default class has block devices", "ReadWriteOnce", [EFS, EBS], {}],
  ["the named class has block devices", "ReadWriteOnce", [EFS, EBS], { storageClass: "gp3" }],
  ["the named class shares folders", "ReadWriteMany", [EFS, EBS], { storageClass: "shared" }],
  ["no class is wanted", "ReadWriteMany", [EBS], { storageClass: "-" }],
  [
    "the newest of two default classes shares folders",
    "ReadWriteMany",
    [storageClass("new", "nfs.csi.k8s.io", NEW_DEFAULT), EBS],
    {},
  ],
  ["the value says so", "ReadWriteMany", [EBS], { accessModes: ["ReadWriteMany"] }],
  [
    "the claim is there already",
    "ReadWriteMany",
    [EBS, claim("docs-docs-server-cache", "ReadWriteMany")],
    {},
  ],
  [
    "the claim is there already, whatever the class",
    "ReadWriteOnce",
    [claim("docs-docs-server-cache", "ReadWriteOnce")],
    {},
  ],
])(
  "when %s, the cache is %s, and pods share a node only if they must",
  async ([, mode, objects, cache], context) => {
    const manifests = await renderedOn(context, objects, cache);
    const spec = only(manifests, "PersistentVolumeClaim").spec as unknown as { accessModes: string[] };
    expect(spec.accessModes).toEqual([mode]);
    expect(isOnOneNode(manifests)).toBe(mode === "ReadWriteOnce");
  },
);

test.for([
  ["ReadWriteOnce", true],
  ["ReadWriteMany", false],
] as const)(
  "a claim of one's own that is %s keeps the pods on one node: %s",
  async ([mode, together], context) => {
    const manifests = await renderedOn(context, [EBS, claim("ours", mode)], { existingClaim: "ours" });
    expect(isOnOneNode(manifests)).toBe(together);
  },
);

test("the affinity that was asked for stays, beside the one to the pods' own node", async (context) => {
  const zone = { topologyKey: "zone", labelSelector: {} };
  const nodeAffinity = { preferredDuringSchedulingIgnoredDuringExecution: [] };
  const affinity = { nodeAffinity, podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [zone] } };
  const manifests = await renderedOn(context, [EBS], {}, { affinity });
  const { spec } = only(manifests, "Deployment").spec.template;
  expect(spec.affinity).toEqual({
    nodeAffinity,
    podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [zone, OWN_NODE] },
  });
});

const OWN_NODE = {
  topologyKey: "kubernetes.io/hostname",
  labelSelector: {
    matchLabels: { "app.kubernetes.io/name": "docs-server", "app.kubernetes.io/instance": "docs" },
  },
};

/** Whether pods must be where the others are. Then nothing may spread them, and no budget hold the last one on a node. */
function isOnOneNode(manifests: readonly Manifest[]): boolean {
  const { spec } = only(manifests, "Deployment").spec.template;
  const together = spec.affinity !== undefined;
  if (together) {
    expect(spec.affinity).toEqual({
      podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [OWN_NODE] },
    });
  }
  expect("topologySpreadConstraints" in spec).toBe(!together);
  expect(manifests.some(({ kind }) => kind === "PodDisruptionBudget")).toBe(!together);
  return together;
}
