// The chart of examples/fleet with `engine=cronjob` on the tests' own node, each stack with a volume that outlives its pods.
import { randomBytes } from "node:crypto";
import { chown, cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "vitest";
import { fleetOf } from "../chart/fleetChart.ts";
import { helm, type Values } from "../chart/renderedChart.ts";
import { runCommand } from "../programs/commands.ts";
import type { FleetService } from "./fleetService.ts";
import { CANARY_KEY, until } from "./installation.ts";
import { type Kubectl, kubectlIn, type KubernetesObject, list } from "./kubectl.ts";

export const FLEET_IMAGE = { repository: "docker.io/local/docs-fleet", tag: "1" };

/** Preloaded into the processes of the pods. */
const CLOCK = join(import.meta.dirname, "../stack/skewedClock.ts");
/** Of the image. */
const USER = 1000;
/** A schedule that is due in no test. */
const NEVER = "0 0 29 2 *";

/** Longer on a busy machine only. */
export const RUN_LIMIT_MS = 240_000;

export type Sites = Record<string, { domain: string; [input: string]: string }>;

export interface FleetInstallation {
  namespace: string;
  kubectl: Kubectl;
  /** Folder on this machine that is `/fleet` in the pods of a stack. */
  volumeOf(stack: string): string;
  /** Puts the clocks of the service and of later pods forward. */
  passTime: (ms: number) => Promise<void>;
  /** Starts a run of a stack as its CronJob does. @returns the name of the Job */
  run: (stack: string) => Promise<string>;
  /** The pod of a Job, if there is one. */
  podOf(job: string): Promise<KubernetesObject>;
  /** Waits for the end of a Job. @returns whether it succeeded, and the logs of its pods */
  ended(job: string): Promise<{ ok: boolean; said: string }>;
  /** A run of each of these stacks, side by side, which must succeed. */
  runAll(stacks: readonly string[]): Promise<void>;
}

/**
 * @param stacks the sites of each
 * @param schedule of all stacks; by default, the test starts runs
 */
export async function installFleet(
  context: Pick<TestContext, "onTestFinished">,
  service: FleetService,
  stacks: Readonly<Record<string, Sites>>,
  schedule = NEVER,
): Promise<FleetInstallation> {
  const namespace = `fleet-${randomBytes(4).toString("hex")}`;
  const kubectl = kubectlIn(namespace);
  const folder = await mkdtemp(join(tmpdir(), "fleet-volumes-"));
  const volumeOf = (stack: string) => join(folder, stack);
  const files = Object.entries(stacks).map(([name, sites]) => [`${name}.json`, JSON.stringify({ sites })]);
  const chart = await fleetOf(context, Object.fromEntries(files) as Record<string, string>);
  await kubectl("create", "namespace", namespace);
  await kubectl("label", "namespace", namespace, "pod-security.kubernetes.io/enforce=restricted");
  context.onTestFinished(async () => {
    await kubectl("delete", "namespace", namespace, "--wait=false");
    for (const stack of Object.keys(stacks)) {
      await kubectl("delete", "persistentvolume", `${namespace}-${stack}`, "--wait=false");
    }
    await rm(folder, { recursive: true, force: true });
  });

  for (const stack of Object.keys(stacks)) {
    await mkdir(volumeOf(stack));
    await chown(volumeOf(stack), USER, USER); // the kubelet does not give such a volume to its pods' group
    await writeFile(join(volumeOf(stack), "service.crt"), service.certificate);
    await cp(CLOCK, join(volumeOf(stack), "clock.ts"));
    const volume = persistentVolume(`${namespace}-${stack}`, volumeOf(stack), { namespace, name: stack });
    await create(volume);
  }
  const stringData = {
    DOCS_HOSTING_ADMIN_API_KEY: CANARY_KEY,
    PULUMI_CONFIG_PASSPHRASE: "correct horse",
    NODE_EXTRA_CA_CERTS: "/fleet/service.crt",
    NODE_OPTIONS: "--import=/fleet/clock.ts",
    CLOCK_SKEW_MS: "0",
    // most of a run's time goes into reading and checking what other tests check
    PULUMI_NODEJS_TRANSPILE_ONLY: "true",
    NODE_COMPILE_CACHE: "/fleet/compile-cache",
  };
  // by standard input: other users of the machine can read command lines
  const secret = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "docs-fleet", namespace },
    stringData,
  };
  await create(secret);
  const values: Values = {
    engine: "cronjob",
    team: Object.keys(stacks)[0]?.replace(/-\d+$/, ""),
    image: FLEET_IMAGE,
    baseUrl: service.url,
    cronjob: { schedule },
  };
  const installed = await helm(["install", "docs-fleet", chart, "--namespace", namespace], values);
  if (installed.code !== 0) throw new Error(installed.output);

  let runs = 0;
  const run = async (stack: string) => {
    const job = `${stack}-run-${++runs}`;
    await kubectl("create", "job", job, `--from=cronjob/${stack}`);
    return job;
  };
  const ended = async (job: string) => {
    const readJob = async () => {
      const found = (await list(kubectl, "jobs")).find(({ metadata }) => metadata.name === job);
      const end = conditionsOf(found).find(({ type }) => type === "Complete" || type === "Failed");
      return end && { value: end.type === "Complete" };
    };
    const ok = await until(`${job} has ended`, readJob, RUN_LIMIT_MS);
    const logs = await kubectl("logs", `job/${job}`, "--all-containers", "--prefix").catch(String);
    return { ok: ok.value, said: logs };
  };
  return {
    namespace,
    kubectl,
    volumeOf,
    passTime: async (ms) => {
      service.passTime(ms);
      const stringData = { CLOCK_SKEW_MS: String(service.now() - Date.now()) };
      await kubectl("patch", "secret", "docs-fleet", "--patch", JSON.stringify({ stringData }));
    },
    run,
    ended,
    podOf: (job) =>
      until(`${job} has a pod`, async () => {
        const [pod] = await list(kubectl, "pods", `--selector=job-name=${job}`);
        return pod;
      }),
    runAll: async (names) => {
      const jobs = await Promise.all(names.map(run));
      for (const [index, end] of (await Promise.all(jobs.map(ended))).entries()) {
        if (end.ok) continue;
        const about = await kubectl("describe", "pods", `--selector=job-name=${jobs[index] ?? ""}`);
        throw new Error(`${jobs[index] ?? ""} failed:\n${end.said}\n${about}`);
      }
    },
  };
}

async function create(manifest: unknown): Promise<void> {
  await runCommand("kubectl", ["create", "--filename", "-"], { input: JSON.stringify(manifest) });
}

/** Whether a Job has ended, and how. */
export function conditionsOf(job: KubernetesObject | undefined): { type: string }[] {
  const conditions = (job?.status?.["conditions"] ?? []) as { type: string; status: string }[];
  return conditions.filter(({ status }) => status === "True");
}

/** For one claim only: this node has no provisioner. */
function persistentVolume(
  name: string,
  path: string,
  claimRef: { namespace: string; name: string },
): unknown {
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name },
    spec: {
      capacity: { storage: "1Gi" },
      accessModes: ["ReadWriteOnce"],
      claimRef,
      hostPath: { path, type: "Directory" },
    },
  };
}
