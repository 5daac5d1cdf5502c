import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "vitest";
import { HELM } from "../chart/neededPrograms.ts";
import { CHART, readChartYaml } from "../chart/renderedChart.ts";
import { runCommand } from "../programs/commands.ts";
import { digestOf, type StoredRepository } from "../simulation/memoryRegistry.ts";
import { startRegistryServer } from "../simulation/registryStub.ts";

/** The example's chart, published in both ways that Helm knows. */
export interface ChartRegistry {
  name: string;
  version: string;
  /** Address of a chart repository. */
  repository: string;
  /** OCI reference of the chart. */
  reference: string;
}

/** Of a manifest in an OCI registry. */
const MANIFEST_TYPE = "application/vnd.oci.image.manifest.v1+json";

/** Until the test ends. */
export async function publishChart(context: Pick<TestContext, "onTestFinished">): Promise<ChartRegistry> {
  const files = new Map<string, Buffer>();
  const server = createServer((request, response) => {
    const file = files.get(request.url ?? "");
    response.writeHead(file ? 200 : 404).end(file);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const repository = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const folder = await mkdtemp(join(tmpdir(), "docs-hosting-charts-"));
  context.onTestFinished(async () => {
    server.close().closeAllConnections();
    await rm(folder, { recursive: true });
  });

  await runCommand(HELM, ["package", CHART, "--destination", folder]);
  await runCommand(HELM, ["repo", "index", folder, "--url", repository]);
  const { name, version } = (await readChartYaml("Chart.yaml")) as { name: string; version: string };
  const file = `${name}-${version}.tgz`;
  const chart = await readFile(join(folder, file));
  files.set("/index.yaml", await readFile(join(folder, "index.yaml")));
  files.set(`/${file}`, chart);
  const registry = await startRegistryServer(context);
  storeChart(registry.at(`docs/${name}`), version, chart);
  return { name, version, repository, reference: `oci://${registry.host}/docs/${name}` };
}

/** As `helm push` stores it. */
function storeChart({ blobs, manifests }: StoredRepository, tag: string, chart: Buffer): void {
  const stored = (kind: string, body: Buffer): object => {
    blobs.set(digestOf(body), body);
    return { mediaType: `application/vnd.cncf.helm.${kind}`, digest: digestOf(body), size: body.length };
  };
  const manifest = {
    schemaVersion: 2,
    mediaType: MANIFEST_TYPE,
    config: stored("config.v1+json", Buffer.from("{}")),
    layers: [stored("chart.content.v1.tar+gzip", chart)],
  };
  const body = Buffer.from(JSON.stringify(manifest));
  for (const name of [tag, digestOf(body)]) manifests.set(name, { type: MANIFEST_TYPE, body });
}
