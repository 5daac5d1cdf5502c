// The chart of examples/fleet has a cure for each trap (T1–T8) of Pulumi's operator for a fleet; its README describes them.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import {
  firstStack,
  FLEET,
  fleetOf,
  namesOf,
  ofKind,
  podOfCronJob,
  podOfStack,
  renderFleet,
  sitesFile,
  specOf,
  templateFleet,
} from "./fleetChart.ts";

describe("a trap and its cure", () => {
  test("T1 the program, and with it the configuration, is on a volume of the pod that outlives its containers", async () => {
    const { podTemplate, local } = (await firstStack()).workspaceTemplate.spec;
    expect(local).toBeUndefined();
    const [program, ...more] = podTemplate.spec.initContainers;
    expect(more).toEqual([]);
    expect(program?.image).toBe("registry.example.com/docs-fleet:1");
    expect(program?.command?.at(-1)).toContain("cp -R /opt/docs-fleet/. /share/workspace");
    expect(program?.volumeMounts).toContainEqual({ name: "share", mountPath: "/share" });
    const dockerfile = await readFile(join(FLEET, "Dockerfile"), "utf8");
    expect(dockerfile).toContain("WORKDIR /opt/docs-fleet\n");
  });

  test("T1 removing a file of sites, or a release, leaves sites and state alone", async () => {
    expect((await firstStack())["destroyOnFinalize"]).toBe(false);
    const [volume] = ofKind(await renderFleet(FLEET), "PersistentVolumeClaim");
    expect(volume?.metadata.annotations).toEqual({ "helm.sh/resource-policy": "keep" });
  });

  test("T2 the container removes the lock of a killed run when it starts, within a time, and continues if that fails", async () => {
    const [container] = (await podOfStack()).spec.containers;
    expect(container?.name).toBe("pulumi");
    const [shell, option, script] = container?.lifecycle?.postStart.exec.command ?? [];
    expect([shell, option]).toEqual(["sh", "-c"]);
    expect(script).toMatch(
      /^cd \/share\/workspace && timeout 60 pulumi cancel --yes --stack 'team-a-01'; true$/,
    );
    const { pod } = await podOfCronJob();
    expect(pod.spec.containers[0]?.command?.at(-1)).toMatch(
      /^timeout 60 pulumi cancel --yes --stack 'team-a-01' \|\| true$[^]*^exec pulumi up /m,
    );
  });

  test("T2 the records of a killed run are on the stack's volume, which its user may write to", async () => {
    const stack = await firstStack();
    const { pod } = await podOfCronJob();
    for (const { environment, spec } of [
      { environment: stack.workspaceTemplate.spec.env, spec: stack.workspaceTemplate.spec.podTemplate.spec },
      { environment: pod.spec.containers[0]?.env, spec: pod.spec },
    ]) {
      expect(environment).toContainEqual({ name: "PULUMI_HOME", value: "/fleet/home" });
      expect(environment).toContainEqual({ name: "PULUMI_BACKEND_URL", value: "file:///fleet/state" });
      expect(spec.containers[0]?.volumeMounts).toContainEqual({ name: "fleet", mountPath: "/fleet" });
      expect(spec.initContainers[0]?.command?.at(-1)).toContain("/fleet/home /fleet/state");
      expect(spec.securityContext).toMatchObject({ runAsUser: 1000, fsGroup: 1000, runAsNonRoot: true });
    }
  });

  test("T3 a CronJob wakes stacks that were given up, with the rights for that in its namespace, and none to read secrets", async () => {
    const manifests = await renderFleet(FLEET);
    const job = ofKind(manifests, "CronJob")[0];
    expect(job?.spec["schedule"]).toBe("*/10 * * * *");
    const text = JSON.stringify(job?.spec);
    expect(text).toContain("pulumi.com/reconciliation-request");
    const [stack] = ofKind(manifests, "Stack");
    const selector = /"SELECTOR","value":"([^"]*)"/.exec(text)?.[1] ?? "";
    for (const label of selector.split(",")) {
      const [name = "", value] = label.split("=");
      expect(stack?.metadata.labels[name]).toBe(value);
    }
    const [role] = ofKind(manifests, "Role");
    expect(role?.rules.flatMap(({ resources, verbs }) => verbs.map((verb) => `${verb} ${resources.join()}`))).toEqual([
      "get stacks", "list stacks", "patch stacks", "get stacks/status", "patch stacks/status", "get updates",
      "get workspaces", "delete workspaces",
    ]); // prettier-ignore
    expect(ofKind(manifests, "RoleBinding")[0]?.subjects[0]).toMatchObject({
      name: "docs-fleet-wake",
      namespace: "team-a",
    });
    expect(namesOf(await renderFleet(FLEET, { wake: { enabled: false } }), "CronJob")).toEqual([]);
  });

  test("T4 a stack reconciles by itself: both fields that this needs are set", async () => {
    expect(await firstStack({ resyncSeconds: 600 })).toMatchObject({
      continueResyncOnCommitMatch: true,
      resyncFrequencySeconds: 600,
    });
    const { code, output } = await templateFleet(FLEET, { resyncSeconds: 59 });
    expect(code).toBe(1);
    expect(output).toContain("resyncSeconds");
  });

  test("T5, T6 records of runs are removed after hours, one bad site does not stop the others, and a fixed number runs at a time", async () => {
    expect((await firstStack({ parallel: 7, updateTtl: "90m" })).updateTemplate.spec).toEqual({
      continueOnError: true,
      parallel: 7,
      ttlAfterCompleted: "90m",
    });
    const { pod } = await podOfCronJob({ parallel: 7 });
    expect(pod.spec.containers[0]?.command?.at(-1)).toContain("--continue-on-error --parallel 7");
  });

  test("T7 the list is a file of a ConfigMap, and only its name is configuration; another list is another pod", async (context) => {
    const { config, workspaceTemplate } = await firstStack();
    expect(config).toEqual({ "docs-fleet:sites": "/etc/docs-fleet/team-a-01.json" });
    const { containers, volumes } = workspaceTemplate.spec.podTemplate.spec;
    expect(containers[0]?.volumeMounts).toContainEqual({
      name: "sites",
      mountPath: "/etc/docs-fleet",
      readOnly: true,
    });
    expect(volumes).toContainEqual({ name: "sites", configMap: { name: "team-a-01" } });
    for (const count of [1, 2]) {
      const text = sitesFile(count);
      const chart = await fleetOf(context, { "team-a-01.json": text });
      const [stack] = ofKind(await renderFleet(chart), "Stack");
      const { annotations } = specOf(stack).workspaceTemplate.spec.podTemplate.metadata;
      expect(annotations["docs-fleet/sites"]).toBe(createHash("sha256").update(text).digest("hex"));
    }
    const project = parse(await readFile(join(FLEET, "Pulumi.yaml"), "utf8")) as { name: string };
    expect(project.name).toBe("docs-fleet");
  });

  test("T8 an idle stack has no pod, and an active one requests the resources that it needs", async () => {
    const stack = await firstStack({ resources: { requests: { cpu: "70m", memory: "300Mi" } } });
    expect(stack["workspaceReclaimPolicy"]).toBe("Delete");
    expect(stack.workspaceTemplate.spec["resources"]).toMatchObject({
      requests: { cpu: "70m", memory: "300Mi" },
    });
  });
});
