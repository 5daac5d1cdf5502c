import { describe, expect, test } from "vitest";
import { standInForCluster } from "./clusterStandIn.ts";
import {
  kindsOf,
  only,
  podTemplate,
  render,
  SELECTOR,
  serving,
  servingImage,
  SITE_IMAGE,
  testPod,
} from "./renderedChart.ts";

const port = (number: number, protocol: string) => ({ port: number, protocol });
const TO_EACH_OTHER = [
  { ports: [port(53, "UDP"), port(53, "TCP"), port(5353, "UDP"), port(5353, "TCP")] },
  { ports: [port(8080, "TCP"), port(15_008, "TCP")], to: [{ podSelector: { matchLabels: SELECTOR } }] },
];

describe("the pods of a site in an image", () => {
  const CALLED = `registry.example.com/docs/site@sha256:${"a0".repeat(32)}`;

  test("of its own run that image by its digest, fetch nothing and reach only name servers and each other", async () => {
    const manifests = await render(servingImage("siteImage"));
    expect(kindsOf(manifests)).not.toContain("Secret");
    expect(only(manifests, "NetworkPolicy").spec.egress).toEqual(TO_EACH_OTHER);
    const { spec } = podTemplate(manifests);
    expect(spec).not.toHaveProperty("initContainers");
    expect(spec.containers.map(({ image }) => image)).toEqual([SITE_IMAGE]);
    expect(spec.volumes.map(({ name }) => name)).toEqual(["configuration", "tmp"]);
    expect(spec.containers[0]?.env).toContainEqual({
      name: "IMAGE_SITE_FOLDER",
      value: "/usr/share/nginx/html",
    });
    // no other image is available there
    expect(testPod(manifests).containers.map(({ image }) => image)).toEqual([SITE_IMAGE]);
    expect(JSON.stringify(manifests)).not.toContain("nginx-unprivileged");
    const files = Object.keys(only(manifests, "ConfigMap").data).map((key) => key.replace(/^\w+\./, ""));
    expect(files).toEqual(["nginx.conf", "serve.sh"]);
  });

  test("of files alone mount it read-only, and fetch nothing", async () => {
    const manifests = await render(servingImage("volume"));
    expect(kindsOf(manifests)).not.toContain("Secret");
    expect(only(manifests, "NetworkPolicy").spec.egress).toEqual(TO_EACH_OTHER);
    const { spec } = podTemplate(manifests);
    expect(spec).not.toHaveProperty("initContainers");
    const [nginx] = spec.containers;
    expect(nginx?.image).toContain("nginx-unprivileged");
    expect(spec.volumes).toContainEqual({
      name: "site",
      image: { reference: SITE_IMAGE, pullPolicy: "IfNotPresent" },
    });
    expect(nginx?.volumeMounts).toContainEqual({ name: "site", mountPath: "/site", readOnly: true });
    expect(nginx?.env).toContainEqual({ name: "IMAGE_SITE_FOLDER", value: "/site/site" });
  });

  test.each([
    ["siteImage", { siteImage: CALLED }],
    ["volume", { siteVolume: { image: CALLED, featureGate: true } }],
  ] as const)(
    "(%s) are replaced by another digest, but not by another label of the same digest",
    async (mode, other) => {
      const values = servingImage(mode);
      const pods = podTemplate(await render(values));
      const rolled = podTemplate(await render({ ...values, ...other }));
      const content = (template: typeof pods) => template.metadata.annotations?.["docs-server/content"];
      expect(content(rolled)).not.toBe(content(pods));
      expect(JSON.stringify(rolled)).toContain(CALLED);
      expect(JSON.stringify(rolled)).not.toContain(SITE_IMAGE);
      const relabelled = { ...values, staticExport: { enabled: true, version: "v2", jobId: "81bc" } };
      expect(podTemplate(await render(relabelled))).toEqual(pods);
    },
  );

  test.each(["siteImage", "volume"] as const)(
    "(%s) need no right, and have only volumes that they mount",
    async (mode) => {
      const { spec } = podTemplate(await render(servingImage(mode)));
      expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 101 });
      for (const { securityContext } of spec.containers) {
        expect(securityContext).toMatchObject({ readOnlyRootFilesystem: true });
      }
      const mounted = spec.containers.flatMap(({ volumeMounts }) => volumeMounts.map(({ name }) => name));
      expect(mounted.sort()).toEqual(spec.volumes.map(({ name }) => name).sort());
    },
  );

  test("leave the link and the egress to its host to pods of an earlier revision, and remove them with these", async (context) => {
    const before = await render(serving());
    const { metadata } = podTemplate(before);
    const id = metadata.annotations?.["docs-server/content"] ?? "";
    const secret = only(before, "Secret");
    const replicaSet = {
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      metadata: { name: "earlier", ownerReferences: [{ name: only(before, "Deployment").metadata.name }] },
      spec: { template: { metadata } },
    };
    const stored = { ...secret, data: { ...secret.data, "0000000000000000": "bm9ib2R5" } };
    const cluster = await standInForCluster(context, [stored, replicaSet]);
    const during = await render(servingImage("siteImage"), ...cluster);
    expect(only(during, "Secret").data).toEqual({ [id]: secret.data[id] });
    expect(only(during, "NetworkPolicy").spec.egress[1]?.ports).toEqual([
      port(443, "TCP"),
      port(15_008, "TCP"),
    ]);

    const later = await render(servingImage("siteImage"), ...(await standInForCluster(context, [stored])));
    expect(kindsOf(later)).not.toContain("Secret");
    expect(only(later, "NetworkPolicy").spec.egress).toEqual(TO_EACH_OTHER);
    const alone = await render({ ...servingImage("siteImage"), web: { askOtherPods: false } });
    expect(only(alone, "NetworkPolicy").spec.egress).toEqual([]);
  });
});
