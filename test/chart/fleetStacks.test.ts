// The chart of examples/fleet: what it makes of files of sites, and the cure of each trap (T1–T8) that Pulumi's operator has
// for a fleet; examples/fleet/README.md tells of them.
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { runCommand } from "../programs/commands.ts";
import { CLIENTS, definitionCheck, kubernetesCheck } from "./apiSchemas.ts";
import {
  FLEET,
  fleetOf,
  type FleetManifest,
  IMAGE,
  ofKind,
  type Pod,
  renderFleet,
  sitesFile,
  templateFleet,
} from "./fleetChart.ts";
import { helm, type Values } from "./renderedChart.ts";

const TEAMS = {
  "team-a-01.json": sitesFile(100),
  "team-a-02.json": sitesFile(7),
  "team-b-01.json": sitesFile(100),
};

interface StackSpec {
  stack: string;
  serviceAccountName: string;
  config: Record<string, string>;
  updateTemplate: { spec: Record<string, unknown> };
  workspaceTemplate: { spec: Record<string, unknown> & { podTemplate: Pod; env: { name: string }[] } };
  [field: string]: unknown;
}

const specOf = (stack: FleetManifest | undefined): StackSpec => stack?.spec as unknown as StackSpec;
const namesOf = (manifests: readonly FleetManifest[], kind: string): string[] =>
  ofKind(manifests, kind).map(({ metadata }) => metadata.name);

async function firstStack(values: Values = {}): Promise<StackSpec> {
  return specOf(ofKind(await renderFleet(FLEET, values), "Stack")[0]);
}

async function podOfStack(values: Values = {}): Promise<Pod> {
  return (await firstStack(values)).workspaceTemplate.spec.podTemplate;
}

async function podOfCronJob(values: Values = {}): Promise<{ job: Record<string, unknown>; pod: Pod }> {
  const manifests = await renderFleet(FLEET, { engine: "cronjob", ...values });
  const spec = ofKind(manifests, "CronJob")[0]?.spec as {
    jobTemplate: { spec: Record<string, unknown> & { template: Pod } };
  };
  return { job: spec.jobTemplate.spec, pod: spec.jobTemplate.spec.template };
}

