import { createHash } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import type { RegistryClient } from "../../../../../provider/publishing/images/registry/client.ts";
import type { Manifest } from "../../../../../provider/publishing/images/registry/manifests.ts";
import { type Artifact, readLayers } from "../../../../../provider/publishing/images/signing/artifacts.ts";
import { opened } from "../../../../../provider/publishing/images/signing/envelope.ts";
import type { Attestation } from "../../../../../provider/publishing/images/signing/makeArtifacts.ts";
import {
  findArtifacts,
  isSignedImage,
  pushArtifacts,
  removeArtifacts,
  removeReplacedArtifacts,
  signedArtifacts,
} from "../../../../../provider/publishing/images/signing/signedImage.ts";
import { openRegistryClient } from "../../../../simulation/registryClient.ts";
import { type RegistryStub, startRegistryStub } from "../../../../simulation/registryStub.ts";
import { newSigner } from "../../../../simulation/signedImage.ts";

const OCI_MANIFEST = "application/vnd.oci.image.manifest.v1+json";
const OCI_INDEX = "application/vnd.oci.image.index.v1+json";
const IMAGE = manifestWith({ schemaVersion: 2, mediaType: OCI_MANIFEST, layers: [] });
const TAG = IMAGE.digest.replace(":", "-");
const MATERIALS = "https://example.com/materials";
const PROVENANCE = "https://example.com/provenance";

const signer = newSigner();
let registry: RegistryStub;
let client: RegistryClient;
beforeEach(async (context) => {
  registry = await startRegistryStub(context);
  client = openRegistryClient(registry, "pull,push");
  store(IMAGE);
});

const ATTESTATIONS = [attestation(MATERIALS), attestation(PROVENANCE)];
const KINDS = { predicateTypes: [MATERIALS, PROVENANCE] };

/** Signs the image and stores all. */
async function sign(by = signer, attestations: readonly Attestation[] = ATTESTATIONS): Promise<Artifact[]> {
  const artifacts = await signedArtifacts(client, IMAGE, attestations, by);
  await pushArtifacts(client, IMAGE, artifacts);
  return artifacts;
}

test("the artifacts are those of cosign's specification, and referrers of the image", async () => {
  const [signature, attestations, ...referrers] = await signedArtifacts(client, IMAGE, ATTESTATIONS, signer);
  const subject = { mediaType: OCI_MANIFEST, digest: IMAGE.digest, size: IMAGE.bytes.length };

  const payload = JSON.stringify({
    critical: {
      identity: { "docker-reference": `${registry.host}/docs/site` },
      image: { "docker-manifest-digest": IMAGE.digest },
      type: "cosign container image signature",
    },
    optional: null,
  });
  const sig = layersOf(signature)[0]?.annotations?.["dev.cosignproject.cosign/signature"] ?? "";
  expect(signer.verify(Buffer.from(payload), Buffer.from(sig, "base64"))).toBe(true);
  const payloadLayer = {
    ...described("application/vnd.dev.cosign.simplesigning.v1+json", payload),
    annotations: { "dev.cosignproject.cosign/signature": sig },
  };
  const config = configOf([payloadLayer]);
  expectArtifact(
    signature,
    {
      schemaVersion: 2,
      mediaType: OCI_MANIFEST,
      artifactType: "application/vnd.dev.cosign.artifact.sig.v1+json",
      config: described("application/vnd.oci.image.config.v1+json", config),
      layers: [payloadLayer],
      subject,
    },
    [config, payload],
  );
  expect(signature?.tag).toBe(`${TAG}.sig`);

  const envelopes = attestations?.blobs.slice(1).map(({ bytes }) => bytes) ?? [];
  expect(envelopes.map((each) => opened(each, signer))).toEqual(
    ATTESTATIONS.map((statement) => Buffer.from(JSON.stringify(statement))),
  );
  const layers = envelopes.map((envelope, index) => ({
    ...described("application/vnd.dsse.envelope.v1+json", envelope),
    annotations: {
      "dev.cosignproject.cosign/signature": "",
      predicateType: KINDS.predicateTypes[index],
    },
  }));
  const attestationsConfig = configOf(layers);
  expectArtifact(
    attestations,
    {
      schemaVersion: 2,
      mediaType: OCI_MANIFEST,
      config: described("application/vnd.oci.image.config.v1+json", attestationsConfig),
      layers,
    },
    [attestationsConfig, ...envelopes],
  );
  expect(attestations?.tag).toBe(`${TAG}.att`);
  expect(attestations).not.toHaveProperty("referrer");

  expect(referrers).toHaveLength(2);
  referrers.forEach((referrer, index) => {
    const envelope = envelopes[index] ?? "";
    expectArtifact(
      referrer,
      {
        schemaVersion: 2,
        mediaType: OCI_MANIFEST,
        artifactType: "application/vnd.in-toto+json",
        config: described("application/vnd.oci.empty.v1+json", "{}"),
        layers: [described("application/vnd.dsse.envelope.v1+json", envelope)],
        subject,
        annotations: { "in-toto.io/predicate-type": KINDS.predicateTypes[index] },
      },
      ["{}", envelope],
    );
    expect(referrer).not.toHaveProperty("tag");
  });
  expect([signature, ...referrers].map((each) => each?.referrer)).toEqual(
    [signature, ...referrers].map((each) => {
      const { artifactType, annotations } = contentOf(each);
      const size = each?.manifest.bytes.length;
      const entry = { mediaType: OCI_MANIFEST, digest: each?.manifest.digest, size, artifactType };
      return annotations === undefined ? entry : { ...entry, annotations };
    }),
  );
  expect(signature?.referrer).not.toHaveProperty("annotations");
});

