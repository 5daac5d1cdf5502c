import { describe, expect, test } from "vitest";
import { type Manifest, only, render, serving, template, type Values } from "./renderedChart.ts";

const LINK = "https://store.example.com/bundle.tar.gz?signature=CANARY-5f3a";
const EVERYTHING: Values = {
  cache: { enabled: true },
  ingress: { enabled: true, hosts: ["docs.example.com"] },
  fetch: { certificateAuthority: { configMap: "our-ca" } },
};

const NOTHING: Values = {};

const podTemplate = (manifests: readonly Manifest[]) => only(manifests, "Deployment").spec.template;
const namesOf = (manifests: readonly Manifest[]) => manifests.map(({ kind }) => kind).sort();

describe("the link", () => {
  test.each([LINK, `${LINK}&a=1,2{x}[y]\\"'$(HOME)%20%&#`, `https://a/${"x".repeat(64_000)}`])(
    "is in the Secret byte for byte, and in nothing else: %.80s",
    async (bundleUrl) => {
      const manifests = await render(serving(EVERYTHING, { bundleUrl }));
      const secret = only(manifests, "Secret");
      const [link, ...more] = Object.values(secret.data);
      expect(more).toEqual([]);
      expect(Buffer.from(link ?? "", "base64").toString()).toBe(bundleUrl);
      const rest = JSON.stringify(manifests.filter((manifest) => manifest !== secret));
      expect(rest).not.toContain("CANARY");
      expect(rest).not.toContain("store.example.com");
      expect(rest).not.toContain(link);
    },
  );

  test("renewed changes the Secret and nothing else", async () => {
    const before = await render(serving(EVERYTHING, { bundleUrl: LINK }));
    const after = await render(serving(EVERYTHING, { bundleUrl: `${LINK}-renewed` }));
    const changed = after.filter(
      (manifest, index) => JSON.stringify(manifest) !== JSON.stringify(before[index]),
    );
    expect(namesOf(changed)).toEqual(["Secret"]);
  });

  test("is mounted as a folder that the kubelet renews, for the init container only", async () => {
    const { spec } = podTemplate(await render(serving()));
    const mount = { name: "static-export", mountPath: "/run/static-export", readOnly: true };
    expect(spec.initContainers[0]?.volumeMounts).toContainEqual(mount);
    expect(JSON.stringify(spec)).not.toMatch(/subPath|secretKeyRef|envFrom/);
    expect(JSON.stringify(spec.containers)).not.toContain("static-export");
  });

  test.each([
    ["https://a.example.com/x", 443],
    ["https://a.example.com:8443/x:1", 8443],
    ["http://a.example.com?x=a:9", 80],
    ["http://[::1]:4010/x", 4010],
    ["https://[fd00::1]/x", 443],
  ])("%s is let through the network policy, at port %s", async (bundleUrl, port) => {
    const policy = only(
      await render(serving({ fetch: { allowHttp: true } }, { bundleUrl })),
      "NetworkPolicy",
    );
    expect(policy.spec.egress[1]?.ports).toEqual([{ port, protocol: "TCP" }]);
  });
});

