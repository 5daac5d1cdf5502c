// The script of the CronJob `wake`, run by the shells of images with the real kubectl, on an API server with only the resources
// that it requests.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, test, type TestContext } from "vitest";
import { FLEET } from "../chart/fleetChart.ts";

interface Condition {
  type: string;
  status: string;
  reason: string;
  lastTransitionTime: string;
}

interface Stack {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace: string; annotations?: Record<string, string> };
  status?: { conditions: Condition[]; currentUpdate?: { name: string } };
}

const LONG_AGO = "2020-01-01T00:00:00Z";
const condition = (type: string, reason: string, lastTransitionTime = LONG_AGO): Condition => ({
  type,
  status: "True",
  reason,
  lastTransitionTime,
});
const stack = (name: string, conditions?: Condition[], update?: string): Stack => ({
  apiVersion: "pulumi.com/v1",
  kind: "Stack",
  metadata: { name, namespace: "default" },
  ...(conditions && {
    status: { conditions, ...(update !== undefined && { currentUpdate: { name: update } }) },
  }),
});

/** The changes by kubectl: requests that are no GET, with their bodies. */
type Changes = { request: string; body: unknown }[];

interface Cluster {
  stacks: Stack[];
  /** Names of the existing Updates. */
  updates?: string[];
  /** Whether it returns no stacks. */
  refuses?: true;
  /** Called at the n-th request for the Updates. */
  onUpdates?: (time: number) => unknown;
}

const RESOURCES: Record<string, object> = {
  "/version": { major: "1", minor: "34", gitVersion: "v1.34.2" },
  "/api": { kind: "APIVersions", versions: ["v1"] },
  "/api/v1": { kind: "APIResourceList", groupVersion: "v1", resources: [] },
};
const GROUPS = {
  "pulumi.com/v1": [{ name: "stacks", kind: "Stack" }],
  "auto.pulumi.com/v1alpha1": [
    { name: "updates", kind: "Update" },
    { name: "workspaces", kind: "Workspace" },
  ],
};
RESOURCES["/apis"] = {
  kind: "APIGroupList",
  apiVersion: "v1",
  groups: Object.keys(GROUPS).map((groupVersion) => {
    const [name, version] = groupVersion.split("/");
    return { name, versions: [{ groupVersion, version }], preferredVersion: { groupVersion, version } };
  }),
};
for (const [groupVersion, resources] of Object.entries(GROUPS)) {
  RESOURCES[`/apis/${groupVersion}`] = {
    kind: "APIResourceList",
    groupVersion,
    resources: resources.map((resource) => ({
      ...resource,
      namespaced: true,
      verbs: ["get", "list", "patch", "delete"],
    })),
  };
}

/** An API server with these objects, until the test ends. @returns its address, and the changes to it */
async function serve(context: TestContext, cluster: Cluster): Promise<{ url: string; changes: Changes }> {
  const changes: Changes = [];
  let asked = 0;
  const answer = (method: string, path: string, body: unknown): object | undefined => {
    if (RESOURCES[path] !== undefined) return RESOURCES[path];
    const [, kind = "", name, subresource] =
      /^\/apis\/[^/]+\/v1\w*\/namespaces\/default\/(\w+)(?:\/([^/]+))?(?:\/(\w+))?$/.exec(path) ?? [];
    if (method !== "GET") {
      changes.push({ request: [method, kind, name, subresource].filter(Boolean).join(" "), body });
    }
    if (kind === "updates") {
      asked += 1;
      cluster.onUpdates?.(asked);
      return cluster.updates?.includes(name ?? "") === true
        ? { apiVersion: "auto.pulumi.com/v1alpha1", kind: "Update", metadata: { name, namespace: "default" } }
        : undefined;
    }
    if (kind === "workspaces") return { kind: "Status", apiVersion: "v1", status: "Success" };
    if (cluster.refuses) return undefined;
    if (name === undefined) {
      return { apiVersion: "pulumi.com/v1", kind: "StackList", metadata: {}, items: cluster.stacks };
    }
    return cluster.stacks.find(({ metadata }) => metadata.name === name);
  };
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { pathname, searchParams } = new URL(request.url ?? "", "http://x");
      const isSelected = searchParams.get("labelSelector") ?? "fleet=yes";
      const found =
        isSelected === "fleet=yes"
          ? answer(request.method ?? "", pathname, body === "" ? undefined : (JSON.parse(body) as unknown))
          : undefined;
      response.writeHead(found ? 200 : 404, { "content-type": "application/json" });
      response.end(
        JSON.stringify(
          found ?? { kind: "Status", apiVersion: "v1", status: "Failure", reason: "NotFound", code: 404 },
        ),
      );
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  context.onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, changes };
}