test("what is stored is found again, and a second run signs and sends nothing", async () => {
  const artifacts = await sign();
  const digests = artifacts.map(({ manifest }) => manifest.digest);
  for (const { manifest, blobs, tag } of artifacts) {
    expect(registry.manifests.get(manifest.digest)?.body).toEqual(manifest.bytes);
    if (tag !== undefined) expect(registry.manifests.get(tag)?.body).toEqual(manifest.bytes);
    for (const { digest, bytes } of blobs) expect(registry.blobs.get(digest)).toEqual(bytes);
  }
  expect(listed()).toEqual(artifacts.flatMap(({ referrer }) => (referrer ? [referrer] : [])));
  expect(await isSignedImage(client, IMAGE.digest, { ...KINDS, manifests: digests }, signer)).toBe(true);
  expect(await findArtifacts(client, IMAGE.digest, KINDS.predicateTypes, signer)).toEqual(digests);

  registry.requests.length = 0;
  const again = await sign();
  expect(again.map(({ manifest }) => manifest.digest)).toEqual(digests);
  expect(registry.requests.filter((request) => /^(PUT|POST|PATCH) /.test(request))).toEqual([]);
});

test("signatures and attestations of others stay; an earlier statement of the same kind by the same key is replaced", async () => {
  const reviewer = newSigner();
  await sign(reviewer);
  const review = "https://example.com/review";
  await sign(signer, [attestation(MATERIALS, "earlier"), attestation(review)]);
  await sign();

  const signatures = (await readLayers(client, `${TAG}.sig`)) ?? [];
  expect(signatures).toHaveLength(2);
  const attestations = (await readLayers(client, `${TAG}.att`)) ?? [];
  const statementsBy = (by: typeof signer): string[] =>
    attestations.flatMap(({ content }) => opened(content, by)?.toString() ?? []);
  const both = ATTESTATIONS.map((statement) => JSON.stringify(statement));
  expect(statementsBy(reviewer)).toEqual(both);
  expect(statementsBy(signer)).toEqual([JSON.stringify(attestation(review)), ...both]);
  for (const by of [reviewer, signer]) {
    expect(await isSignedImage(client, IMAGE.digest, { ...KINDS, manifests: [] }, by)).toBe(true);
  }
  expect(await isSignedImage(client, IMAGE.digest, { ...KINDS, manifests: [] }, newSigner())).toBe(false);
});

