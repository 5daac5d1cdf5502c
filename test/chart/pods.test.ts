import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  CHART,
  EVERYTHING,
  helm,
  manifestsIn,
  only,
  podTemplate,
  render,
  SELECTOR,
  serving,
  testPod,
  type Values,
} from "./renderedChart.ts";

const LINK = "https://store.example.com/bundle.tar.gz?signature=CANARY-5f3a";
const NOTHING: Values = {};
const NO_LIMIT: Values = { "ephemeral-storage": null };

describe("the pods", () => {
  test.each([
    ["a new version", serving({}, { version: "v2" })],
    ["another job under the same version", serving({}, { jobId: "81bc" })],
    ["another digest under the same version", serving({ fetch: { sha256: "0".repeat(64) } })],
    ["another nginx configuration", serving({ web: { workerConnections: 9 + 16 } })],
    ["export turned off", {}],
  ])("are replaced by %s", async (_, values) => {
    expect(podTemplate(await render(values))).not.toEqual(podTemplate(await render(serving())));
  });

  test("find the link under the identity of their content, which a renewal does not change", async () => {
    const contents = await Promise.all(
      [
        serving({}, { version: "a", jobId: "b" }),
        serving({}, { version: "a", jobId: "b", bundleUrl: `${LINK}-renewed` }),
        serving({}, { version: "ab" }),
        serving({}, { version: undefined, jobId: "ab" }),
      ].map(async (values) => {
        const manifests = await render(values);
        const { metadata, spec } = podTemplate(manifests);
        const id = metadata.annotations?.["docs-server/content"] ?? "";
        expect(id).toMatch(/^[0-9a-f]{16}$/);
        expect(spec.initContainers[0]?.env).toContainEqual({ name: "CONTENT_ID", value: id });
        expect(Object.keys(only(manifests, "Secret").data)).toEqual([id]);
        return id;
      }),
    );
    expect(contents[1]).toBe(contents[0]);
    expect(new Set(contents).size).toBe(3);
  });

  test("have their version, with any characters in it", async () => {
    const version = 'a $(HOME) $$ "b" \\ {{ c }} ü: # d';
    const { spec } = podTemplate(await render(serving({}, { version })));
    const variable = spec.initContainers[0]?.env.find(({ name }) => name === "EXPORT_VERSION");
    expect(expandedByKubernetes(variable?.value ?? "")).toBe(version);
  });

  test("are not restarted by a new version of the chart alone", async (context) => {
    const folder = await mkdtemp(join(tmpdir(), "chart-"));
    context.onTestFinished(() => rm(folder, { recursive: true }));
    await cp(CHART, folder, { recursive: true });
    const file = join(folder, "Chart.yaml");
    const bumped = (await readFile(file, "utf8")).replace(/^version: .*$/m, "version: 99.0.0");
    await writeFile(file, bumped.replace(/^appVersion: .*$/m, "appVersion: 99"));
    const { stdout } = await helm(["template", "docs", folder, "--kube-version", "1.34.2"], serving());
    expect(only(manifestsIn(stdout), "Deployment").metadata.labels).toMatchObject({
      "helm.sh/chart": "docs-server-99.0.0",
    });
    expect(podTemplate(manifestsIn(stdout))).toEqual(podTemplate(await render(serving())));
  });

  test("have the path of their site", async () => {
    const [nginx] = podTemplate(await render(serving({ web: { basePath: "/manual" } }))).spec.containers;
    expect(nginx?.env).toContainEqual({ name: "BASE_PATH", value: "/manual" });
  });

  test("have the site where nginx's container can add to it, and its script", async () => {
    const { spec } = podTemplate(await render(serving()));
    const [nginx] = spec.containers;
    expect(nginx?.volumeMounts).toContainEqual({ name: "site", mountPath: "/site" });
    const configuration = spec.volumes.find(({ name }) => name === "configuration");
    expect(configuration?.configMap?.items).toContainEqual(expect.objectContaining({ path: "compress.sh" }));
  });

  test("need no right: Pod Security «restricted»", async () => {
    const { spec } = podTemplate(await render(serving(EVERYTHING)));
    expect(spec).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, runAsUser: 101, seccompProfile: { type: "RuntimeDefault" } },
    });
    for (const container of [...spec.initContainers, ...spec.containers]) {
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ["ALL"] },
      });
      expect(container.resources).toMatchObject({
        requests: { memory: "64Mi", "ephemeral-storage": "1Gi" },
        limits: { memory: expect.stringMatching(/Mi$/) as string, "ephemeral-storage": "4Gi" },
      });
    }
    for (const volume of spec.volumes) {
      if (volume.emptyDir) expect(volume.emptyDir).toHaveProperty("sizeLimit");
      expect(volume).not.toHaveProperty("hostPath");
    }
  });

  test("have no fixed ids on OpenShift, which assigns them, and keep everything else", async () => {
    const usual = podTemplate(await render(serving())).spec.securityContext;
    const { runAsUser, runAsGroup, fsGroup, ...rest } = usual;
    expect([runAsUser, runAsGroup, fsGroup]).toEqual([101, 101, 101]);
    const manifests = await render(serving({ openshift: true }));
    expect(podTemplate(manifests).spec.securityContext).toEqual(rest);
    expect(testPod(manifests).securityContext).toEqual(rest);
  });

  test.each([
    ["resources", serving({ resources: { limits: { "ephemeral-storage": "2.9Gi" } } })],
    ["fetch.resources", serving({ siteVolume: { sizeLimit: "4100Mi" }, resources: { limits: NO_LIMIT } })],
  ])("may use as much disk as their volume has: %s is refused", async (name, values) => {
    await expect(render(values)).rejects.toThrow(
      new RegExp(`\\b${name}.limits.ephemeral-storage \\(\\S+\\) is less than siteVolume.sizeLimit`),
    );
  });

  test("are spread among those of their own release, where Kubernetes can", async () => {
    for (const [version, keys] of [
      ["1.26.0", undefined],
      ["1.27.0", ["pod-template-hash"]],
    ] as const) {
      const { spec } = podTemplate(await render(serving(), "--kube-version", version));
      const [constraint] = spec.topologySpreadConstraints ?? [];
      expect(constraint?.["labelSelector"]).toEqual({ matchLabels: SELECTOR });
      expect(constraint?.["matchLabelKeys"]).toEqual(keys);
    }
  });

  test("have the number that the autoscaler sets, once there is one", async () => {
    const behavior = { scaleDown: { stabilizationWindowSeconds: 60 } };
    const autoscaling = { enabled: true, minReplicas: 3, behavior };
    const manifests = await render(serving({ autoscaling }));
    const deployment = only(manifests, "Deployment");
    expect(deployment.spec).not.toHaveProperty("replicas");
    expect(only(manifests, "HorizontalPodAutoscaler").spec).toMatchObject({
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: deployment.metadata.name },
      minReplicas: 3,
      maxReplicas: 6,
      behavior,
    });
    expect(only(manifests, "PodDisruptionBudget").spec).toMatchObject({ maxUnavailable: 1 });
  });

  test("are replaced without a gap, all at once", async () => {
    const { spec } = only(await render(serving()), "Deployment");
    const pod = spec.template.spec;
    expect(spec).toMatchObject({
      replicas: 2,
      strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0, maxSurge: "100%" } },
    });
    const [container] = pod.containers;
    expect(container).toMatchObject({
      readinessProbe: { httpGet: { path: "/-/healthz", port: "http" }, periodSeconds: 1 },
      livenessProbe: { httpGet: { path: "/-/healthz", port: "http" } },
      lifecycle: { preStop: { exec: { command: ["/bin/sleep", "5"] } } },
    });
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(30);
  });

  test("mount every file that they run, and mount only volumes that exist", async () => {
    for (const values of [NOTHING, serving(), serving(EVERYTHING)]) {
      const manifests = await render(values);
      const { spec } = podTemplate(manifests);
      const keys = Object.keys(only(manifests, "ConfigMap").data).sort();
      const { volumes } = spec;
      const configuration = volumes.find(({ name }) => name === "configuration");
      expect(configuration?.configMap?.items?.map(({ key }) => key).sort()).toEqual(keys);
      const containers = [...(values === NOTHING ? [] : spec.initContainers), ...spec.containers];
      const mounted = new Set(containers.flatMap(({ volumeMounts }) => volumeMounts.map(({ name }) => name)));
      expect([...mounted].sort()).toEqual(volumes.map(({ name }) => name).sort());
    }
  });
});

/** How Kubernetes expands `$` in an environment variable: `$$` is `$`, `$(NAME)` a variable if there is one. */
function expandedByKubernetes(value: string): string {
  return value.replace(/\$(\$|\(HOME\))/g, (_, what: string) => (what === "$" ? "$" : "/root"));
}
