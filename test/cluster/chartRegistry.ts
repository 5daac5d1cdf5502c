import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "vitest";
import { HELM } from "../chart/neededPrograms.ts";
import { CHART, readChartYaml } from "../chart/renderedChart.ts";
import { runCommand } from "../programs/commands.ts";

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
  const answers = new Map<string, Buffer>();
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    const answer = answers.get(path);
    if (!answer) return void response.writeHead(404).end();
    response.writeHead(200, {
      "content-type": path.includes("/manifests/") ? MANIFEST_TYPE : "application/octet-stream",
      "content-length": answer.length,
      "docker-content-digest": digestOf(answer),
    });
    response.end(request.method === "HEAD" ? undefined : answer);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const folder = await mkdtemp(join(tmpdir(), "docs-hosting-charts-"));
  context.onTestFinished(async () => {
    server.close().closeAllConnections();
    await rm(folder, { recursive: true });
  });

  await runCommand(HELM, ["package", CHART, "--destination", folder]);
  await runCommand(HELM, ["repo", "index", folder, "--url", `http://${host}`]);
  const { name, version } = (await readChartYaml("Chart.yaml")) as { name: string; version: string };
  const file = `${name}-${version}.tgz`;
  const chart = await readFile(join(folder, file));
  answers.set("/index.yaml", await readFile(join(folder, "index.yaml")));
  answers.set(`/${file}`, chart);
  for (const [path, body] of artifact(`docs/${name}`, version, chart)) answers.set(path, body);
  return { name, version, repository: `http://${host}`, reference: `oci://${host}/docs/${name}` };
}

/** The replies of an OCI registry to a pull of a chart (OCI distribution specification 1.1, Pull). */
function artifact(repository: string, tag: string, chart: Buffer): [path: string, body: Buffer][] {
  const config = Buffer.from("{}");
  const descriptor = (kind: string, body: Buffer) => ({
    mediaType: `application/vnd.cncf.helm.${kind}`,
    digest: digestOf(body),
    size: body.length,
  });
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: MANIFEST_TYPE,
      config: descriptor("config.v1+json", config),
      layers: [descriptor("chart.content.v1.tar+gzip", chart)],
    }),
  );
  return [
    ...[config, chart].map((body): [string, Buffer] => [`/v2/${repository}/blobs/${digestOf(body)}`, body]),
    ...[tag, digestOf(manifest)].map((name): [string, Buffer] => [
      `/v2/${repository}/manifests/${name}`,
      manifest,
    ]),
  ];
}

function digestOf(body: Buffer): string {
  return `sha256:${createHash("sha256").update(body).digest("hex")}`;
}
