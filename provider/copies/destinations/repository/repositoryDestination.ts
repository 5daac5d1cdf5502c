import { describe, descriptorIn } from "../../../images/registry/content";
import { ensureContent } from "../../../images/registry/ensureBlob";
import { findManifest, putManifest } from "../../../images/registry/manifests";
import { parseBase, parseRepository, pinned, repositoryName } from "../../../images/registry/reference";
import { RegistryClient, type Actions } from "../../../images/registry/client";
import { Ownership, removedMeanwhile } from "../../ownership/ownership";
import { PREDICATE_TYPES } from "../../../images/provenance/imageStatements";
import { PulledTag } from "./pulledTag";
import { itemOf, ownTag, RepositoryMarks } from "./repositoryMarks";
import type { Destination, DestinationContext } from "../destination";
import { findImage, readImageFiles } from "./findImage";
import { isSignedImage, pushArtifacts, removeReplacedArtifacts } from "../../../images/signing/signedImage";
import { verifierFrom } from "../../../images/signing/verifier";
import { fileListOf, findFileList } from "./fileList";
import { artifactsOf, unsigned } from "./artifacts";
import { readBase, type BaseImage } from "./baseImage";
import type { RepositoryInputs } from "./inputs";
import { previousLayer, recorded } from "./previousLayer";
import { LayerWriter } from "../../../images/siteImage/layer";
import { MAX_PREVIOUS_BYTES } from "../../../images/siteImage/previousFiles";
import { artifactsIn, manifestsOf, type Parts } from "./imageParts";
import { removeImage, unknownCopies, type Place } from "./imageRemoval";
import { built, sendBlobs } from "./sendImage";

/** Copies as images in a registry's repository. @throws Error for inputs that `repositoryProblem` or `baseProblem` refuses */
export function repositoryDestination(inputs: RepositoryInputs): Destination {
  const { tag, plainHttp, maxPreviousBytes = MAX_PREVIOUS_BYTES } = inputs;
  const repository = parseRepository(inputs.repository);
  const baseName = inputs.base === undefined ? undefined : parseBase(inputs.base);
  const openClient = (context: DestinationContext, actions: Actions): RegistryClient =>
    new RegistryClient(repository, context, { actions, plainHttp });

  const open = (context: DestinationContext, actions: Actions): Place => {
    const client = openClient(context, actions);
    const marks = new RepositoryMarks(client);
    const ownership = new Ownership(marks, context, (item) => `${repositoryName(repository)}:sha256-${item}`);
    return { client, marks, ownership, pulledTag: new PulledTag(tag, client, marks, ownership) };
  };

  const findBase = async (context: DestinationContext): Promise<BaseImage | undefined> => {
    if (baseName === undefined) return undefined;
    const isPlain = baseName.host === repository.host && plainHttp; // other registries use TLS
    const client = new RegistryClient(baseName, context, { actions: "pull", plainHttp: isPlain });
    return readBase(baseName, client, context.reporter);
  };

  return {
    id: repositoryName(repository),

    async begin(bundle, context, edition = bundle.sha256, earlier = []) {
      const base = await findBase(context);
      const sink = new LayerWriter(await context.scratch(), base?.images[0], edition);
      return {
        sink,
        async publish(placing, signing) {
          const layer = await sink.end(context.signal);
          const { client, ownership, pulledTag } = open(context, "pull,push");
          const previous =
            base &&
            (await previousLayer(
              { client, context },
              { edition, earlier, isInSite: (path) => sink.digests().has(path), maxBytes: maxPreviousBytes },
            ));
          const { images, top } = built(bundle, base, layer, previous);
          const artifacts = signing && (await artifactsOf(client, top, base, signing));
          const files = await fileListOf(sink.digests());
          await sendBlobs(client, base, previous ? [previous, layer] : [layer], images, context);
          await ensureContent(client, files);
          const image = pinned(repository, top.digest);
          const copy = {
            sha256: edition,
            uri: image,
            image,
            ...(signing && { publicKey: signing.signer.publicKey }),
            parts: {
              manifests: [...new Set([top.digest, ...images.map(({ manifest }) => manifest.digest)])],
              ...(artifacts && { artifacts: artifacts.map(({ manifest }) => manifest.digest) }),
              files: describe(files),
              ...(previous && { previous: recorded(previous) }),
            } satisfies Parts,
          };
          placing?.(copy);
          await pulledTag.announce(top.digest, describe(files));
          const isThere = async (): Promise<boolean> =>
            (await findManifest(client, top.digest)) !== undefined;
          await ownership.publish(itemOf(top.digest), isThere, async () => {
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
            await pulledTag.take(top);
            if (!(await isThere())) throw removedMeanwhile(image);
          });
          return copy;
        },
      };
    },

    find: (digest, context, verifier) => findImage(openClient(context, "pull"), digest, context, verifier),

    async compare(copy, context) {
      const { client, ownership } = open(context, "pull");
      const [top = ""] = manifestsOf(copy);
      if ((await findManifest(client, top)) === undefined) return "gone";
      const tags = [
        ...(tag === undefined ? [] : [tag]),
        // a signed copy gets it last
        ...(copy.publicKey === undefined ? [] : [ownTag(top)]),
      ];
      for (const each of tags) if ((await findManifest(client, each)) !== top) return "changed";
      if (copy.publicKey === undefined) return ownership.compared(itemOf(top));
      const artifacts = { predicateTypes: PREDICATE_TYPES, manifests: artifactsIn(copy) };
      const isSigned = await isSignedImage(client, top, artifacts, verifierFrom(copy.publicKey));
      return isSigned ? ownership.compared(itemOf(top)) : "changed";
    },

    async mark(copies, context) {
      const { client, marks, ownership } = open(context, "pull,push");
      for (const copy of copies) {
        const [top = ""] = manifestsOf(copy);
        if ((await findManifest(client, top)) === undefined) continue;
        const files = descriptorIn(copy.parts["files"]);
        marks.describe({ image: top, tags: tag === undefined ? [] : [tag], order: 0, files });
        await ownership.claim(itemOf(top));
      }
    },

    async read(copy, context) {
      const client = openClient(context, "pull");
      const [top = ""] = manifestsOf(copy);
      if ((await findManifest(client, top)) === undefined) return undefined;
      const files = await findFileList(client, copy);
      return files ? { files } : readImageFiles(client, top, context);
    },

    /** Removes manifests only: the registry's garbage collection removes layers that no manifest refers to. */
    async remove(copies, kept, context) {
      const place = open(context, "pull,push,delete");
      const stay = new Set(kept.flatMap(manifestsOf));
      const leftover = kept.length === 0 ? await unknownCopies(place, context.owner, copies) : [];
      for (const copy of [...copies, ...leftover]) {
        const [top = ""] = manifestsOf(copy);
        if (stay.has(top)) continue;
        const exists = async (): Promise<boolean> => (await findManifest(place.client, top)) !== undefined;
        await place.ownership.release([itemOf(top)], exists, async () => {
          await place.pulledTag.giveAway(top);
          await removeImage(place, copy, stay);
        });
        if (copy.publicKey !== undefined && (await exists())) {
          await removeReplacedArtifacts(place.client, top, artifactsIn(copy));
        }
        // another owner keeps this image, but has given the tag to a later one
        if (kept.length === 0) await place.pulledTag.giveAway(top);
      }
    },
  };
}
