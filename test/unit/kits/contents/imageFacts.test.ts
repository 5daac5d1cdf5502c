// What the files of a kit say of its images: provenance, SBOM, README, manifest.
import { generateKeyPairSync } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readEarlierKit } from "../../../../provider/kits/contents/earlierKit.ts";
import { signerFrom } from "../../../../provider/publishing/images/signing/signer.ts";
import { BASE, folder, hex, kitOf, top, withRegistry } from "./kitImages.ts";

withRegistry();

test("the provenance is about the site's image and names its base, the SBOM lists both images", async () => {
  const { path, manifest } = await kitOf({ serviceUrl: "https://api.example.com" });
  const json = (file: string): unknown => JSON.parse(readFileSync(join(path, file), "utf8"));
  const site = hex(manifest.images[1]?.digest ?? "");
  expect(json("provenance.json")).toMatchObject({
    subject: [{ name: "site:v1", digest: { sha256: site } }],
    predicate: {
      buildDefinition: {
        externalParameters: { baseUrl: "https://api.example.com", base: BASE },
        resolvedDependencies: [{ name: "bundle.tar.gz" }, { name: BASE, digest: { sha256: hex(top) } }],
      },
    },
  });
  const { components } = json("sbom.cdx.json") as {
    components: { "bom-ref": string; hashes: { content: string }[] }[];
  };
  const hashes = Object.fromEntries(components.map((each) => [each["bom-ref"], each.hashes[0]?.content]));
  expect(hashes).toMatchObject({ "image:nginx:1": hex(top), "site-image": site });
});

test.each(["ec", "ed25519"] as const)(
  "a kit that is signed with a key of the kind %s is the same kit the second time, with the signature of its image",
  async (kind) => {
    const { privateKey } =
      kind === "ec" ? generateKeyPairSync("ec", { namedCurve: "P-256" }) : generateKeyPairSync("ed25519");
    const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    const signer = signerFrom("KEY", { environment: () => pem });
    const first = await kitOf({ signer });
    const again = await kitOf({ signer });
    expect(again.written).toEqual(first.written);
    expect(again.manifest).toEqual(first.manifest);
    expect(first.manifest.artifacts).toHaveLength(4);
    expect(first.files).toEqual(first.manifest.blobs.map(({ digest }) => hex(digest)));
    expect(first.index.manifests.map(({ digest }) => digest)).toEqual(
      [...first.manifest.images, ...(first.manifest.artifacts ?? [])].map(({ digest }) => digest),
    );
    // it is a file of the kit as all others
    const sums = readFileSync(join(first.path, "SHA256SUMS"), "utf8");
    for (const { digest } of first.manifest.artifacts ?? []) {
      expect(sums).toContain(`images/blobs/sha256/${hex(digest)}`);
    }
  },
);

test("a search in the site's image is in the facts about the kit and in its provenance; the kit has another path", async () => {
  const plain = await kitOf();
  expect(plain.written).not.toHaveProperty("search");
  const { written, path } = await kitOf({ additions: { offlineSearch: true, hasFile: () => false } });
  expect(written.search).toEqual({
    searchPages: expect.any(Number) as number,
    searchVersion: expect.any(String) as string,
  });
  expect(written.name).not.toBe(plain.written.name);
  const parametersOf = (kit: string): unknown =>
    (
      JSON.parse(readFileSync(join(kit, "provenance.json"), "utf8")) as {
        predicate: { buildDefinition: { externalParameters: unknown } };
      }
    ).predicate.buildDefinition.externalParameters;
  expect(parametersOf(plain.path)).not.toHaveProperty("offlineSearch");
  expect(parametersOf(path)).toHaveProperty("offlineSearch", true);
});

test("Markdown in the site's image is in the facts about the kit, in its provenance, its SBOM and its README", async () => {
  const plain = await kitOf();
  const { written, path } = await kitOf({ additions: { llmsTxt: true, hasFile: () => false } });
  const pages = expect.any(Number) as number;
  expect(written.search).toEqual({ llmsPages: pages, llmsVersion: "2" });
  const provenance = readFileSync(join(path, "provenance.json"), "utf8");
  expect(provenance).toMatch(/"llmsTxt": true/);
  expect(readFileSync(join(path, "sbom.cdx.json"), "utf8")).toContain("pulumi-docs-hosting/llms-txt");
  expect(readFileSync(join(path, "README.md"), "utf8")).toMatch(
    /`\/llms\.txt` of the installed site lists the Markdown of its \d+ pages/,
  );
  expect(readFileSync(join(plain.path, "README.md"), "utf8")).not.toContain("llms.txt");
});

test("the README lists the images and how they are loaded; without a chart, nothing is installed", async () => {
  const { path, written } = await kitOf();
  const readme = readFileSync(join(path, "README.md"), "utf8");
  expect(readme).toContain("- `nginx:1`\n- `site:v1`\n");
  expect(readme).toContain("`site:v1` serves the site on port 8080");
  expect(readme).not.toMatch(/install\.sh|helm/);
  expect(readdirSync(path)).toContain("load.sh");
  expect(readdirSync(path)).not.toContain("install.sh");
  expect(written).toMatchObject({ signed: false });
});

test("the README of a kit that leaves out an earlier one's layers says which kit to load first", async () => {
  const chart = join(folder, "chart");
  mkdirSync(chart);
  writeFileSync(join(chart, "Chart.yaml"), "name: docs\nversion: 1.0.0\n");
  const first = await kitOf({ chart });
  const loadFirst = "This kit needs the images of the kit of version «v1»";
  const readmeOf = (path: string): string => readFileSync(join(path, "README.md"), "utf8");
  expect(readmeOf(first.path)).not.toContain("This kit needs");
  const since = readEarlierKit(join(first.path, "manifest.json"));
  const { path, manifest } = await kitOf({ version: "v2", chart, since });
  expect(readmeOf(path)).toContain(loadFirst);
  expect(manifest.since).toEqual({ version: "v1", sha256: since.sha256 });
  expect(manifest.needs.tools).toEqual(["sh", "coreutils", "tar", "openssl", "curl", "helm"]);
});

test("a manifest says how much room the kit's content needs: the bundle and every blob", async () => {
  const { manifest } = await kitOf();
  const { bundle, blobs: all, needs } = manifest;
  expect(needs.diskBytes).toBe(all.reduce((total, { size }) => total + size, bundle.size));
  expect(needs.tools).toEqual(["sh", "coreutils", "tar", "openssl", "curl"]);
  expect(all.map(({ digest }) => digest)).toEqual(all.map(({ digest }) => digest).sort());
});
