// The signature of the site's image in a kit; test/kit/ verifies it with cosign's libraries after load.sh.
import { generateKeyPairSync } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { signSite, writeArtifacts } from "../../../../provider/kits/contents/siteSignature.ts";
import { type LayoutArtifact, OciLayout } from "../../../../provider/publishing/images/layout/ociLayout.ts";
import { manifestOf } from "../../../../provider/publishing/images/registry/content.ts";
import { type Signer, signerFrom } from "../../../../provider/publishing/images/signing/signer.ts";
import { BUNDLE } from "../../../simulation/copiedBundle.ts";

const SITE = {
  name: "site:v1",
  isSite: true,
  top: manifestOf("application/vnd.oci.image.manifest.v1+json", { layers: [] }),
  platforms: ["linux/amd64"],
};
const ORIGIN = { bundle: BUNDLE };

function newSigner(): Signer {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  return signerFrom("KEY", { environment: () => pem });
}
const signer = newSigner();

let kit: string;
beforeEach(() => {
  kit = mkdtempSync(join(tmpdir(), "kit-"));
  onTestFinished(() => rmSync(kit, { recursive: true }));
  mkdirSync(join(kit, "images/blobs/sha256"), { recursive: true });
});

/** Signs the site, and writes the artifacts into the kit. */
async function signed(by = signer, origin = ORIGIN): Promise<readonly LayoutArtifact[]> {
  const { artifacts, contents } = await signSite(SITE, origin, by, kit);
  await writeArtifacts(kit, contents, []);
  await new OciLayout(join(kit, "images")).writeIndex([SITE], artifacts);
  return artifacts;
}
const digestsOf = (artifacts: readonly LayoutArtifact[]): string[] =>
  artifacts.map(({ manifest }) => manifest.digest);

test("it has the tags and types of a copy's, and names the repository that values.yaml names", async () => {
  const artifacts = await signed();
  const hex = SITE.top.digest.slice("sha256:".length);
  expect(
    artifacts.map(({ name, tag, subject, referrer }) => ({
      name,
      tag,
      subject,
      type: referrer?.artifactType,
    })),
  ).toEqual([
    {
      name: `site:sha256-${hex}.sig`,
      tag: `sha256-${hex}.sig`,
      subject: SITE.top.digest,
      type: "application/vnd.dev.cosign.artifact.sig.v1+json",
    },
    { name: `site:sha256-${hex}.att`, tag: `sha256-${hex}.att`, subject: SITE.top.digest, type: undefined },
    ...["", ""].map(() => ({
      name: undefined,
      tag: undefined,
      subject: SITE.top.digest,
      type: "application/vnd.in-toto+json",
    })),
  ]);
  const payload = artifacts[0]?.blobs.at(-1)?.bytes.toString();
  expect(payload).toContain('"docker-reference":"registry.invalid/kit/site"');
});

test("what the key signed in a kit with the same content is kept, so that both are one kit", async () => {
  const first = await signed();
  expect(digestsOf(await signed())).toEqual(digestsOf(first));
  // all bytes are there, too: the second kit is complete without the first
  const { artifacts, contents } = await signSite(SITE, ORIGIN, signer, kit);
  for (const { manifest } of artifacts) {
    const { config, layers } = JSON.parse(manifest.bytes.toString()) as {
      config: { digest: string };
      layers: { digest: string }[];
    };
    for (const { digest } of [config, ...layers]) expect([...contents.keys()]).toContain(digest);
  }
});

test.each(["another key", "damaged", "missing"])(
  "of a kit whose signature is %s nothing is kept",
  async (what) => {
    const first = await signed(what === "another key" ? newSigner() : signer);
    if (what === "missing") rmSync(join(kit, "images"), { recursive: true });
    if (what === "damaged") {
      for (const { manifest } of first) {
        writeFileSync(join(kit, "images/blobs/sha256", manifest.digest.slice(7)), "{}");
      }
    }
    const { artifacts, contents } = await signSite(SITE, ORIGIN, signer, kit);
    expect(digestsOf(artifacts).filter((digest) => digestsOf(first).includes(digest))).toEqual([]);
    const layers = artifacts
      .slice(0, 2)
      .map(({ manifest }) => JSON.parse(manifest.bytes.toString()) as { layers: [] });
    expect(layers.map((each) => each.layers.length)).toEqual([1, 2]);
    expect(contents.size).toBe(4 + 1 + 2 + 3); // manifests, payload, envelopes, configurations
  },
);

test("a statement that says something else replaces the one that the key signed before", async () => {
  await signed();
  const changed = { bundle: { ...BUNDLE, version: "v2" } };
  const { artifacts } = await signSite(SITE, changed, signer, kit);
  const { layers } = JSON.parse(artifacts[1]?.manifest.bytes.toString() ?? "") as { layers: [] };
  expect(layers).toHaveLength(2);
});
