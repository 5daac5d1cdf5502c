import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CHART } from "./installation.ts";
import { runCommand } from "../programs/commands.ts";

/** Where the example's chart is published, in both ways that Helm knows. */
export interface ChartRegistry {
  name: string;
  version: string;
  /** Address of a chart repository. */
  repository: string;
  /** OCI reference of the chart. */
  reference: string;
  close(): Promise<void>;
}

interface Answer {
  type: string;
  body: Buffer;
}

export async function publishChart(): Promise<ChartRegistry> {
  const helm = process.env["HELM"] ?? "helm";
  const folder = await mkdtemp(join(tmpdir(), "docs-hosting-charts-"));
  await runCommand(helm, ["package", CHART, "--destination", folder]);
  const metadata = await runCommand(helm, ["show", "chart", CHART]);
  const name = /^name: (.*)$/m.exec(metadata)?.[1] ?? "";
  const version = /^version: (.*)$/m.exec(metadata)?.[1] ?? "";
  const file = `${name}-${version}.tgz`;
  const chart = await readFile(join(folder, file));
  const answers = new Map<string, Answer>();

  const server = createServer((request, response) => {
    const answer = answers.get(new URL(request.url ?? "", "http://x").pathname);
    if (!answer) return void response.writeHead(404).end();
    response.writeHead(200, {
      "content-type": answer.type,
      "content-length": answer.body.length,
      "docker-content-digest": digestOf(answer.body),
    });
    response.end(request.method === "HEAD" ? undefined : answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;

  await runCommand(helm, ["repo", "index", folder, "--url", `http://${host}`]);
  answers.set("/index.yaml", { type: "text/yaml", body: await readFile(join(folder, "index.yaml")) });
  answers.set(`/${file}`, { type: "application/gzip", body: chart });
  addArtifact(answers, `docs/${name}`, version, chart, Buffer.from(JSON.stringify({ name, version })));
  await rm(folder, { recursive: true });
  return {
    name,
    version,
    repository: `http://${host}`,
    reference: `oci://${host}/docs/${name}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** What an OCI registry answers when a chart is pulled (OCI distribution specification 1.1, Pull). */
function addArtifact(
  answers: Map<string, Answer>,
  repository: string,
  tag: string,
  chart: Buffer,
  config: Buffer,
): void {
  const descriptor = (mediaType: string, body: Buffer) => {
    answers.set(`/v2/${repository}/blobs/${digestOf(body)}`, { type: "application/octet-stream", body });
    return { mediaType, digest: digestOf(body), size: body.length };
  };
  const type = "application/vnd.oci.image.manifest.v1+json";
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: type,
      config: descriptor("application/vnd.cncf.helm.config.v1+json", config),
      layers: [descriptor("application/vnd.cncf.helm.chart.content.v1.tar+gzip", chart)],
    }),
  );
  answers.set("/v2/", { type: "application/json", body: Buffer.from("{}") });
  for (const reference of [tag, digestOf(manifest)]) {
    answers.set(`/v2/${repository}/manifests/${reference}`, { type, body: manifest });
  }
  const tags = Buffer.from(JSON.stringify({ name: repository, tags: [tag] }));
  answers.set(`/v2/${repository}/tags/list`, { type: "application/json", body: tags });
}

function digestOf(body: Buffer): string {
  return `sha256:${createHash("sha256").update(body).digest("hex")}`;
}