describe("an image is not signed by the key", () => {
  const isSigned = (manifests: readonly string[] = []): Promise<boolean> =>
    isSignedImage(client, IMAGE.digest, { ...KINDS, manifests }, signer);
  const found = (): Promise<string[] | undefined> =>
    findArtifacts(client, IMAGE.digest, KINDS.predicateTypes, signer);

  test("without a signature, or without attestations", async () => {
    expect([await isSigned(), await found()]).toEqual([false, undefined]);
    await sign();
    registry.manifests.delete(`${TAG}.att`);
    expect([await isSigned(), await found()]).toEqual([false, undefined]);
    await sign();
    registry.manifests.delete(`${TAG}.sig`);
    expect([await isSigned(), await found()]).toEqual([false, undefined]);
  });

  test("with an attestation of one kind only", async () => {
    await sign(signer, [attestation(PROVENANCE)]);
    expect([await isSigned(), await found()]).toEqual([false, undefined]);
  });

  test.each([
    ["another image", [{ digest: { sha256: "2".repeat(64) } }]],
    ["no image", []],
    ["what is no list", {}],
    ["what has no digest", [{}, null]],
  ])("with an attestation about %s", async (_, subject) => {
    await sign(signer, [attestation(MATERIALS), attestation(PROVENANCE, "", subject)]);
    expect([await isSigned(), await found()]).toEqual([false, undefined]);
  });

  test("while one of its manifests is missing, or the image is", async () => {
    const digests = (await sign()).map(({ manifest }) => manifest.digest);
    const [last = ""] = digests.slice(-1);
    const manifest = registry.manifests.get(last);
    registry.manifests.delete(last);
    expect([await isSigned(digests), await found()]).toEqual([false, undefined]);
    if (manifest) registry.manifests.set(last, manifest);
    expect([await isSigned(digests), await found()]).toEqual([true, digests]);
    registry.manifests.delete(IMAGE.digest);
    expect(await found()).toBeUndefined();
  });
});

test("an attestation about several images is one about each", async () => {
  const subject = [{ digest: { sha256: "2".repeat(64) } }, { digest: { sha256: IMAGE.digest.slice(7) } }];
  await sign(signer, [attestation(MATERIALS, "", subject)]);
  const only = { predicateTypes: [MATERIALS], manifests: [] };
  expect(await isSignedImage(client, IMAGE.digest, only, signer)).toBe(true);
});

test("a removal removes the tags, the list and all manifests, and finds nothing the second time", async () => {
  const digests = (await sign()).map(({ manifest }) => manifest.digest);
  expect(await removeArtifacts(client, IMAGE.digest, digests)).toBeUndefined();
  expect([...registry.manifests.keys()]).toEqual([IMAGE.digest]);
  registry.requests.length = 0;
  expect(await removeArtifacts(client, IMAGE.digest, [])).toBeUndefined();
  expect(registry.requests.filter((request) => request.startsWith("DELETE"))).toEqual([]);
});

test("what another owner of the image replaced goes when its owner leaves, the rest with the image", async () => {
  const digests = (await sign()).map(({ manifest }) => manifest.digest);
  await sign(signer, [attestation(MATERIALS, "another"), attestation(PROVENANCE)]);
  const before = [...registry.manifests.keys()];
  expect(await removeReplacedArtifacts(client, IMAGE.digest, digests)).toBeUndefined();
  const left = [...registry.manifests.keys()];
  expect(before.filter((key) => !left.includes(key))).toEqual([digests[1]]);
  expect(await isSignedImage(client, IMAGE.digest, { ...KINDS, manifests: [] }, signer)).toBe(true);
  // the last owner knows only its own
  expect(await removeArtifacts(client, IMAGE.digest, [])).toBeUndefined();
  const referrersLeft = [...registry.manifests.keys()].filter((key) => digests.includes(key));
  expect(referrersLeft).toEqual([]);
});

test("a registry that allows no removal is asked once", async () => {
  const digests = (await sign()).map(({ manifest }) => manifest.digest);
  registry.refusesRemoval = true;
  registry.requests.length = 0;
  expect(await removeArtifacts(client, IMAGE.digest, digests)).toMatchObject({ isGeneral: true });
  expect(registry.requests.filter((request) => request.startsWith("DELETE"))).toHaveLength(1);
});

