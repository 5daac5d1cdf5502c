// Resources that need each part that a bundle of the plugin could lack.
import { readdirSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import type { PluginProcess } from "./pluginProcess.ts";

/** @param folder in which copy and kit are written */
export async function makesEverything(plugin: PluginProcess, folder: string): Promise<void> {
  const docs = await plugin.create("StaticExport", { domain: "docs.example.com", version: "v1" });
  expect(docs).toMatchObject({ version: "v1", status: "completed" });
  const { domain, version, jobId } = docs;
  const source = { domain, version, jobId };

  // the thread that writes what is downloaded
  const copies = join(folder, "copies");
  const copy = await plugin.create("BundleCopy", { source, destination: { folder: copies } });
  expect(readdirSync(copies)).toContain(`${String(copy["sha256"])}.tar.gz`);

  // the files of the search box
  const site = { folder: join(folder, "site-copies"), layout: "site" };
  const searchable = await plugin.create("BundleCopy", { source, destination: site, offlineSearch: true });
  expect(searchable).toMatchObject({ searchPages: 1 });

  // the texts of a kit
  const kit = await plugin.create("AirGapKit", { source, folder: join(folder, "kits") });
  expect(readdirSync(String(kit["path"]))).toEqual(
    expect.arrayContaining(["README.md", "manifest.schema.json", "verify.sh"]),
  );

  // the AWS SDK, which reads what a store replies
  const destination = { bucket: "docs", region: "eu-west-1", endpoint: await storeThatRefuses() };
  const refused = plugin.create("BundleCopy", { source, destination });
  await expect(refused).rejects.toThrow("s3:GetObject on s3://docs/");
}

async function storeThatRefuses(): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(403).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
