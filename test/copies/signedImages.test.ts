// Signed copies in real registries, with and without the API for referrers: other programs accept them, and refuse every change.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test, type TestContext } from "vitest";
import { repositoryDestination } from "../../provider/publishing/destinations/repository/repositoryDestination.ts";
import { RegistryClient } from "../../provider/publishing/images/registry/client.ts";
import {
  contentOf,
  describe as descriptorOf,
  manifestOf,
} from "../../provider/publishing/images/registry/content.ts";
import { getManifest } from "../../provider/publishing/images/registry/manifests.ts";
import { OCI_MANIFEST } from "../../provider/publishing/images/registry/mediaTypes.ts";
import { parseRepository } from "../../provider/publishing/images/registry/reference.ts";
import { attestationTag, readLayers } from "../../provider/publishing/images/signing/artifacts.ts";
import { pushArtifacts } from "../../provider/publishing/images/signing/signedImage.ts";
import { BUNDLE } from "../simulation/copiedBundle.ts";
import { crane, pushBase, pushEmptyImage } from "./images.ts";
import { startRegistry } from "./registry.ts";
import {
  KEYS,
  newSigner,
  signingBy,
  startReferrersRegistry,
  type Verifiers,
  verifiersWith,
} from "./signing.ts";
import { copySite, operation } from "./siteCopies.ts";

const REGISTRIES = {
  "distribution, without the API for referrers": async (context: TestContext) =>
    (await startRegistry(context)).host,
  "go-containerregistry's registry, with it": startReferrersRegistry,
};
const TYPES = ["slsaprovenance1", "cyclonedx"] as const;

describe.each(Object.entries(REGISTRIES))("%s", (registry, start) => {
  test.for(Object.keys(KEYS) as (keyof typeof KEYS)[])(
    "cosign 2, cosign 3 and Flux accept a copy that an %s key signed, by its tag and its digest, and no other key",
    async (kind, context) => {
      const host = await start(context);
      const base = `${host}/nginx-unprivileged:1.30`;
      const baseDigest = await pushBase(context, base);
      const signer = newSigner(kind);
      const place = { repository: `${host}/docs/site`, tag: "current", base };
      const copy = await copySite(place, await operation(context), { signing: signingBy(signer) });
      expect(copy.publicKey).toBe(signer.publicKey);

      const verifiers = await verifiersWith(context, copy.publicKey ?? "");
      const digest = copy.image?.split("@")[1] ?? "";
      for (const image of [copy.image ?? "", `${place.repository}:current`]) {
        for (const verify of Object.values(verifiers.signature)) await verify(image);
        for (const verify of Object.values(verifiers.attestation)) {
          const [provenance, sbom] = [await verify(image, TYPES[0]), await verify(image, TYPES[1])];
          expect(provenance["subject"]).toEqual([
            { name: place.repository, digest: { sha256: digest.split(":")[1] } },
          ]);
          expect(provenance["predicate"]).toMatchObject({
            buildDefinition: {
              externalParameters: {
                baseUrl: "https://service.example.com",
                domain: "docs.example.com",
                jobId: "job-1",
                version: "v1",
                base,
              },
              resolvedDependencies: [
                {
                  name: "bundle.tar.gz",
                  uri: "https://service.example.com/v1/static-export/jobs/job-1",
                  digest: { sha256: BUNDLE.sha256 },
                },
                { name: base, digest: { sha256: baseDigest.split(":")[1] } },
              ],
            },
          });
          expect(sbom["predicate"]).toMatchObject({
            bomFormat: "CycloneDX",
            metadata: { component: { type: "container", version: digest } },
            components: [
              { type: "container", name: base, version: baseDigest },
              { type: "file", name: "docs.example.com/bundle.tar.gz", version: "v1" },
            ],
          });
        }
      }
      const [signature, , provenance, sbom] = (copy.parts as { artifacts: string[] }).artifacts;
      const referrers = await referrersOf(host, "docs/site", digest);
      expect(new Set(Object.keys(referrers))).toEqual(new Set([signature, provenance, sbom]));
      // the other registry shows types of configurations instead
      if (registry.startsWith("distribution")) {
        expect(Object.values(referrers).sort()).toEqual([
          "application/vnd.dev.cosign.artifact.sig.v1+json",
          "application/vnd.in-toto+json https://cyclonedx.org/bom",
          "application/vnd.in-toto+json https://slsa.dev/provenance/v1",
        ]);
      }

      await expectRefused(await verifiersWith(context, newSigner().publicKey), copy.image ?? "");
    },
  );
});