describe("of files of sites", () => {
  test("a namespace gets those of its team: for each the stack, its list, its account with the one right, its volume", async (context) => {
    const chart = await fleetOf(context, TEAMS);
    for (const [team, stacks] of [
      ["team-a", ["team-a-01", "team-a-02"]],
      ["team-b", ["team-b-01"]],
    ] as const) {
      const manifests = await renderFleet(chart, {}, team);
      expect(namesOf(manifests, "Stack")).toEqual(stacks);
      expect(namesOf(manifests, "PersistentVolumeClaim")).toEqual(stacks);
      expect(namesOf(manifests, "ServiceAccount").sort()).toEqual([...stacks, "docs-fleet-wake"].sort());
      for (const stack of stacks) {
        const list = ofKind(manifests, "ConfigMap").find(({ metadata }) => metadata.name === stack);
        expect(list?.data).toEqual({ [`${stack}.json`]: TEAMS[`${stack}.json`] });
        const right = ofKind(manifests, "ClusterRoleBinding").find(
          ({ subjects }) => subjects[0]?.name === stack,
        );
        expect(right?.metadata.name).toContain(team);
        expect(right?.roleRef).toMatchObject({ kind: "ClusterRole", name: "system:auth-delegator" });
        expect(right?.subjects).toEqual([{ kind: "ServiceAccount", name: stack, namespace: team }]);
        const spec = specOf(ofKind(manifests, "Stack").find(({ metadata }) => metadata.name === stack));
        expect([spec.stack, spec.serviceAccountName]).toEqual([stack, stack]);
        const { volumes } = spec.workspaceTemplate.spec.podTemplate.spec;
        expect(
          volumes.map(({ configMap, persistentVolumeClaim: claim }) => configMap?.name ?? claim?.claimName),
        ).toEqual([stack, stack]);
      }
    }
  });

  test("a hundred make a hundred stacks, each with a volume of its own", async (context) => {
    const files = Array.from({ length: 100 }, (_, index) => `team-a-${index + 1}.json`);
    const chart = await fleetOf(context, Object.fromEntries(files.map((name) => [name, sitesFile(100)])));
    const manifests = await renderFleet(chart);
    for (const kind of ["Stack", "PersistentVolumeClaim", "ClusterRoleBinding", "ConfigMap"]) {
      expect(new Set(namesOf(manifests, kind)).size).toBe(100);
    }
    const claims = ofKind(manifests, "Stack").map(
      (stack) =>
        specOf(stack).workspaceTemplate.spec.podTemplate.spec.volumes[0]?.persistentVolumeClaim?.claimName,
    );
    expect(new Set(claims).size).toBe(100);
  });

  test("those of a team whose name only begins like that of the namespace are not its own; `team` names another", async (context) => {
    const chart = await fleetOf(context, { "team-01.json": sitesFile(1), "team-a-01.json": sitesFile(1) });
    expect(namesOf(await renderFleet(chart, {}, "team"), "Stack")).toEqual(["team-01"]);
    expect(namesOf(await renderFleet(chart, { team: "team-a" }, "elsewhere"), "Stack")).toEqual([
      "team-a-01",
    ]);
  });

  const long = `team-a-${"1".repeat(36)}`;
  test.for<[what: string, files: Record<string, string>, says: string[]]>([
    ["none of the team", { "team-b-01.json": sitesFile(1) }, ["There is no file sites/team-a-NN.json"]],
    ["a name without a number", { "team-a.json": sitesFile(1) }, ["sites/team-a.json", "TEAM-NN.json"]],
    [
      "another ending",
      { "team-a-01.yaml": "a: 1", "team-a-02.json": sitesFile(1) },
      ["sites/team-a-01.yaml"],
    ],
    [
      "a name too long for the operator",
      { [`${long}.json`]: sitesFile(1) },
      [long, "42 characters at most, this one has 43"],
    ],
    [
      "half of one",
      { "team-a-01.json": sitesFile(3).slice(0, -2) },
      ["sites/team-a-01.json is no JSON object"],
    ],
    ["no sites", { "team-a-01.json": '{ "sites": {} }' }, ["sites/team-a-01.json has no sites"]],
    ["an empty file", { "team-a-01.json": "" }, ["sites/team-a-01.json is no JSON object"]],
    [
      "101 sites",
      { "team-a-01.json": sitesFile(101) },
      ["sites/team-a-01.json has 101 sites; a stack has 100 at most"],
    ],
  ])(
    "%s is refused before the cluster sees anything, with the name of the file",
    async ([, files, says], context) => {
      const chart = await fleetOf(context, files);
      const { code, stdout, output } = await templateFleet(chart);
      expect([code, stdout]).toEqual([1, ""]);
      for (const text of says) expect(output).toContain(text);
    },
  );
});