describe("layers", () => {
  const content = Buffer.from("content");
  const layer = described("text/plain", content);

  beforeEach(() => registry.blobs.set(layer.digest, content));

  const read = (layers: unknown): Promise<unknown> => {
    store(manifestWith({ schemaVersion: 2, mediaType: OCI_MANIFEST, layers }), "tag");
    return readLayers(client, "tag");
  };

  test("are read with their content and those annotations that are texts", async () => {
    expect(await read([layer, { ...layer, annotations: { a: "b", c: 1 } }])).toEqual([
      { layer, content },
      { layer: { ...layer, annotations: { a: "b" } }, content },
    ]);
    const [first] = (await read([{ ...layer, annotations: {} }])) as [{ layer: object }];
    expect(first.layer).not.toHaveProperty("annotations");
  });

  test.each([
    ["is null", null],
    ["has a type that is no text", { ...layer, mediaType: 1 }],
    ["has a digest that is none", { ...layer, digest: "content" }],
    ["has a size that is no whole number", { ...layer, size: 1.5 }],
    ["has content that the registry lacks", { ...layer, digest: `sha256:${"0".repeat(64)}` }],
  ])("are left out when one %s", async (_, odd) => {
    expect(await read([odd, layer])).toEqual([{ layer, content }]);
  });

  test("are none where the tag has no list of them", async () => {
    registry.requests.length = 0;
    expect(await read({})).toEqual([]);
    expect(await read(undefined)).toEqual([]);
    expect(registry.requests.filter((request) => request.includes("/blobs/"))).toEqual([]);
    expect(await readLayers(client, "missing")).toBeUndefined();
  });
});

function attestation(
  predicateType: string,
  predicate = "",
  subject: unknown = [{ digest: { sha256: IMAGE.digest.slice(7) } }],
): Attestation & { readonly subject: unknown; readonly predicate: string } {
  return { predicateType, subject, predicate };
}

interface Described {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly annotations?: Readonly<Record<string, string | undefined>>;
}

function described(mediaType: string, content: string | Buffer): Described {
  const bytes = Buffer.from(content as string);
  return { mediaType, digest: digestOf(bytes), size: bytes.length };
}

function configOf(layers: readonly Described[]): string {
  const rootfs = { type: "layers", diff_ids: layers.map(({ digest }) => digest) };
  return JSON.stringify({ architecture: "", os: "", config: {}, rootfs });
}

function contentOf(artifact: Artifact | undefined): Record<string, unknown> {
  return JSON.parse(artifact?.manifest.bytes.toString() ?? "{}") as Record<string, unknown>;
}

const layersOf = (artifact: Artifact | undefined): Described[] =>
  contentOf(artifact)["layers"] as Described[];

function expectArtifact(
  artifact: Artifact | undefined,
  manifest: object,
  blobs: readonly (string | Buffer)[],
): void {
  expect(contentOf(artifact)).toEqual(manifest);
  expect(artifact?.manifest.digest).toBe(digestOf(artifact?.manifest.bytes ?? Buffer.alloc(0)));
  expect(artifact?.manifest.mediaType).toBe(OCI_MANIFEST);
  expect(artifact?.blobs).toEqual(
    blobs.map((content): unknown =>
      expect.objectContaining({ bytes: Buffer.from(content as string), digest: digestOf(content) }),
    ),
  );
}

function listed(): unknown[] {
  const { type, body } = registry.manifests.get(TAG) ?? { type: "", body: Buffer.from("{}") };
  expect(type).toBe(OCI_INDEX);
  return (JSON.parse(body.toString()) as { manifests: unknown[] }).manifests;
}

function manifestWith(content: object): Manifest {
  const bytes = Buffer.from(JSON.stringify(content));
  return { digest: digestOf(bytes), mediaType: OCI_MANIFEST, bytes };
}

function store({ digest, mediaType, bytes }: Manifest, name = digest): void {
  registry.manifests.set(name, { type: mediaType, body: bytes });
}

function digestOf(content: string | Buffer): string {
  return `sha256:${createHash("sha256").update(content).digest("hex")}`;
}
