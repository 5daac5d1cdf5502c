import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, type TestContext } from "vitest";
import { KUBERNETES_VERSION } from "../programs/goPrograms.ts";
import { problemsIn } from "./kubernetesValidation.ts";
import { CHART, helm, manifestsIn, only, readChartYaml, serving, type Values } from "./renderedChart.ts";

/**
 * Renders a parent chart, whose own values are these, with the chart as a dependency under another name.
 *
 * @param args further ones of helm
 */
async function renderParent(
  context: TestContext,
  values: Values,
  args: readonly string[] = [],
): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), "parent-"));
  context.onTestFinished(() => rm(parent, { recursive: true }));
  await mkdir(join(parent, "charts"));
  await cp(CHART, join(parent, "charts/docs-server"), { recursive: true });
  const { version } = await readChartYaml("Chart.yaml");
  const dependency = { name: "docs-server", alias: "ourDocs", version, condition: "ourDocs.enabled" };
  const chart = { apiVersion: "v2", name: "parent", version: "1.0.0", dependencies: [dependency] };
  await writeFile(join(parent, "Chart.yaml"), JSON.stringify(chart));
  await writeFile(join(parent, "values.yaml"), JSON.stringify({ ourDocs: values }));
  const { code, stdout, output } = await helm([
    "template",
    "site",
    parent,
    "--kube-version",
    KUBERNETES_VERSION,
    ...args,
  ]);
  expect(code, output).toBe(0);
  return stdout;
}

test("as a dependency, the chart has a condition, valid names under an alias, and nulls of the parent's values", async (context) => {
  // Helm 4 ignores nulls of a parent's own values
  const isOlder = /^v?3\./.test((await helm(["version", "--template", "{{.Version}}"])).stdout);
  const on = isOlder
    ? await renderParent(context, serving({ enabled: true, replicas: null }))
    : await renderParent(context, serving({ enabled: true }), ["--set-json", "ourDocs.replicas=null"]);
  expect(await problemsIn(on)).toEqual([]);
  const { metadata, spec } = only(manifestsIn(on), "Deployment");
  expect(metadata.name).toBe("site-ourdocs");
  expect(spec).not.toHaveProperty("replicas");
  expect(await renderParent(context, serving({ enabled: false }))).not.toContain("kind:");
});
