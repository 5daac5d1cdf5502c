import { join } from "node:path";
import { fileBlob } from "../../registry/blobs";
import type { Blob } from "../../registry/content";
import { downloadBlob } from "../../registry/download";
import { ensureBlob, ensureContent } from "../../registry/ensureBlob";
import {
  deleteManifest,
  findManifest,
  putManifest,
  type Manifest,
  type RefusedRemoval,
} from "../../registry/manifests";
import { isDigest, parseBase, parseRepository, pinned, repositoryName } from "../../registry/reference";
import { RegistrySession, type Actions } from "../../registry/session";
import { TransferProgress } from "../../registry/transferProgress";
import { DestinationError } from "../../messages/errors";
import { firstOf } from "../../messages/firstOf";
import type { Bundle } from "../../archive/bundle";
import type { Copy, Destination, DestinationContext } from "../destination";
import { findImage, readImageFiles } from "./findImage";
import { isSignedImage, pushArtifacts, removeArtifacts } from "../../signing/signedImage";
import { verifierFrom } from "../../signing/verifier";
import { artifactsOf, PREDICATE_TYPES, unsigned } from "./artifacts";
import { readBase, type BaseImage } from "./baseImage";
import type { RepositoryInputs } from "./inputs";
import { compressedPath, LayerWriter, type Layer } from "../../siteImage/layer";
import { annotationsOf, EMPTY_BASE, imageOnBase, indexOf, type BuiltImage } from "../../siteImage/siteImage";

/** What the state stores of a copy. */
interface Parts {
  /** The digests of all its manifests, first the one that users pull. */
  readonly manifests: readonly string[];
  /** The digests of the manifests of its signature and attestations, if it is signed. */
  readonly artifacts?: readonly string[];
}

/** Number of digits of the digest in the tag of a copy. */
const TAG_DIGITS = 16;

/** Copies as images in a registry's repository. @throws Error for inputs that `repositoryProblem` or `baseProblem` refuses */
export function repositoryDestination(inputs: RepositoryInputs): Destination {
  const { tag, plainHttp } = inputs;
  const repository = parseRepository(inputs.repository);
  const baseName = inputs.base === undefined ? undefined : parseBase(inputs.base);
  const openSession = (context: DestinationContext, actions: Actions): RegistrySession =>
    new RegistrySession(repository, context, { actions, plainHttp });

  const findBase = async (context: DestinationContext): Promise<BaseImage | undefined> => {
    if (baseName === undefined) return undefined;
    const isPlain = baseName.host === repository.host && plainHttp; // other registries use TLS
    const session = new RegistrySession(baseName, context, { actions: "pull", plainHttp: isPlain });
    return readBase(baseName, session, context.reporter);
  };

  return {
    id: repositoryName(repository),

    async begin(bundle, context, edition = bundle.sha256) {
      const base = await findBase(context);
      const sink = new LayerWriter(await context.scratch(), base?.images[0], edition);
      return {
        sink,
        async publish(placing, signing) {
          const layer = await sink.end(context.signal);
          const session = openSession(context, "pull,push");
          const { images, top } = built(bundle, base, layer);
          const artifacts = signing && (await artifactsOf(session, top, base, signing));
          await sendBlobs(session, base, layer, images, context);
          const image = pinned(repository, top.digest);
          const copy = {
            sha256: edition,
            uri: image,
            image,
            ...(signing && { publicKey: signing.signer.publicKey }),
            parts: {
              manifests: [...new Set([top.digest, ...images.map(({ manifest }) => manifest.digest)])],
              ...(artifacts && { artifacts: artifacts.map(({ manifest }) => manifest.digest) }),
            } satisfies Parts,
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
          if (tag !== undefined) await putManifest(session, top, tag);
          return copy;
        },
      };
    },

    find: (digest, context, verifier) => findImage(openSession(context, "pull"), digest, context, verifier),

    async compare(copy, context) {
      const session = openSession(context, "pull");
      const [top = ""] = manifestsOf(copy);
      if ((await findManifest(session, top)) === undefined) return "gone";
      const tags = [
        ...(tag === undefined ? [] : [tag]),
        // a signed copy gets it last
        ...(copy.publicKey === undefined ? [] : [ownTag(top)]),
      ];
      for (const each of tags) if ((await findManifest(session, each)) !== top) return "changed";
      if (copy.publicKey === undefined) return "same";
      const artifacts = { predicateTypes: PREDICATE_TYPES, manifests: artifactsIn(copy) };
      const isSigned = await isSignedImage(session, top, artifacts, verifierFrom(copy.publicKey));
      return isSigned ? "same" : "changed";
    },

    async read(copy, context) {
      const session = openSession(context, "pull");
      const [top = ""] = manifestsOf(copy);
      if ((await findManifest(session, top)) === undefined) return undefined;
      const files = await readImageFiles(session, top, context);
      const derived = [...files.keys()].map(compressedPath).filter((path) => files.has(path));
      return { files, derived: new Set(derived) };
    },

    /** Removes manifests only: the registry's garbage collection removes layers that no manifest refers to. */
    async remove(copies, kept, context) {
      const session = openSession(context, "pull,delete");
      const needed = new Set(kept.flatMap(manifestsOf));
      // an index before the manifests that it refers to: some registries require this order
      const digests = new Set(copies.flatMap(manifestsOf).filter((digest) => !needed.has(digest)));
      const removals = [...digests].map((digest) => () => deleteManifest(session, digest));
      // after the images: no tag points at one without its signature
      for (const copy of copies) {
        const [top = ""] = manifestsOf(copy);
        if (copy.publicKey === undefined || needed.has(top)) continue;
        removals.push(() => removeArtifacts(session, top, artifactsIn(copy)));
      }
      const refusals: RefusedRemoval[] = [];
      for (const [at, remove] of removals.entries()) {
        const refused = await remove();
        if (refused === undefined) continue;
        refusals.push(refused);
        if (!refused.isGeneral) continue;
        const rest = [...digests].slice(at + 1);
        refusals.push(...rest.map((digest) => ({ ...refused, digest })));
        break;
      }
      const [first] = refusals;
      if (first === undefined) return;
      context.reporter.warn(
        `the registry ${repository.host} does not allow the removal of images: old copies stay in ${repositoryName(repository)}: ` +
          `${firstOf(refusals.map(({ digest }) => digest))} (${first.reason}). Remove them there, or let the registry's account delete images.`,
      );
    },
  };
}

/** The tag of a copy's own, which spares it from the registry's garbage collection. */
function ownTag(digest: string): string {
  return `sha256-${digest.slice("sha256:".length).slice(0, TAG_DIGITS)}`;
}

/** The images for all platforms, and the manifest of a single one or the index of several. */
function built(
  bundle: Bundle,
  base: BaseImage | undefined,
  layer: Layer,
): { images: BuiltImage[]; top: Manifest } {
  const annotations = annotationsOf(bundle, base);
  const bases = base?.images ?? [EMPTY_BASE];
  const images = bases.map((each) => imageOnBase(each, layer, annotations));
  const [first] = images;
  return { images, top: base?.isIndex || !first ? indexOf(images, annotations) : first.manifest };
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