describe("a trap and its cure", () => {
  test("T1 the program, and with it the configuration, lies on a volume of the pod that outlives its containers", async () => {
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

  test("T1 a file of sites that is removed, and a release, leave sites and state alone", async () => {
    expect((await firstStack())["destroyOnFinalize"]).toBe(false);
    const [volume] = ofKind(await renderFleet(FLEET), "PersistentVolumeClaim");
    expect(volume?.metadata.annotations).toEqual({ "helm.sh/resource-policy": "keep" });
  });

  test("T2 the lock of a run that was killed is taken away when the container starts, within a time, and a failure does not stop it", async () => {
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

  test("T2 what a killed run has noted is on the stack's volume, which its user may write to", async () => {
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

  test("T4 a stack looks again by itself: both fields that this needs are there", async () => {
    expect(await firstStack({ resyncSeconds: 600 })).toMatchObject({
      continueResyncOnCommitMatch: true,
      resyncFrequencySeconds: 600,
    });
    const { code, output } = await templateFleet(FLEET, { resyncSeconds: 59 });
    expect(code).toBe(1);
    expect(output).toContain("resyncSeconds");
  });

  test("T5, T6 records of runs go after hours, one bad site does not stop the others, and so many run at a time", async () => {
    expect((await firstStack({ parallel: 7, updateTtl: "90m" })).updateTemplate.spec).toEqual({
      continueOnError: true,
      parallel: 7,
      ttlAfterCompleted: "90m",
    });
    const { pod } = await podOfCronJob({ parallel: 7 });
    expect(pod.spec.containers[0]?.command?.at(-1)).toContain("--continue-on-error --parallel 7");
  });

  test("T7 the list is a file of a ConfigMap, whose name alone is configuration; another list is another pod", async (context) => {
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

  test("T8 an idle stack has no pod, and one at work asks for what it needs", async () => {
    const stack = await firstStack({ resources: { requests: { cpu: "70m", memory: "300Mi" } } });
    expect(stack["workspaceReclaimPolicy"]).toBe("Delete");
    expect(stack.workspaceTemplate.spec["resources"]).toMatchObject({
      requests: { cpu: "70m", memory: "300Mi" },
    });
  });
});

describe("with `engine: cronjob`", () => {
  test("each file is a CronJob, whose runs never meet, end in time, and end as the run did; nothing of the operator is there", async (context) => {
    const chart = await fleetOf(context, TEAMS);
    const manifests = await renderFleet(chart, { engine: "cronjob" });
    expect(namesOf(manifests, "CronJob")).toEqual(["team-a-01", "team-a-02"]);
    for (const kind of ["Stack", "ClusterRoleBinding", "Role"]) expect(namesOf(manifests, kind)).toEqual([]);
    const [one, two] = ofKind(manifests, "CronJob");
    expect(one?.spec).toMatchObject({ concurrencyPolicy: "Forbid" });
    expect(one?.spec["schedule"]).toMatch(/^\d+ \* \* \* \*$/);
    expect(one?.spec["schedule"]).not.toBe(two?.spec["schedule"]);
    const { job, pod } = await podOfCronJob({ cronjob: { deadlineSeconds: 1200 } });
    expect(job).toMatchObject({ backoffLimit: 0, activeDeadlineSeconds: 1200 });
    expect(pod.spec["restartPolicy"]).toBe("Never");
    const [run] = pod.spec.containers;
    // the result of the container is that of `pulumi up`, which also gets the signal
    expect(run?.command?.slice(0, 2)).toEqual(["sh", "-ec"]);
    expect(run?.command?.at(-1)?.trimEnd().split("\n").at(-1)).toMatch(/^exec pulumi up /);
    expect(run?.command?.at(-1)).toContain(
      "pulumi config set --stack 'team-a-01' sites /etc/docs-fleet/team-a-01.json",
    );
  });

  test("a schedule of one's own is taken", async () => {
    const manifests = await renderFleet(FLEET, { engine: "cronjob", cronjob: { schedule: "5 */2 * * *" } });
    expect(ofKind(manifests, "CronJob")[0]?.spec["schedule"]).toBe("5 */2 * * *");
  });
});

describe("values", () => {
  test("pass helm's strict lint, with either engine", async () => {
    for (const engine of ["operator", "cronjob"]) {
      const { code, output } = await helm(["lint", "--strict", "--namespace", "team-a", FLEET], {
        ...IMAGE,
        engine,
      });
      expect(output).toContain("1 chart(s) linted, 0 chart(s) failed");
      expect(output).not.toMatch(/\[(WARNING|ERROR)\]/);
      expect(code).toBe(0);
    }
  });

  test("that the chart does not know are refused by name, also in its groups; the schema knows each of values.yaml", async () => {
    const values = parse(await readFile(join(FLEET, "values.yaml"), "utf8")) as Values;
    const schema = JSON.parse(await readFile(join(FLEET, "values.schema.json"), "utf8")) as {
      properties: Record<string, { properties?: Record<string, unknown> }>;
    };
    expect(Object.keys(schema.properties).sort()).toEqual([...Object.keys(values), "global"].sort());
    for (const group of ["image", "volume", "wake", "cronjob"]) {
      const known = Object.keys(schema.properties[group]?.properties ?? {}).sort();
      expect(known).toEqual(Object.keys(values[group] as object).sort());
      const { code, output } = await templateFleet(FLEET, {
        [group]: { ...(IMAGE[group] as object), sise: 1 },
      });
      expect(code).toBe(1);
      expect(output).toContain("sise");
    }
    expect((await templateFleet(FLEET, { sites: {} })).output).toContain("sites");
  });

  test("without an image, helm says what is missing", async () => {
    const { code, output } = await templateFleet(FLEET, { image: { repository: "" } });
    expect(code).toBe(1);
    expect(output).toContain("image.repository is required: the image that Dockerfile makes.");
  });

  test("name service, backend, organization, Secret and the place of the pods", async () => {
    const stack = await firstStack({
      baseUrl: "https://api.docs-host.example",
      backend: "s3://states",
      organization: "our-org",
      secretName: "keys",
      imagePullSecrets: [{ name: "registry" }],
      nodeSelector: { disk: "ssd" },
      tolerations: [{ key: "docs" }],
    });
    expect(stack.stack).toBe("our-org/docs-fleet/team-a-01");
    const { env, envFrom, podTemplate } = stack.workspaceTemplate.spec;
    expect(env).toContainEqual({ name: "DOCS_HOSTING_BASE_URL", value: "https://api.docs-host.example" });
    expect(env).toContainEqual({ name: "PULUMI_BACKEND_URL", value: "s3://states" });
    expect(envFrom).toEqual([{ secretRef: { name: "keys" } }]);
    expect(podTemplate.spec.containers[0]?.lifecycle?.postStart.exec.command.at(-1)).toContain(
      "--stack 'our-org/docs-fleet/team-a-01'",
    );
    expect(podTemplate.spec).toMatchObject({
      imagePullSecrets: [{ name: "registry" }],
      nodeSelector: { disk: "ssd" },
      tolerations: [{ key: "docs" }],
    });
  });
});

test("what else lies in the folder, keys and installed packages too, is no part of the chart", async (context) => {
  const chart = await fleetOf(context, { "team-a-01.json": sitesFile(1) });
  await mkdir(join(chart, "node_modules"));
  await symlink(
    join(import.meta.dirname, "../../node_modules/@pulumi"),
    join(chart, "node_modules/@pulumi"),
    "dir",
  );
  await writeFile(join(chart, "Pulumi.team-a-01.yaml"), "secret: of a stack\n");
  await writeFile(join(chart, "team-a.env"), "DOCS_HOSTING_ADMIN_API_KEY=svc_of-the-team\n");
  const packed = await mkdtemp(join(tmpdir(), "packed-"));
  context.onTestFinished(() => rm(packed, { recursive: true }));
  const { code, output } = await helm(["template", "docs-fleet", chart, "--namespace", "team-a"], IMAGE);
  expect(code, output).toBe(0);
  const said = await runCommand(process.env["HELM"] ?? "helm", ["package", chart, "--destination", packed]);
  const archive = /: (.*\.tgz)/.exec(said)?.[1] ?? "";
  const files = (await runCommand("tar", ["-tzf", archive])).trim().split("\n").sort();
  expect(files.map((file) => file.replace("docs-fleet/", ""))).toEqual([
    ".helmignore", "Chart.yaml", "files/wake.sh", "sites/team-a-01.json", "templates/_stacks.tpl", "templates/cronjobs.yaml",
    "templates/stacks.yaml", "templates/wake.yaml", "values.schema.json", "values.yaml",
  ]); // prettier-ignore
});

const EVERYTHING: Values = {
  baseUrl: "https://api.docs-host.example",
  volume: { storageClassName: "fast" },
  imagePullSecrets: [{ name: "registry" }],
  nodeSelector: { disk: "ssd" },
  tolerations: [{ key: "docs", operator: "Exists" }],
};
const OF_OPERATOR = ["Stack"];

test.for(CLIENTS)(
  "with either engine, the manifests are what client-go %s knows of Kubernetes",
  { timeout: 300_000 },
  async (client) => {
    const check = await kubernetesCheck(client);
    for (const engine of ["operator", "cronjob"]) {
      const manifests = await renderFleet(
        FLEET,
        { ...EVERYTHING, engine },
        "team-a",
        "--kube-version",
        client.replace(/^0/, "1"),
      );
      const ours = manifests.filter(({ kind }) => !OF_OPERATOR.includes(kind));
      expect(ours.flatMap((manifest) => check(manifest).map((error) => `${manifest.kind} ${error}`))).toEqual(
        [],
      );
      if (engine === "cronjob") continue;
      // the pod of the workspace is one of Kubernetes, too
      const { podTemplate } = specOf(ofKind(manifests, "Stack")[0]).workspaceTemplate.spec;
      expect(check({ apiVersion: "v1", kind: "PodTemplate", ...{ template: podTemplate } })).toEqual([]);
    }
  },
);

const CRDS = process.env["OPERATOR_CRDS"];

test(
  "the stacks are those of the operator's own definition (OPERATOR_CRDS: its folder deploy/crds)",
  { timeout: 120_000 },
  async ({ skip }) => {
    if (CRDS === undefined) skip("OPERATOR_CRDS names no folder of the operator's definitions");
    const check = await definitionCheck(join(CRDS ?? "", "pulumi.com_stacks.yaml"));
    for (const values of [{}, EVERYTHING]) {
      const [stack] = ofKind(await renderFleet(FLEET, values), "Stack");
      if (!stack) throw new Error("no Stack");
      expect(check(stack)).toEqual([]);
      const { updateTemplate } = specOf(stack);
      const misspelt = {
        ...stack.spec,
        updateTemplate: { spec: { ...updateTemplate.spec, continueOnErrors: true } },
      };
      expect(check({ ...stack, spec: misspelt })).toEqual([expect.stringContaining('"continueOnErrors"')]);
    }
  },
);
