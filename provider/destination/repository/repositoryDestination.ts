import { join } from "node:path";
import { fileBlob } from "../../registry/blobs";
import type { Blob } from "../../registry/content";
import { downloadBlob } from "../../registry/download";
import { ensureBlob, ensureContent } from "../../registry/ensureBlob";
import { deleteManifest, findManifest, putManifest, type Manifest } from "../../registry/manifests";
import {
  isDigest,
  parseBase,
  parseRepository,
  pinned,
  repositoryName,
  type Reference,
  type Repository,
} from "../../registry/reference";
import { RegistrySession, type Actions } from "../../registry/session";
import { TransferProgress } from "../../registry/transferProgress";
import { DestinationError } from "../../messages/errors";
import type { Bundle } from "../../archive/bundle";
import type { Copy, CopyContent, Destination, DestinationContext, Draft, Signing } from "../destination";
import { findImage, readImageFiles } from "./findImage";
import { isSignedImage, pushArtifacts, removeArtifacts } from "../../signing/signedImage";
import { verifierFrom } from "../../signing/verifier";
import { artifactsOf, PREDICATE_TYPES, unsigned } from "./artifacts";
import { readBase, type BaseImage } from "./baseImage";
import type { RepositoryInputs } from "./inputs";
import { compressedPath, LayerWriter, type Layer } from "../../siteImage/layer";
import {
  annotationsOf,
  imageOfSite,
  imageOnBase,
  indexOf,
  SITE_ROOT,
  WEB_ROOT,
  type BuiltImage,
} from "../../siteImage/siteImage";

/** What the state stores of a copy. */
interface Parts {
  /** The digests of all its manifests, first the one that users pull. */
  readonly manifests: readonly string[];
  /** The digests of the manifests of its signature and attestations, if it is signed. */
  readonly artifacts?: readonly string[];
}

/** Number of digits of the digest in the tag of a copy. */
const TAG_DIGITS = 16;

/** The inputs, parsed. */
interface Target extends Pick<RepositoryInputs, "tag" | "plainHttp"> {
  readonly repository: Repository;
  readonly base: Reference | undefined;
}

/** Copies as images in a registry's repository. @throws Error for inputs that `repositoryProblem` or `baseProblem` refuses */
export function repositoryDestination({ repository, base, ...options }: RepositoryInputs): Destination {
  const target: Target = {
    ...options,
    repository: parseRepository(repository),
    base: base === undefined ? undefined : parseBase(base),
  };
  return {
    id: repositoryName(target.repository),
    begin: (bundle, context, edition = bundle.sha256) => begin(target, { bundle, edition }, context),
    find: (digest, context, verifier) =>
      findImage(sessionWith(target, context, "pull"), digest, context, verifier),
    compare: (copy, context) => compare(target, copy, context),
    read: (copy, context) => readSite(sessionWith(target, context, "pull"), copy, context),
    remove: (copies, kept, context) => remove(target, copies, kept, context),
  };
}

function sessionWith(target: Target, context: DestinationContext, actions: Actions): RegistrySession {
  return new RegistrySession(target.repository, context, { actions, plainHttp: target.plainHttp });
}

async function baseOf(
  { base, repository, plainHttp }: Target,
  context: DestinationContext,
): Promise<BaseImage | undefined> {
  if (base === undefined) return undefined;
  const options = { actions: "pull", plainHttp: base.host === repository.host && plainHttp } as const; // other registries use TLS
  return readBase(base, new RegistrySession(base, context, options), context.reporter);
}

/** What an image is made of: a bundle, and the digits that identify the content. */
interface Content {
  readonly bundle: Bundle;
  readonly edition: string;
}

async function begin(target: Target, content: Content, context: DestinationContext): Promise<Draft> {
  const base = await baseOf(target, context);
  const layer = new LayerWriter(
    await context.scratch(),
    base ? WEB_ROOT : SITE_ROOT,
    base !== undefined,
    content.edition,
  );
  return {
    sink: layer,
    publish: async (placing, signing) =>
      publish(target, content, base, await layer.end(context.signal), context, { placing, signing }),
  };
}

async function publish(
  target: Target,
  { bundle, edition }: Content,
  base: BaseImage | undefined,
  layer: Layer,
  context: DestinationContext,
  { placing, signing }: { placing?: ((copy: Copy) => void) | undefined; signing?: Signing | undefined },
): Promise<Copy> {
  const session = sessionWith(target, context, "pull,push");
  const { images, index } = built(bundle, base, layer);
  const top = index ?? images[0]?.manifest;
  if (top === undefined) throw new Error("an image is made of each platform, and there is at least one");
  const artifacts = signing && (await artifactsOf(session, top, base, signing));
  await sendBlobs(session, base, layer, images, context);
  const image = pinned(target.repository, top.digest);
  const parts: Parts = {
    manifests: [...new Set([top.digest, ...images.map(({ manifest }) => manifest.digest)])],
    ...(artifacts && { artifacts: artifacts.map(({ manifest }) => manifest.digest) }),
  };
  const copy = {
    sha256: edition,
    uri: image,
    image,
    ...(signing && { publicKey: signing.signer.publicKey }),
    parts: { ...parts },
  };
  // the manifests that the index refers to come first
  for (const { manifest } of images) {
    if (manifest === top) continue;
    await putManifest(session, manifest);
    placing?.(copy);
  }
  if (artifacts) {
    // no tag points at an image that is not signed yet
    await putManifest(session, top);
    placing?.(copy);
    await pushArtifacts(session, top, artifacts).catch((error: unknown) => {
      throw unsigned(image, error);
    });
  }
  await putManifest(session, top, ownTag(top.digest));
  placing?.(copy);
  if (target.tag !== undefined) await putManifest(session, top, target.tag);
  return copy;
}

