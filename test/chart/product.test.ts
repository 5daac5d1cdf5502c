import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test, type TestContext } from "vitest";
import { runCommand } from "../programs/commands.ts";
import { startRegistryServer } from "../simulation/registryStub.ts";
import { HELM } from "./neededPrograms.ts";
import { CHART, readChartYaml } from "./renderedChart.ts";

async function temporaryFolder(context: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "chart-product-"));
  context.onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

/** `npm run chart -- …`, with the helm of these tests. */
function chart(...args: string[]): Promise<string> {
  const PATH = `${dirname(HELM)}:${process.env["PATH"] ?? ""}`;
  return runCommand(process.execPath, [join(import.meta.dirname, "product.ts"), ...args], {
    env: { ...process.env, PATH },
  });
}

test("the packed chart holds the files of its folder", async (context) => {
  const folder = await temporaryFolder(context);
  await chart("package", folder);
  const { version } = await readChartYaml("Chart.yaml");
  const file = join(folder, `docs-server-${String(version)}.tgz`);
  for (const name of ["values.yaml", "values.schema.json", "README.md", "templates/tests/startpage.yaml"]) {
    const packed = await runCommand("tar", [
      "--extract",
      "--to-stdout",
      "--file",
      file,
      `docs-server/${name}`,
    ]);
    expect(packed).toBe(await readFile(join(CHART, name), "utf8"));
  }
});

test("one command pushes the chart to a registry, from which helm can pull it", async (context) => {
  const { host } = await startRegistryServer(context);
  await chart("push", `oci://${host}/charts`, "--plain-http");
  const folder = await temporaryFolder(context);
  const { version } = await readChartYaml("Chart.yaml");
  const reference = `oci://${host}/charts/docs-server`;
  await runCommand(HELM, [
    "pull",
    reference,
    "--version",
    String(version),
    "--plain-http",
    "--destination",
    folder,
  ]);
  const shown = await runCommand(HELM, [
    "show",
    "values",
    join(folder, `docs-server-${String(version)}.tgz`),
  ]);
  expect(shown.trim()).toBe((await readFile(join(CHART, "values.yaml"), "utf8")).trim());
});

test("an unknown command prints the usage", async () => {
  await expect(chart("push", "https://registry.example.com")).rejects.toThrow(
    /ended with 2:\nnpm run chart -- readme/,
  );
});
