import { digestOf, sha256In } from "../../base/runtime/values/digest";
import {
  annotationsIn,
  attestationTag,
  descriptorIn,
  imageStatements,
  isSignatureOf,
  listIn,
  makeArtifacts,
  opened,
  type Origin,
  type ReadLayer,
  readLayersOf,
  signatureTag,
  type Signer,
} from "../../publishing/index";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { KitBlob } from "./blobStore";
import { repositoryInKit } from "./chartValues";
import type { KitImage } from "./kitImage";
import { BLOBS, INDEX, NAME_ANNOTATION } from "./ociLayout";

/** The signature of a kit's image, or a signed document about it. */
export type KitArtifact = Awaited<ReturnType<typeof signSite>>["artifacts"][number];

/**
 * Signs the site's image as the image of a copy is signed. `load.sh` puts the signature beside the image: a cluster that admits only
 * signed images then runs it. The signature names the repository as the kit does, because the target is not known yet.
 *
 * @param existing folder of a kit with the same content: what the key signed there is not signed again
 */
export async function signSite(site: KitImage, origin: Origin, signer: Signer, existing: string) {
  const { digest } = site.top;
  const [repository = ""] = site.name.split(":");
  const nameOf = (tag: string): string => `${repository}:${tag}`;
  const kept = await signedIn(existing, digest, nameOf, signer);
  const image = { name: repositoryInKit(site.name), manifest: site.top };
  const statements = imageStatements(image.name, digest, origin);
  const artifacts = makeArtifacts(image, statements, signer, kept).map((each) => ({
    ...each,
    /** The digest of the image. */
    subject: digest,
    ...(each.tag !== undefined && { name: nameOf(each.tag) }),
  }));
  const contents = new Map<string, Buffer>();
  for (const { layer, content } of [...kept.signatures, ...kept.attestations]) {
    contents.set(layer.digest, content);
  }
  for (const { manifest, blobs } of artifacts) {
    for (const each of [manifest, ...blobs]) contents.set(each.digest, each.bytes);
  }
  return { artifacts, contents };
}

/** Writes them into a kit. @returns the blobs that it has then, in the order of their digests */
export async function writeArtifacts(
  kit: string,
  contents: ReadonlyMap<string, Buffer>,
  blobs: readonly KitBlob[],
): Promise<KitBlob[]> {
  const all = new Map(blobs.map((blob) => [blob.digest, blob]));
  for (const [digest, bytes] of contents) {
    await writeFile(join(kit, BLOBS, sha256In(digest)), bytes);
    all.set(digest, { digest, size: bytes.length, inEarlierKit: undefined });
  }
  return [...all.values()].sort((one, other) => (one.digest < other.digest ? -1 : 1));
}

/** What a key signed about an image in a kit: one signature, and the documents. Nothing of others, and nothing damaged. */
async function signedIn(kit: string, digest: string, nameOf: (tag: string) => string, signer: Signer) {
  const signatures = await layersNamed(kit, nameOf(signatureTag(digest)));
  const attestations = await layersNamed(kit, nameOf(attestationTag(digest)));
  return {
    signatures: signatures.filter((each) => isSignatureOf(digest, each, signer)).slice(0, 1),
    attestations: attestations.filter(({ content }) => opened(content, signer) !== undefined),
  };
}

async function layersNamed(kit: string, name: string): Promise<ReadLayer[]> {
  const manifests = listIn(await bytesAt(join(kit, INDEX)), "manifests");
  const entry = manifests.find((each) => annotationsIn(each)[NAME_ANNOTATION] === name);
  const manifest = await blobIn(kit, descriptorIn(entry)?.digest);
  return manifest ? readLayersOf(manifest, ({ digest }) => blobIn(kit, digest)) : [];
}

async function blobIn(kit: string, digest: string | undefined): Promise<Buffer | undefined> {
  if (digest === undefined) return undefined;
  const bytes = await bytesAt(join(kit, BLOBS, sha256In(digest)));
  return bytes && digestOf(bytes) === digest ? bytes : undefined;
}

/** The kit there may be missing or damaged: then everything is signed again. */
const bytesAt = (path: string): Promise<Buffer | undefined> => readFile(path).catch(() => undefined);