/** The tag of a copy's own, which spares it from the registry's garbage collection. */
function ownTag(digest: string): string {
  return `sha256-${digest.slice("sha256:".length).slice(0, TAG_DIGITS)}`;
}

function built(
  bundle: Bundle,
  base: BaseImage | undefined,
  layer: Layer,
): { images: BuiltImage[]; index?: Manifest } {
  const annotations = annotationsOf(bundle, base);
  if (base === undefined) return { images: [imageOfSite(layer, annotations)] };
  const images = base.images.map((each) => ({ base: each, ...imageOnBase(each, layer, annotations) }));
  return { images, ...(base.isIndex && { index: indexOf(images, annotations) }) };
}

/** Ensures that the repository has all blobs: those of the base, the site and the configurations. */
async function sendBlobs(
  session: RegistrySession,
  base: BaseImage | undefined,
  layer: Layer,
  images: readonly BuiltImage[],
  context: DestinationContext,
): Promise<void> {
  const ofBase = new Map(
    (base?.images ?? []).flatMap(({ layers }) => layers).map((each) => [each.digest, each]),
  );
  const progress = new TransferProgress(context, "uploading", [...ofBase.values(), layer]);
  const ensure = async (blob: Blob, options: Parameters<typeof ensureBlob>[2]): Promise<void> => {
    const moved = (bytes: number): void => progress.moved(blob, bytes);
    if ((await ensureBlob(session, blob, { ...options, moved })) !== "sent") progress.found(blob);
  };
  const sameRegistry = base?.session.repository.host === session.repository.host;
  for (const blob of ofBase.values()) {
    const file = join(await context.scratch(), blob.digest.replace(":", "-"));
    await ensure(blob, {
      mountFrom: sameRegistry ? base.session.repository.path : undefined,
      source: async () => {
        if (base) await downloadBlob(base.session, blob, file);
        return fileBlob(file, blob);
      },
    });
  }
  await ensure(layer, { source: () => fileBlob(layer.path, layer) });
  for (const { config } of images) await ensureContent(session, config);
}

async function compare(
  target: Target,
  copy: Copy,
  context: DestinationContext,
): Promise<"same" | "changed" | "gone"> {
  const session = sessionWith(target, context, "pull");
  const [top = ""] = manifestsOf(copy);
  if ((await findManifest(session, top)) === undefined) return "gone";
  const tags = [
    ...(target.tag === undefined ? [] : [target.tag]),
    // a signed copy gets it last
    ...(copy.publicKey === undefined ? [] : [ownTag(top)]),
  ];
  for (const tag of tags) if ((await findManifest(session, tag)) !== top) return "changed";
  if (copy.publicKey === undefined) return "same";
  const artifacts = { predicateTypes: PREDICATE_TYPES, manifests: artifactsIn(copy) };
  return (await isSignedImage(session, top, artifacts, verifierFrom(copy.publicKey))) ? "same" : "changed";
}

async function readSite(
  session: RegistrySession,
  copy: Copy,
  context: DestinationContext,
): Promise<CopyContent | undefined> {
  const [top = ""] = manifestsOf(copy);
  if ((await findManifest(session, top)) === undefined) return undefined;
  const files = await readImageFiles(session, top, context);
  return { files, derived: new Set([...files.keys()].map(compressedPath).filter((path) => files.has(path))) };
}

/** Removes manifests only: the registry's garbage collection removes layers that no manifest refers to. */
async function remove(
  target: Target,
  copies: readonly Copy[],
  kept: readonly Copy[],
  context: DestinationContext,
): Promise<void> {
  const session = sessionWith(target, context, "pull,delete");
  const needed = new Set(kept.flatMap(manifestsOf));
  // an index before the manifests that it refers to: some registries require this order
  const digests = new Set(copies.flatMap(manifestsOf).filter((digest) => !needed.has(digest)));
  const signatures = copies.flatMap((copy) => {
    const [top = ""] = manifestsOf(copy);
    return copy.publicKey === undefined || needed.has(top) ? [] : [{ top, manifests: artifactsIn(copy) }];
  });
  const removals = [
    ...[...digests].map((digest) => () => deleteManifest(session, digest)),
    // after the images: no tag points at one without its signature
    ...signatures.map(
      ({ top, manifests }) =>
        () =>
          removeArtifacts(session, top, manifests),
    ),
  ];
  for (const remove of removals) {
    if ((await remove()) !== "unsupported") continue;
    context.reporter.warn(
      `the registry ${target.repository.host} does not allow the removal of images: old copies stay in ${repositoryName(target.repository)}`,
    );
    return;
  }
}

/** @throws DestinationError when the copy is not one in a registry */
function manifestsOf({ uri, parts }: Copy): readonly string[] {
  const { manifests } = parts as Partial<Parts>;
  if (!Array.isArray(manifests) || manifests.length === 0 || !manifests.every(isDigest)) {
    throw new DestinationError(
      `the state does not list the manifests of ${uri}`,
      "Run `pulumi up` with another `version`: it makes a new copy.",
    );
  }
  return manifests;
}

function artifactsIn({ parts }: Copy): readonly string[] {
  const { artifacts } = parts as Partial<Parts>;
  return Array.isArray(artifacts) ? artifacts.filter(isDigest) : [];
}
