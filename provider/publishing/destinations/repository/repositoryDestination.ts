import { DestinationError } from "../../../base/runtime/messages/errors";
import { firstOf } from "../../../base/runtime/messages/firstOf";
import { imageStatements, PREDICATE_TYPES } from "../../images/provenance/imageStatements";
import { describe } from "../../images/registry/content";
import { ensureContent } from "../../images/registry/ensureBlob";
import { findManifest, putManifest } from "../../images/registry/manifests";
import { missingContent } from "../../images/registry/missingContent";
import { parseRepository, pinned, repositoryName } from "../../images/registry/reference";
import {
  isSignedImage,
  pushArtifacts,
  removeReplacedArtifacts,
  signedArtifacts,
} from "../../images/signing/signedImage";
import { verifierFrom } from "../../images/signing/verifier";
import { LayerWriter } from "../../images/siteImage/layer";
import { MAX_PREVIOUS_BYTES, type PreviousLayer } from "../../images/siteImage/previousFiles";
import { annotationsOf, EMPTY_BASE, imageOnBase, indexOf } from "../../images/siteImage/siteImage";
import type { Copy, DestinationContext, DraftingDestination } from "../destination";
import { publishCopy } from "../publishCopy";
import { removedMeanwhile } from "../removedMeanwhile";
import { findImage, readImageFiles, readSiteFiles } from "./findImage";
import { ownTag } from "./imageMarkTags";
import { fileListOf, findFileList, manifestsOf, type Parts, partsOf } from "./imageParts";
import { removeImage, unknownCopies } from "./imageRemoval";
import type { RepositoryInputs } from "./inputs";
import { previousLayer } from "./previousLayer";
import { claimTag, ownerOfTag, takeTag, untag } from "./pulledTag";
import { isThere, openRepository } from "./repositoryPlace";
import { readBase, sendBlobs } from "./sendImage";

