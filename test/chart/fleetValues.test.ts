// The chart of examples/fleet: its values, its packed files, and whether Kubernetes and the operator know its objects.
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { runCommand } from "../programs/commands.ts";
import { CLIENTS, definitionCheck, kubernetesCheck } from "./apiSchemas.ts";
import {
  firstStack,
  FLEET,
  fleetOf,
  IMAGE,
  ofKind,
  renderFleet,
  sitesFile,
  specOf,
  templateFleet,
} from "./fleetChart.ts";
import { helm, type Values } from "./renderedChart.ts";

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

  test("unknown to the chart are refused by name, also in its groups; the schema has each of values.yaml", async () => {
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

  test("that are large numbers are rendered as written, and too large ones refused", async () => {
    const large = { resyncSeconds: 1_000_000, wake: { stuckSeconds: 2_000_000 } };
    const [asStacks, asJobs] = [
      await templateFleet(FLEET, { ...IMAGE, ...large }),
      await templateFleet(FLEET, {
        ...IMAGE,
        engine: "cronjob",
        cronjob: { deadlineSeconds: 3_000_000 },
      }),
    ];
    expect(asStacks.stdout).toContain("resyncFrequencySeconds: 1000000\n");
    expect(asStacks.stdout).toContain('name: STUCK_SECONDS, value: "2000000"');
    expect(asJobs.stdout).toContain("activeDeadlineSeconds: 3000000\n");
    expect((await templateFleet(FLEET, { ...IMAGE, resyncSeconds: 3e9 })).output).toContain(
      "'/resyncSeconds'",
    );
  });

  test(
    "that are null are refused by name where the chart needs them, with either engine",
    { timeout: 300_000 },
    async () => {
      const values = parse(await readFile(join(FLEET, "values.yaml"), "utf8")) as Values;
      const names = Object.entries(values).flatMap(([key, value]) => [
        [key],
        ...(typeof value === "object" && value !== null && !Array.isArray(value) && key !== "resources"
          ? Object.keys(value).map((inner) => [key, inner])
          : []),
      ]);
      expect(names).toContainEqual(["cronjob", "deadlineSeconds"]);
      for (const engine of ["operator", "cronjob"]) {
        const base: Values = { ...IMAGE, engine };
        const complete = await templateFleet(FLEET, base);
        for (const [key = "", inner] of names) {
          const group = inner === undefined ? null : { ...(base[key] as object), [inner]: null };
          const { code, stdout, output } = await templateFleet(FLEET, { ...base, [key]: group });
          if (code !== 0) expect(output).toContain(`${[key, inner].filter(Boolean).join(".")} is null`);
          // else it is as empty as its default
          else expect(stdout).toBe(complete.stdout);
        }
      }
    },
  );

  test("accept no service to which a run would refuse to send the key", async () => {
    for (const baseUrl of [
      "https://api.docs-host.example",
      "http://localhost:4010",
      "http://127.0.0.1/docs",
    ]) {
      expect((await templateFleet(FLEET, { baseUrl })).output).not.toContain("baseUrl");
    }
    for (const baseUrl of [
      "http://api.docs-host.example",
      "http://localhost.example",
      "api.docs-host.example",
    ]) {
      expect((await templateFleet(FLEET, { baseUrl })).output).toMatch(/baseUrl.*does not match pattern/);
    }
  });

  test("without an image are refused: helm reports what is missing", async () => {
    const { code, output } = await templateFleet(FLEET, { image: { repository: "" } });
    expect(code).toBe(1);
    expect(output).toContain("image.repository is required: the image that Dockerfile makes.");
  });

  test("set service, backend, organization, Secret and node of the pods", async () => {
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

test("other files in the folder, also keys and installed packages, are not part of the chart", async (context) => {
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
  "with either engine, client-go %s knows all of the manifests",
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
      expect(check({ apiVersion: "v1", kind: "PodTemplate", template: podTemplate })).toEqual([]);
    }
  },
);

const CRDS = process.env["OPERATOR_CRDS"];

test(
  "the stacks match the operator's own definition (OPERATOR_CRDS: its folder deploy/crds)",
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