/** Runs the script, as the container does; fails with its output unless it succeeds. */
async function wake(
  context: TestContext,
  shell: string[],
  cluster: Cluster,
): Promise<{ said: string; changes: Changes }> {
  const { url, changes } = await serve(context, cluster);
  const script = await readFile(join(FLEET, "files/wake.sh"), "utf8");
  const home = await mkdtemp(join(tmpdir(), "wake-"));
  context.onTestFinished(() => rm(home, { recursive: true }));
  const kubectl = `kubectl() { command kubectl --server ${url} --namespace default --cache-dir ${home} "$@"; }\n`;
  const [program = "", ...options] = shell;
  const child = spawn(program, [...options, "-c", kubectl + script], {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env["PATH"],
      HOME: home,
      SELECTOR: "fleet=yes",
      STUCK_SECONDS: "3600",
      SECOND_LOOK_SECONDS: "0",
    },
  });
  const [out, errors, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise((resolve) => child.on("close", resolve)),
  ]);
  expect(code, out + errors).toBe(0);
  return { said: out + errors, changes };
}

const requests = (changes: Changes): string[] => changes.map(({ request }) => request);
const WAKE_UP = {
  metadata: {
    annotations: { "pulumi.com/reconciliation-request": expect.stringMatching(/^wake-\d+$/) as unknown },
  },
};

describe.each([{ shell: ["dash"] }, { shell: ["busybox", "sh"] }])(
  "the script that wakes stacks, in $shell, with kubectl",
  ({ shell }) => {
    test("requests again those that were given up, in a new workspace, and leaves the others alone", async (context) => {
      const { said, changes } = await wake(context, shell, {
        stacks: [
          stack("new"),
          stack("ready", [condition("Ready", "ProcessingCompleted")]),
          stack("stalled", [
            { ...condition("Ready", "NotReadyStalled"), status: "False" },
            condition("Stalled", "UpdateFailed"),
          ]),
          stack("busy", [condition("Reconciling", "StackProcessing")], "busy-1"),
        ],
        updates: ["busy-1"],
      });
      expect(requests(changes)).toEqual(["DELETE workspaces stalled", "PATCH stacks stalled"]);
      expect(changes.at(-1)?.body).toEqual(WAKE_UP);
      expect(said).toContain("stalled: stalled, UpdateFailed");
    });

    test("fails when it cannot read the stacks", async (context) => {
      await expect(wake(context, shell, { stacks: [], refuses: true })).rejects.toThrow("NotFound");
    });

    test("has a failed workspace replaced", async (context) => {
      const { changes } = await wake(context, shell, {
        stacks: [stack("a", [condition("Stalled", "WorkspaceFailed")])],
      });
      expect(requests(changes)).toEqual(["DELETE workspaces a", "PATCH stacks a"]);
    });

    test("frees a stack that has long waited for an Update that is gone, if it still waits for that one", async (context) => {
      const { said, changes } = await wake(context, shell, {
        stacks: [stack("a", [condition("Reconciling", "StackProcessing")], "a-1")],
      });
      expect(changes).toEqual([
        {
          request: "PATCH stacks a status",
          body: [
            { op: "test", path: "/status/currentUpdate/name", value: "a-1" },
            { op: "remove", path: "/status/currentUpdate" },
          ],
        },
        { request: "PATCH stacks a", body: WAKE_UP },
      ]);
      expect(said).toContain("a: waits for a-1, which is gone");
    });

    test("does not change one that has not waited long, whose Update comes after all, or that waits for another one by then", async (context) => {
      const now = new Date().toISOString().replace(/\.\d+/, "");
      const young = [stack("young", [condition("Reconciling", "StackProcessing", now)], "young-1")];
      expect((await wake(context, shell, { stacks: young })).changes).toEqual([]);

      const updates: string[] = [];
      const late = [stack("late", [condition("Reconciling", "StackProcessing")], "late-1")];
      const comes = {
        stacks: late,
        updates,
        onUpdates: (time: number) => time === 2 && updates.push("late-1"),
      };
      expect((await wake(context, shell, comes)).changes).toEqual([]);

      const other = [stack("other", [condition("Reconciling", "StackProcessing")], "other-1")];
      const next = stack("other", [condition("Reconciling", "StackProcessing")], "other-2");
      const goesOn = { stacks: other, onUpdates: () => other.splice(0, 1, next) };
      expect((await wake(context, shell, goesOn)).changes).toEqual([]);
    });
  },
);