/** Copies as images in a registry's repository. @throws Error for inputs that `repositoryProblem` or `baseProblem` refuses */
export function repositoryDestination(inputs: RepositoryInputs): DraftingDestination {
  const { tag, maxPreviousBytes: maxBytes = MAX_PREVIOUS_BYTES } = inputs;
  const repository = parseRepository(inputs.repository);
  const name = repositoryName(repository);

  /**
   * Removes manifests only: the registry's garbage collection removes layers that no manifest refers to.
   *
   * @param kept none to remove everything of the owner
   */
  const remove = async (
    copies: readonly Copy[],
    kept: readonly Copy[],
    context: DestinationContext,
  ): Promise<void> => {
    const place = openRepository(inputs, context, "pull,push,delete");
    const isLast = kept.length === 0;
    const stay = new Set(kept.flatMap((copy) => partsOf(copy).manifests));
    for (const copy of [...copies, ...(isLast ? await unknownCopies(place, copies) : [])]) {
      const { manifests, artifacts } = partsOf(copy);
      const [top] = manifests;
      if (stay.has(top)) continue;
      const exists = (): Promise<boolean> => isThere(place, top);
      await place.owners.release(
        top,
        exists,
        async (others, own) => {
          await untag(place, top, others, own?.tags ?? []);
          // without a mark, they may be another's
          if (own && copy.publicKey !== undefined) {
            await removeReplacedArtifacts(place.client, top, artifacts);
          }
        },
        (proof) => removeImage(place, copy, stay, proof),
      );
    }
  };

  const destination: DraftingDestination = {
    id: name,

    publish: (wanted, context, placing) => publishCopy(destination, wanted, context, placing),

    check: (copies, context) => claimTag(openRepository(inputs, context, "pull,push"), copies),

    async begin(bundle, context, edition = bundle.sha256, earlier = []) {
      const base = await readBase(inputs, repository.host, context);
      const sink = new LayerWriter(await context.scratch(), base?.images[0], edition);
      return {
        sink,
        async publish(placing, signing) {
          const layer = await sink.end(context.signal);
          const place = openRepository(inputs, context, "pull,push");
          const { client, owners } = place;
          const isInSite = (path: string): boolean => sink.digests().has(path);
          const previous = base && (await previousLayer(place, earlier, { edition, isInSite, maxBytes }));
          const annotations = annotationsOf(bundle, base, previous);
          const images = (base?.images ?? [EMPTY_BASE]).map((each) =>
            imageOnBase(each, layer, annotations, previous),
          );
          const [only] = images;
          const top = base?.isIndex || !only ? indexOf(images, annotations) : only.manifest;
          const statements = signing && imageStatements(name, top.digest, { ...signing.origin, base });
          const artifacts = statements && (await signedArtifacts(client, top, statements, signing.signer));
          const files = await fileListOf(sink.digests());
          await sendBlobs(place, base, previous ? [previous, layer] : [layer], images);
          await ensureContent(client, files);
          const image = pinned(repository, top.digest);
          const copy = {
            sha256: edition,
            uri: image,
            image,
            ...(signing && { publicKey: signing.signer.publicKey }),
            parts: {
              manifests: manifestsOf(top.digest, images),
              ...(artifacts && { artifacts: artifacts.map(({ manifest }) => manifest.digest) }),
              files: describe(files),
              ...(previous && { previous: recorded(previous) }),
            } satisfies Parts,
          };
          placing?.(copy);
          const exists = (): Promise<boolean> => isThere(place, top.digest);
          const claim = { image: top.digest, tags: tag === undefined ? [] : [tag], files: describe(files) };
          await owners.publish(claim, exists, async () => {
            // the manifests that the index refers to come first
            for (const { manifest } of images) if (manifest !== top) await putManifest(client, manifest);
            if (artifacts) {
              // no tag points at an image that is not signed yet
              await putManifest(client, top);
              await pushArtifacts(client, top, artifacts).catch((error: unknown) => {
                throw unsigned(image, error);
              });
            }
            await putManifest(client, top, ownTag(top.digest));
            if ((await findManifest(client, ownTag(top.digest))) !== top.digest) {
              throw removedMeanwhile(image);
            }
            // last: a copy whose tag names it is whole
            await takeTag(place, top, earlier);
          });
          return copy;
        },
      };
    },

    find: (digest, context, verifier) => findImage(openRepository(inputs, context, "pull"), digest, verifier),

    async compare(copy, context) {
      const place = openRepository(inputs, context, "pull");
      const { client, owners } = place;
      const { manifests, artifacts } = partsOf(copy);
      const [top] = manifests;
      if (!(await isThere(place, top))) return "gone";
      // a signed copy gets its own tag last
      const tags = [tag, copy.publicKey && ownTag(top)].filter((each) => each !== undefined);
      for (const each of tags) if ((await findManifest(client, each)) !== top) return "changed";
      if (copy.publicKey !== undefined) {
        const signed = { predicateTypes: PREDICATE_TYPES, manifests: artifacts };
        const verifier = verifierFrom(copy.publicKey);
        if (!(await isSignedImage(client, top, signed, verifier))) return "changed";
      }
      const missing = await missingContent(client, [...manifests, ...artifacts]);
      if (missing.length > 0) {
        context.reporter.warn(
          `the registry has lost ${firstOf(missing)} of ${copy.uri}: nodes cannot pull it. The next \`pulumi up\` sends what is missing`,
        );
        return "changed";
      }
      return owners.compared(top);
    },

    async claim(copies, context) {
      const place = openRepository(inputs, context, "pull,push");
      for (const copy of copies) {
        const { manifests, files } = partsOf(copy);
        const [image] = manifests;
        if (!(await isThere(place, image))) continue;
        await place.owners.claim({ image, tags: tag === undefined ? [] : [tag], files });
        // another owner may have removed it before it had this mark
        if (!(await isThere(place, image))) throw removedMeanwhile(pinned(repository, image));
      }
    },

    ownerNow: (context) => ownerOfTag(openRepository(inputs, context, "pull")),

    async read(copy, context) {
      const place = openRepository(inputs, context, "pull");
      const [top] = partsOf(copy).manifests;
      if (!(await isThere(place, top))) return undefined;
      const files = await findFileList(place, copy);
      return files ? { files } : readImageFiles(place, top);
    },

    async readFiles(copy, wanted, context) {
      const place = openRepository(inputs, context, "pull");
      const [top] = partsOf(copy).manifests;
      if (await isThere(place, top)) await readSiteFiles(place, top, wanted);
    },

    prune: remove,

    release: (copies, context) => remove(copies, [], context),
  };
  return destination;
}

/** The failure to store the signature of an image that is in the registry. */
function unsigned(image: string, error: unknown): unknown {
  if (!(error instanceof DestinationError)) return error;
  return error.withMessage(
    `the signature of ${image} could not be stored, so no tag points at it: ${error.message}`,
  );
}

/** What the state stores of the layer. */
function recorded({ digest, size, diffId, of }: PreviousLayer): PreviousLayer {
  return { digest, size, diffId, of };
}
