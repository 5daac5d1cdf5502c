import { expect, test } from "vitest";
import { HELM } from "../chart/neededPrograms.ts";
import { runCommand } from "../programs/commands.ts";
import { buildInstallation } from "./installation.ts";

test("`helm test` passes where the start page is served, and leaves no pod", async (context) => {
  const installation = await buildInstallation(context, {
    // who may ask is said, and the pod of the test is not among them
    values: { networkPolicy: { from: [{ podSelector: { matchLabels: { asks: "true" } } }] } },
  });
  await installation.up();
  const before = await installation.pods();
  const said = await runCommand(HELM, ["test", "docs", "--namespace", installation.namespace]);
  expect(said).toMatch(/TEST SUITE:\s+docs-docs-server-test\n[^]*Phase:\s+Succeeded/);
  const names = (pods: typeof before) => pods.map(({ metadata }) => metadata.name).sort();
  expect(names(await installation.pods())).toEqual(names(before));
});
