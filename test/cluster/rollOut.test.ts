import { expect, test } from "vitest";
import { copyExample } from "./copiedExample.ts";
import { buildInstallation } from "./installation.ts";
import { list } from "./kubectl.ts";
import { startSteadyClient } from "./steadyClient.ts";

test("a new version replaces the pods without a failed request; so does another jobId alone, which serves that job's pages in every pod and starts nothing", async (context) => {
  const installation = await buildInstallation(context, { config: { version: "1" } });
  const first = await installation.up();
  const endClient = startSteadyClient(await installation.url());
  const before = (await installation.pods()).map(({ metadata }) => metadata.uid);

  await installation.writeStartPage("# Welcome\n\nThe second edition.\n");
  await installation.setConfig({ version: "2" });
  await installation.up();
  await installation.serves("The second edition.");
  const after = (await installation.pods()).map(({ metadata }) => metadata.uid);
  expect(after.some((uid) => before.includes(uid))).toBe(false);

  const asked = installation.service.requests.length;
  await installation.setConfig({ jobId: String(first.outputs["jobId"]?.value) });
  await installation.up();
  await installation.serves("The first edition.");
  const starts = installation.service.requests
    .slice(asked)
    .filter(({ method, path }) => method === "POST" && path === "/v1/static-export/jobs");
  expect(starts).toEqual([]);

  // of three revisions the last two are kept: the links of older ones are removed from the cluster
  const revisions = await list(installation.kubectl, "secrets", "--selector=owner=helm");
  expect(revisions.map(({ metadata }) => metadata.name.replace(/^.*\./, "")).sort()).toEqual(["v2", "v3"]);

  const answers = await endClient();
  expect(Object.keys(answers).sort()).toEqual(["200 The first edition.", "200 The second edition."]);
  expect(answers["200 The second edition."]).toBeGreaterThan(100);

  // a pod that starts later serves the same as the others
  const [moved] = await installation.pods();
  await installation.kubectl("delete", "pod", moved?.metadata.name ?? "", "--wait=true");
  await installation.isReady();
  for (let request = 0; request < 20; request += 1) {
    expect(await installation.says("The first edition.")).toBe(true);
  }
});

test("a changed template of the chart is rolled out, though the chart's version is the same", async (context) => {
  const example = await copyExample(context);
  const installation = await buildInstallation(context, {
    program: example.program,
    config: { version: "1" },
  });
  await installation.up();
  const unchanged = await installation.up();
  expect(unchanged.summary).toEqual({ same: expect.any(Number) as number });
  const pods = (await installation.pods()).map(({ metadata }) => metadata.uid);

  await example.changeTemplate("deployment.yaml", (text) =>
    text.replace("terminationGracePeriodSeconds:", "hostname: edited\n      terminationGracePeriodSeconds:"),
  );
  const preview = await installation.stack.preview();
  expect(preview.steps.filter(({ op }) => op === "update").map(({ urn }) => urn)).toEqual([
    expect.stringContaining("helm.sh/v3:Release"),
  ]);
  await installation.up();
  const rolled = await installation.pods();
  expect(rolled.map(({ spec }) => spec?.["hostname"])).toEqual(rolled.map(() => "edited"));
  expect(rolled.some(({ metadata }) => pods.includes(metadata.uid))).toBe(false);
});