describe("one changed byte", () => {
  /** What was changed, and which checks then fail. */
  const PARTS = {
    "the image": { at: (stored: Stored) => stored.digest, fails: "pull" },
    "a layer of the image": {
      at: (stored: Stored) => stored.layers(stored.digest).then(first),
      fails: "pull",
    },
    "the payload of the signature": {
      at: (stored: Stored) => stored.layers(stored.tag(".sig")).then(first),
      fails: "signature",
    },
    "the signature": { at: (stored: Stored) => stored.digestOf(stored.tag(".sig")), fails: "signature" },
    "the provenance": {
      at: (stored: Stored) => stored.layers(stored.tag(".att")).then(first),
      fails: "slsaprovenance1",
    },
    "the SBOM": {
      at: (stored: Stored) => stored.layers(stored.tag(".att")).then(([, each = ""]) => each),
      fails: "cyclonedx",
    },
  } as const;

  test.for(Object.entries(PARTS))(
    "in %s is refused, and the copy is no longer the same",
    async ([part, { at, fails }], context) => {
      const { host, folder } = await startRegistry(context);
      const place = { repository: `${host}/docs/site`, tag: "current" };
      const signer = newSigner();
      const copy = await copySite(place, await operation(context), { signing: signingBy(signer) });
      const image = copy.image ?? "";
      const verifiers = await verifiersWith(context, signer.publicKey);
      const pull = () => crane("validate", "--remote", image);
      await Promise.all([pull(), ...Object.values(verifiers.signature).map((verify) => verify(image))]);

      const digest = await at(new Stored(place.repository, image.split("@")[1] ?? ""));
      const [, hex = ""] = digest.split(":");
      const file = join(folder, "docker/registry/v2/blobs/sha256", hex.slice(0, 2), hex, "data");
      const bytes = await readFile(file);
      // within a text of JSON that is base64 or a name
      const position = Math.max(
        bytes.indexOf('"dev.cosignproject.cosign/signature":"') + 50,
        bytes.length >> 1,
      );
      bytes.writeUInt8(bytes.readUInt8(position) ^ 1, position);
      await writeFile(file, bytes);

      if (fails === "pull") await expect(pull(), part).rejects.toThrow();
      if (fails === "signature") {
        for (const verify of Object.values(verifiers.signature)) {
          await expect(verify(image)).rejects.toThrow();
        }
      }
      if (fails === "cyclonedx" || fails === "slsaprovenance1") {
        for (const verify of Object.values(verifiers.attestation)) {
          await expect(verify(image, fails)).rejects.toThrow();
        }
      }
      if (fails === "pull") return;
      const compared = repositoryDestination(place).compare(copy, await operation(context));
      if (part === "the signature") await expect(compared).rejects.toThrow("gave something else");
      else expect(await compared).toBe("changed");
    },
  );

  test("by somebody who may push is refused, too: only the key makes a signature", async (context) => {
    const { host } = await startRegistry(context);
    const place = { repository: `${host}/docs/site` };
    const signer = newSigner();
    const copy = await copySite(place, await operation(context), { signing: signingBy(signer) });
    const image = copy.image ?? "";
    const client = new RegistryClient(parseRepository(place.repository), await operation(context), {
      actions: "pull,push",
    });
    const top = await getManifest(client, image.split("@")[1] ?? "");
    if (top === undefined) throw new Error("the image is there");
    const stored = new Stored(place.repository, top.digest);
    const verifiers = await verifiersWith(context, signer.publicKey);

    const attestations = await readLayers(client, stored.tag(".att"));
    const forged = (attestations ?? []).map(({ layer, content }) => {
      const envelope = JSON.parse(content.toString()) as { payload: string };
      const statement = Buffer.from(envelope.payload, "base64").toString();
      const payload = Buffer.from(statement.replaceAll("docs.example.com", "evil.example.com")).toString(
        "base64",
      );
      const changed = contentOf(layer.mediaType, { ...envelope, payload });
      return { content: changed, layer: { ...layer, ...descriptorOf(changed) } };
    });
    const layers = forged.map(({ layer }) => layer);
    const rootfs = { type: "layers", diff_ids: layers.map(({ digest }) => digest) };
    const config = contentOf("application/vnd.oci.image.config.v1+json", { config: {}, rootfs });
    const manifest = manifestOf(OCI_MANIFEST, { config: descriptorOf(config), layers });
    const blobs = [config, ...forged.map(({ content }) => content)];
    await pushArtifacts(client, top, [{ manifest, blobs, tag: attestationTag(top.digest) }]);
    for (const type of TYPES) {
      for (const verify of Object.values(verifiers.attestation)) {
        await expect(verify(image, type)).rejects.toThrow();
      }
    }
    expect(await repositoryDestination(place).compare(copy, await operation(context))).toBe("changed");

    // another image with the signature of this one
    const other = await copySite(place, await operation(context), { files: { "index.html": "other" } });
    const otherDigest = other.image?.split("@")[1] ?? "";
    await crane(
      "tag",
      `${place.repository}:${stored.tag(".sig")}`,
      new Stored(place.repository, otherDigest).tag(".sig"),
    );
    for (const verify of Object.values(verifiers.signature)) {
      if (verify !== verifiers.signature["flux"]) await expect(verify(other.image ?? "")).rejects.toThrow();
    }
  });
});

