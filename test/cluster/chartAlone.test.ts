import { randomBytes } from "node:crypto";
import { expect, test, type TestContext } from "vitest";
import { HELM } from "../chart/neededPrograms.ts";
import { CHART, helm, type Values } from "../chart/renderedChart.ts";
import { runCommand } from "../programs/commands.ts";
import { clusterValues } from "./installation.ts";
import { kubectlIn, list } from "./kubectl.ts";

/** Only the chart, installed by helm in its own namespace. */
async function install(context: TestContext, values: Values = {}) {
  const namespace = `chart-${randomBytes(4).toString("hex")}`;
  const kubectl = kubectlIn(namespace);
  await kubectl("create", "namespace", namespace);
  context.onTestFinished(async () => {
    await kubectl("delete", "namespace", namespace, "--wait=false");
  });
  await kubectl("label", "namespace", namespace, "pod-security.kubernetes.io/enforce=restricted");
  const upgrade = async (more: Values) => {
    const args = ["upgrade", "--install", "docs", CHART, "--namespace", namespace, "--wait"];
    const { code, output } = await helm(args, { ...clusterValues(), ...more });
    expect(code, output).toBe(0);
  };
  await upgrade(values);
  return { namespace, kubectl, upgrade };
}

test("`helm test` passes where the start page is served, as Pod Security «restricted», and leaves no pod", async (context) => {
  const { namespace, kubectl } = await install(context);
  const said = await runCommand(HELM, ["test", "docs", "--namespace", namespace]);
  expect(said).toMatch(/TEST SUITE:\s+docs-docs-server-test\n[^]*Phase:\s+Succeeded/);
  const pods = (await list(kubectl, "pods")).map(({ metadata }) => metadata.name);
  expect(pods).toHaveLength(2);
  expect(pods).not.toContain("docs-docs-server-test");
});

test("an upgrade that replaces the pods leaves their number to the autoscaler", async (context) => {
  const autoscaling = { enabled: true };
  const { kubectl, upgrade } = await install(context, { autoscaling });
  await kubectl("scale", "deployment/docs-docs-server", "--replicas=3"); // as an autoscaler does
  await upgrade({ autoscaling, web: { workerConnections: 99 } });
  const [deployment] = await list(kubectl, "deployments");
  expect(deployment?.spec?.["replicas"]).toBe(3);
  expect(deployment?.metadata.annotations?.["deployment.kubernetes.io/revision"]).toBe("2");
});
