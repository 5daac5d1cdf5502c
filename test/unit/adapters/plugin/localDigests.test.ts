import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { withLocalDigests } from "../../../../provider/adapters/plugin/localDigests.ts";
import { UNKNOWN } from "../../../../provider/base/runtime/messages/plainText.ts";
import { chartDigest } from "../../../../provider/kits/contents/chartDigest.ts";

let file: string;
let chart: string;
let fileSha256: string;
let digest: string;

beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), "local-digests-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  file = join(folder, "bundle.tar.gz");
  chart = join(folder, "chart");
  mkdirSync(chart);
  writeFileSync(file, "content");
  writeFileSync(join(chart, "Chart.yaml"), "name: docs");
  fileSha256 = createHash("sha256").update("content").digest("hex");
  digest = chartDigest(chart);
});

test("a bundle file and a chart get the digests that the npm package gives them", async () => {
  const source = { file, version: "v1" };
  expect(await withLocalDigests({ source, chart, keep: 2 })).toEqual({
    source: { ...source, fileSha256 },
    chart: { path: chart, digest },
    keep: 2,
  });
  expect(await withLocalDigests({ chart: { path: chart } })).toEqual({ chart: { path: chart, digest } });
});

test("changed content under the same name has another digest", async () => {
  const before = await withLocalDigests({ source: { file } });
  writeFileSync(file, "changed");
  expect(await withLocalDigests({ source: { file } })).not.toEqual(before);
});

test("given digests, other sources, and what is missing or unknown stay as they are", async () => {
  for (const inputs of [
    { source: { file, fileSha256: "0" }, chart: { path: chart, digest: "1" } },
    { source: { domain: "docs.example.com", jobId: "7" } },
    { source: { file: `${file}-missing` }, chart: `${chart}-missing` },
    { source: { file: UNKNOWN }, chart: UNKNOWN },
    { source: UNKNOWN, chart: { path: UNKNOWN } },
    { source: null, chart: 1 },
    {},
  ]) {
    expect(await withLocalDigests(inputs)).toEqual(inputs);
  }
});
