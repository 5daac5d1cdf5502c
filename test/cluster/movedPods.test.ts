// Later events: a pod of the served revision must restart after a later revision failed, is pending, or was rolled back.
import { expect, test } from "vitest";
import { findHelm } from "../engine/local/kubernetes/helmCommand.ts";
import { runCommand } from "../programs/commands.ts";
import { buildInstallation, type Installation, until } from "./installation.ts";
import { list } from "./kubectl.ts";

/** Helm's wait for releases that fail, in seconds. */
const RELEASE_TIMEOUT = "15";
const BROKEN = { body: "<!doctype html><title>Sign in</title>" };

interface Served {
  installation: Installation;
  /** Serves the archives of later jobs whole. */
  mend: () => void;
}

/** The first edition is served; the archive of each later job arrives broken. */
async function serveFirstEdition(context: Parameters<typeof buildInstallation>[0]): Promise<Served> {
  const installation = await buildInstallation(context, {
    config: { version: "1" },
  });
  const { outputs } = await installation.up();
  const mend = installation.spoilDownloads(BROKEN, [String(outputs["jobId"]?.value)]);
  await installation.writeStartPage("# Welcome\n\nThe second edition.\n");
  await installation.setConfig({ version: "2", timeout: RELEASE_TIMEOUT });
  return { installation, mend };
}

/** Drains the pods' node and uncordons it, then deletes each ready pod: the page must return each time. */
async function movePods(installation: Installation): Promise<void> {
  const { kubectl } = installation;
  const [node] = await list(kubectl, "nodes");
  const name = node?.metadata.name ?? "";
  const before = await readyPods(installation);
  expect(before).not.toEqual([]);
  try {
    const ofOurs = `--selector=app.kubernetes.io/instance=docs`;
    await kubectl("cordon", name);
    await kubectl("delete", "pods", ofOurs, "--wait=true", "--timeout=60s");
  } finally {
    await kubectl("uncordon", name);
  }
  await installation.serves("The first edition.");
  await until("the pods are back", async () => (await readyPods(installation)).length >= before.length);
  for (const pod of await readyPods(installation)) {
    await kubectl("delete", "pod", pod, "--wait=true");
    await until("the pod is back", async () => (await readyPods(installation)).length >= before.length);
    expect(await installation.says("The first edition.")).toBe(true);
  }
}

async function readyPods(installation: Installation): Promise<string[]> {
  const pods = await installation.pods();
  return pods
    .filter(({ status }) =>
      (status?.["conditions"] as { type: string; status: string }[] | undefined)?.some(
        ({ type, status: now }) => type === "Ready" && now === "True",
      ),
    )
    .map(({ metadata }) => metadata.name);
}

test("after two failed releases, moved pods of the good one serve its pages again; then a whole archive is rolled out, and the next one drops unused links", async (context) => {
  const { installation, mend } = await serveFirstEdition(context);
  expect((await installation.stack.up()).ok).toBe(false);
  await installation.setConfig({ version: "3" });
  expect((await installation.stack.up()).ok).toBe(false);
  await movePods(installation);

  mend();
  // a job that no pod has tried yet: after failures the kubelet makes long pauses
  await installation.setConfig({ version: "4", timeout: "180" });
  await installation.up();
  await installation.serves("The second edition.");
  const replicaSets = await list(installation.kubectl, "replicasets");
  const [links] = (await list(installation.kubectl, "secrets")).filter(({ metadata }) =>
    metadata.name.endsWith("-static-export"),
  );
  const contents = replicaSets.map(
    ({ spec }) =>
      (spec as { template: { metadata: { annotations: Record<string, string> } } }).template.metadata
        .annotations["docs-server/content"],
  );
  const kept = Object.keys(links?.data ?? {}).filter((key) => !key.endsWith(".previous"));
  expect(kept.sort()).toEqual([...new Set(contents)].sort());
});

test("while a killed upgrade is pending, moved pods of the good release serve its pages again", async (context) => {
  const { installation } = await serveFirstEdition(context);
  await installation.setConfig({ timeout: "180" });
  const kill = new AbortController();
  const running = installation.stack.up({ kill: kill.signal });
  await until(
    "pods of the second release are there",
    async () => (await list(installation.kubectl, "replicasets")).length > 1,
  );
  kill.abort();
  expect((await running).ok).toBe(false);
  await movePods(installation);
});

test("after Helm's own rollback, moved pods serve the pages of the earlier revision", async (context) => {
  const { installation } = await serveFirstEdition(context);
  expect((await installation.stack.up()).ok).toBe(false);
  const helm = findHelm(process.env);
  if (!helm) throw new Error("there is no helm");
  await runCommand(helm, ["rollback", "docs", "1", "--namespace", installation.namespace, "--wait"]);
  await movePods(installation);
});

test("a pod of the good release that is moved after a broken change of the chart starts with its original files", async (context) => {
  const { installation } = await serveFirstEdition(context);
  await installation.setConfig({
    version: "1",
    values: JSON.stringify({ ...installation.values, web: { immutablePattern: "(" } }),
  });
  expect((await installation.stack.up()).ok).toBe(false);
  await movePods(installation);
});