describe("the pods", () => {
  test.each([
    ["a new version", serving({}, { version: "v2" })],
    ["another job under the same version", serving({}, { jobId: "81bc" })],
    ["another digest under the same version", serving({ fetch: { sha256: "0".repeat(64) } })],
    ["another nginx configuration", serving({ web: { workerConnections: 9 + 16 } })],
    ["export turned off", {}],
  ])("are rolled by %s", async (_, values) => {
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

  test("know their version, whatever characters it has", async () => {
    const version = 'a $(HOME) $$ "b" \\ {{ c }} ü: # d';
    const { spec } = podTemplate(await render(serving({}, { version })));
    const variable = spec.initContainers[0]?.env.find(({ name }) => name === "EXPORT_VERSION");
    expect(expandedByKubernetes(variable?.value ?? "")).toBe(version);
  });

  test("know the path of their site", async () => {
    const [nginx] = podTemplate(await render(serving({ web: { basePath: "/manual" } }))).spec.containers;
    expect(nginx?.env).toEqual([{ name: "BASE_PATH", value: "/manual" }]);
  });

  test("have the site where nginx's container can add to it, and its script", async () => {
    const { spec } = podTemplate(await render(serving()));
    const [nginx] = spec.containers;
    expect(nginx?.volumeMounts).toContainEqual({ name: "site", mountPath: "/site" });
    const configuration = spec.volumes.find(({ name }) => name === "configuration");
    expect(configuration?.configMap?.items).toContainEqual(expect.objectContaining({ path: "compress.sh" }));
  });

  test("have no need of a right: Pod Security «restricted»", async () => {
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
        requests: { memory: "64Mi" },
        limits: { memory: expect.stringMatching(/Mi$/) as string },
      });
    }
    for (const volume of spec.volumes) {
      if (volume.emptyDir) expect(volume.emptyDir).toHaveProperty("sizeLimit");
      expect(volume).not.toHaveProperty("hostPath");
    }
  });

  test("replace each other without a gap", async () => {
    const { spec } = only(await render(serving()), "Deployment");
    const pod = spec.template.spec;
    expect(spec).toMatchObject({
      replicas: 2,
      strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0 } },
    });
    const [container] = pod.containers;
    expect(container).toMatchObject({
      readinessProbe: { httpGet: { path: "/-/healthz", port: "http" } },
      livenessProbe: { httpGet: { path: "/-/healthz", port: "http" } },
      lifecycle: { preStop: { exec: { command: ["/bin/sleep", "5"] } } },
    });
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(30);
  });

  test("mount every file that they run, and every volume that they mount exists", async () => {
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

describe("the manifests", () => {
  test("have the standard labels, and selectors that meet the pods and nothing that changes", async () => {
    const manifests = await render(
      serving({ ...EVERYTHING, podLabels: { "app.kubernetes.io/name": "stolen", team: "docs" } }),
    );
    const { labels } = podTemplate(manifests).metadata;
    expect(labels).toMatchObject({ "app.kubernetes.io/name": "docs-server", team: "docs" });
    for (const { metadata } of manifests) {
      expect(metadata.labels).toMatchObject({
        "app.kubernetes.io/name": "docs-server",
        "app.kubernetes.io/instance": "docs",
        "app.kubernetes.io/version": "1.30.4",
        "app.kubernetes.io/managed-by": "Helm",
      });
    }
    const selector = { "app.kubernetes.io/name": "docs-server", "app.kubernetes.io/instance": "docs" };
    expect(only(manifests, "Deployment").spec.selector.matchLabels).toEqual(selector);
    expect(only(manifests, "Service").spec.selector).toEqual(selector);
    expect(only(manifests, "PodDisruptionBudget").spec.selector.matchLabels).toEqual(selector);
    expect(only(manifests, "NetworkPolicy").spec.podSelector.matchLabels).toEqual(selector);
  });

  test("without an export have neither link nor init container nor a way out", async () => {
    const manifests = await render({
      cache: { enabled: true },
      staticExport: { bundleUrl: LINK, version: "v1" },
    });
    expect(namesOf(manifests)).toEqual([
      "ConfigMap",
      "Deployment",
      "NetworkPolicy",
      "PodDisruptionBudget",
      "Service",
    ]);
    expect(podTemplate(manifests).spec).not.toHaveProperty("initContainers");
    expect(only(manifests, "NetworkPolicy").spec.egress).toEqual([]);
    expect(JSON.stringify(manifests)).not.toContain("CANARY");
  });

  test("use the claim that is given, and make none", async () => {
    const manifests = await render(serving({ cache: { enabled: true, existingClaim: "ours" } }));
    expect(namesOf(manifests)).not.toContain("PersistentVolumeClaim");
    const claim = { name: "cache", persistentVolumeClaim: { claimName: "ours" } };
    expect(podTemplate(manifests).spec.volumes).toContainEqual(claim);
  });

  test("with a cache, whose copies are told apart by their content, need a version or a job", async () => {
    const { code, output } = await template(serving({ cache: { enabled: true } }, { version: "" }));
    expect(code).toBe(1);
    expect(output).toContain("cache.enabled needs staticExport.version or staticExport.jobId");
    await render(serving({ cache: { enabled: true } }, { version: "", jobId: "7f3a" }));
  });

  test("are the same each time", async () => {
    expect(await render(serving(EVERYTHING))).toEqual(await render(serving(EVERYTHING)));
  });
});

/** What Kubernetes makes of `$` in an environment variable: `$$` is `$`, `$(NAME)` a variable if there is one. */
function expandedByKubernetes(value: string): string {
  return value.replace(/\$(\$|\(HOME\))/g, (_, what: string) => (what === "$" ? "$" : "/root"));
}