test("a signature by another key, and attestations of others, stay when the copy is signed", async (context) => {
  const { host } = await startRegistry(context);
  const place = { repository: `${host}/docs/site`, tag: "current" };
  const [reviewer, publisher] = [newSigner("Ed25519"), newSigner()];
  const reviewed = await copySite(place, await operation(context), { signing: signingBy(reviewer) });
  const copy = await copySite(place, await operation(context), { signing: signingBy(publisher) });
  expect(copy.image).toBe(reviewed.image);
  for (const signer of [reviewer, publisher]) {
    const { signature, attestation } = await verifiersWith(context, signer.publicKey);
    for (const verify of Object.values(signature)) await verify(copy.image ?? "");
    for (const verify of Object.values(attestation)) await verify(copy.image ?? "", "slsaprovenance1");
  }
  expect(await repositoryDestination(place).compare(copy, await operation(context))).toBe("same");
});

test.for([
  ["the signature", ".sig"],
  ["the attestations", ".att"],
  ["the tag of its own", ""],
] as const)("a copy without %s is changed, and the next copy repairs it", async ([, suffix], context) => {
  const { host } = await startRegistry(context);
  const place = { repository: `${host}/docs/site` };
  const destination = repositoryDestination(place);
  const signing = signingBy(newSigner());
  const copy = await copySite(place, await operation(context), { signing });
  const stored = new Stored(place.repository, copy.image?.split("@")[1] ?? "");
  if (suffix !== "") {
    await crane("delete", `${place.repository}@${await stored.digestOf(stored.tag(suffix))}`);
  } else {
    await pushEmptyImage(`${place.repository}:${stored.ownTag}`);
  }
  expect(await destination.compare(copy, await operation(context))).toBe("changed");
  const repaired = await copySite(place, await operation(context), { signing });
  expect(repaired.image).toBe(copy.image);
  expect(await destination.compare(repaired, await operation(context))).toBe("same");
});

/** What a registry stores for a signed image. */
class Stored {
  readonly repository: string;
  readonly digest: string;

  constructor(repository: string, digest: string) {
    this.repository = repository;
    this.digest = digest;
  }

  /** A tag of cosign. */
  tag(suffix: string): string {
    return `${this.digest.replace(":", "-")}${suffix}`;
  }

  /** The tag of the copy itself. */
  get ownTag(): string {
    return this.tag("").slice(0, "sha256-".length + 16);
  }

  digestOf(tag: string): Promise<string> {
    return crane("digest", `${this.repository}:${tag}`);
  }

  /** The digests of the layers of a manifest. @param name tag or digest */
  async layers(name: string): Promise<string[]> {
    const manifest = await crane("manifest", `${this.repository}${name.includes(":") ? "@" : ":"}${name}`);
    return (JSON.parse(manifest) as { layers: { digest: string }[] }).layers.map(({ digest }) => digest);
  }
}

function first([each = ""]: readonly string[]): string {
  return each;
}

async function expectRefused({ signature, attestation }: Verifiers, image: string): Promise<void> {
  for (const verify of Object.values(signature)) await expect(verify(image)).rejects.toThrow();
  for (const verify of Object.values(attestation)) {
    for (const type of TYPES) await expect(verify(image, type)).rejects.toThrow();
  }
}

/** An image's referrers and the type of each: by the API, else from the list under a tag. */
async function referrersOf(host: string, path: string, digest: string): Promise<Record<string, string>> {
  const api = await fetch(`http://${host}/v2/${path}/referrers/${digest}`);
  const list = api.ok
    ? await api.json()
    : (JSON.parse(await crane("manifest", `${host}/${path}:${digest.replace(":", "-")}`)) as unknown);
  const { manifests } = list as {
    manifests: { digest: string; artifactType: string; annotations?: Record<string, string> }[];
  };
  return Object.fromEntries(
    manifests.map((each) => [
      each.digest,
      [each.artifactType, ...Object.values(each.annotations ?? {})].join(" "),
    ]),
  );
}
