// A folder with a chart, a program that installs it and a stack's state, for one test; and access to the cluster.
import { execFile } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { vi } from "vitest";
import { openStack, type EngineKind, type Stack, type StateResource } from "../index.ts";
import { helmReleaseType } from "../local/kubernetes/helmRelease.ts";
import { helm } from "./describeReleases.ts";

export interface ReleaseWorld {
  stack: Stack;
  /** A unique name in the cluster for releases of this test. */
  name: string;
  /** The statements of the program. `Release`, `kubernetes` and `pulumi` are in scope. */
  program(statements: string): void;
  helm(...args: string[]): Promise<string>;
  /** In the cluster, the newest first: «revision status description». */
  history(name?: string): Promise<string[]>;
  /** As in the stack's state. */
  release(): Promise<StateResource>;
  until(condition: () => Promise<boolean>): Promise<void>;
  /** Uninstalls remaining releases. */
  remove(): Promise<void>;
}

const root = join(import.meta.dirname, "../../../.work/engine-tests");
const run = promisify(execFile);

const chartFiles = {
  "Chart.yaml": `apiVersion: v2
name: parcel
version: 1.2.3
appVersion: "7"
`,
  "values.yaml": `a: from the chart
b: from the chart
deployment: false
`,
  "templates/all.yaml": `apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}
data:
  a: {{ .Values.a | quote }}
---
{{- if .Values.deployment }}
# no node has this image, so it never becomes ready
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}
spec:
  selector: { matchLabels: { app: {{ .Release.Name }} } }
  template:
    metadata: { labels: { app: {{ .Release.Name }} } }
    spec:
      containers: [{ name: main, image: "localhost/none:1", imagePullPolicy: Never }]
{{- end }}
`,
};

export async function createReleaseWorld(kind: EngineKind): Promise<ReleaseWorld> {
  const folder = join(root, randomUUID());
  const name = `parcel-${randomBytes(3).toString("hex")}`;
  const names = new Set([name]);
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  for (const [file, text] of Object.entries(chartFiles)) write(`chart/${file}`, text);

  const program = (statements: string) =>
    write(
      "index.js",
      `const pulumi = require("@pulumi/pulumi");
const kubernetes = require("@pulumi/kubernetes");
const { Release } = kubernetes.helm.v3;
const name = ${JSON.stringify(name)};
${statements}
`,
    );
  const callHelm = async (...args: string[]) => (await run(helm(), args)).stdout;

  program("");
  const stack = await openStack(kind, {
    program: join(folder, "index.js"),
    project: "test",
    stack: "dev",
    stateFolder: join(folder, "state"),
    passphrase: "correct horse",
  });
  const releases = async () => (await stack.exportState()).filter(({ type }) => type === helmReleaseType);
  return {
    stack,
    name,
    program,
    helm: callHelm,
    async history(of = name) {
      const json = await callHelm("history", of, "--output", "json");
      const revisions = JSON.parse(json) as { revision: number; status: string; description: string }[];
      return revisions.map((each) => `${each.revision} ${each.status} ${each.description}`).toReversed();
    },
    async release() {
      const [release, ...others] = await releases();
      if (!release || others.length > 0) throw new Error("there isn't one release");
      return release;
    },
    until: (condition) => vi.waitUntil(condition, { timeout: 60_000, interval: 100 }).then(() => undefined),
    async remove() {
      for (const { outputs } of await releases()) names.add(String(outputs["name"]));
      for (const each of names) {
        await callHelm("uninstall", each, "--ignore-not-found").catch(() => undefined);
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
