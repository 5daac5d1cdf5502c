// Images in a folder. What a key signs there is judged by `kits/contents/siteSignature.test.ts`.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { digestOf } from "../../../../../provider/base/runtime/values/digest.ts";
import { OciLayout } from "../../../../../provider/publishing/images/layout/ociLayout.ts";
import { describe, manifestOf } from "../../../../../provider/publishing/images/registry/content.ts";
import { siteRoot } from "../../../../../provider/publishing/images/siteImage/layer.ts";
import { tarGz } from "../../../../chart/tarArchive.ts";

const MANIFEST = "application/vnd.oci.image.manifest.v1+json";
const PAGE = Buffer.from("<h1>Start</h1>");
const LAYER = tarGz([{ name: `${siteRoot(true)}/index.html`, content: PAGE }]);
const SITE = {
  name: "site:v1",
  top: manifestOf(MANIFEST, {
    layers: [
      {
        mediaType: "application/vnd.oci.image.layer.v1.tar+gzip",
        digest: digestOf(LAYER),
        size: LAYER.length,
      },
    ],
  }),
};

let folder: string;
const pathOf = (digest: string): string => join(folder, "blobs/sha256", digest.slice("sha256:".length));
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "layout-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "blobs/sha256"), { recursive: true });
  writeFileSync(pathOf(SITE.top.digest), SITE.top.bytes);
  writeFileSync(pathOf(digestOf(LAYER)), LAYER);
});

/** The files that a layout has of the site in an image. */
async function read(name: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  const take = (path: string, bytes: Buffer): Promise<void> => {
    files[path] = bytes.toString();
    return Promise.resolve();
  };
  await new OciLayout(folder).readSite(name, { isWanted: () => true, take }, new AbortController().signal);
  return files;
}

test("an image is found by its name, and what belongs to it as its referrer", async () => {
  const signature = manifestOf(MANIFEST, { layers: [] });
  const referrer = {
    ...describe(signature),
    artifactType: "application/vnd.in-toto+json",
    annotations: { of: "the site" },
  };
  await new OciLayout(folder).writeIndex([SITE], [{ manifest: signature, referrer }]);
  const { manifests } = JSON.parse(readFileSync(join(folder, "index.json"), "utf8")) as {
    manifests: unknown[];
  };
  expect(manifests).toEqual([
    expect.objectContaining({
      digest: SITE.top.digest,
      annotations: { "org.opencontainers.image.ref.name": "site:v1" },
    }),
    referrer,
  ]);
  expect(await read("site:v1")).toEqual({ "index.html": PAGE.toString() });
  expect(await read("site:v2")).toEqual({});
});

test.each<[string, () => void]>([
  ["without an index", () => rmSync(join(folder, "index.json"))],
  ["whose index is damaged", () => writeFileSync(join(folder, "index.json"), '{"manifests":[{')],
  ["without the manifest", () => rmSync(pathOf(SITE.top.digest))],
  [
    "whose manifest has other bytes",
    () => writeFileSync(pathOf(SITE.top.digest), `${SITE.top.bytes.toString()} `),
  ],
  ["that is missing", () => rmSync(folder, { recursive: true })],
])("in a layout %s, nothing is found", async (_, damage) => {
  await new OciLayout(folder).writeIndex([SITE], []);
  damage();
  expect(await read("site:v1")).toEqual({});
});
