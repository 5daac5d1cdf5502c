import { join } from "node:path";
import { fileBlob } from "../../../images/registry/blobs";
import { descriptorIn, fieldsOf, type Blob } from "../../../images/registry/content";
import { downloadBlob } from "../../../images/registry/download";
import { ensureBlob, ensureContent } from "../../../images/registry/ensureBlob";
import {
  deleteManifest,
  findManifest,
  getManifest,
  putManifest,
  type Manifest,
  type RefusedRemoval,
} from "../../../images/registry/manifests";
import {
  isDigest,
  parseBase,
  parseRepository,
  pinned,
  repositoryName,
} from "../../../images/registry/reference";
import { RegistrySession, type Actions } from "../../../images/registry/session";
import { TransferProgress } from "../../../images/registry/transferProgress";
import { DestinationError } from "../../../runtime/messages/errors";
import { firstOf } from "../../../runtime/messages/firstOf";
import { inParallel } from "../../../runtime/concurrency/inParallel";
import type { Owner } from "../../ownership/owner";
import { Ownership, removedMeanwhile } from "../../ownership/ownership";
import { PREDICATE_TYPES } from "../../../images/provenance/imageStatements";
import { referrersOf } from "../../../images/registry/referrers";
import { listTags } from "../../../images/registry/tags";
import { PulledTag } from "./pulledTag";
import { isMadeTag, itemOf, ownTag, RepositoryMarks } from "./repositoryMarks";
import type { Bundle } from "../../../site/inspection/bundle";
import type { Copy, Destination, DestinationContext } from "../destination";
import { findImage, readImageFiles } from "./findImage";
import {
  isSignedImage,
  pushArtifacts,
  removeArtifacts,
  removeReplacedArtifacts,
} from "../../../images/signing/signedImage";
import { verifierFrom } from "../../../images/signing/verifier";
import { artifactsOf, unsigned } from "./artifacts";
import { readBase, type BaseImage } from "./baseImage";
import type { RepositoryInputs } from "./inputs";
import { previousLayer, recorded } from "./previousLayer";
import { compressedPath, LayerWriter } from "../../../images/siteImage/layer";
import type { Layer } from "../../../images/siteImage/layerTar";
import { MAX_PREVIOUS_BYTES, type PreviousLayer } from "../../../images/siteImage/previousFiles";
import {
  annotationsOf,
  EMPTY_BASE,
  imageOnBase,
  indexOf,
  type BuiltImage,
} from "../../../images/siteImage/siteImage";

/** What the state stores of a copy. */
interface Parts {
  /** The digests of all its manifests, first the one that users pull. */
  readonly manifests: readonly string[];
  /** The digests of the manifests of its signature and attestations, if it is signed. */
  readonly artifacts?: readonly string[];
  /** Its layer with files of the version before, if it has one. */
  readonly previous?: PreviousLayer;
}

/** How many tags are looked up concurrently. */
const TAG_LOOKS = 8;

/** Copies as images in a registry's repository. @throws Error for inputs that `repositoryProblem` or `baseProblem` refuses */
export function repositoryDestination(inputs: RepositoryInputs): Destination {
  const { tag, plainHttp, maxPreviousBytes = MAX_PREVIOUS_BYTES } = inputs;
  const repository = parseRepository(inputs.repository);
  const baseName = inputs.base === undefined ? undefined : parseBase(inputs.base);
  const openSession = (context: DestinationContext, actions: Actions): RegistrySession =>
    new RegistrySession(repository, context, { actions, plainHttp });

  const open = (context: DestinationContext, actions: Actions): Place => {
    const session = openSession(context, actions);
    const marks = new RepositoryMarks(session);
    const ownership = new Ownership(marks, context, (item) => `${repositoryName(repository)}:sha256-${item}`);
    return { session, marks, ownership, pulledTag: new PulledTag(tag, session, marks, ownership) };
  };

  const findBase = async (context: DestinationContext): Promise<BaseImage | undefined> => {
    if (baseName === undefined) return undefined;
    const isPlain = baseName.host === repository.host && plainHttp; // other registries use TLS
    const session = new RegistrySession(baseName, context, { actions: "pull", plainHttp: isPlain });
    return readBase(baseName, session, context.reporter);
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
          const { session, ownership, pulledTag } = open(context, "pull,push");
          const previous =
            base &&
            (await previousLayer(
              { session, context },
              { edition, earlier, isInSite: (path) => sink.has(path), maxBytes: maxPreviousBytes },
            ));
          const { images, top } = built(bundle, base, layer, previous);
          const artifacts = signing && (await artifactsOf(session, top, base, signing));
          await sendBlobs(session, base, previous ? [previous, layer] : [layer], images, context);
          const image = pinned(repository, top.digest);
          const copy = {
            sha256: edition,
            uri: image,
            image,
            ...(signing && { publicKey: signing.signer.publicKey }),
            parts: {
              manifests: [...new Set([top.digest, ...images.map(({ manifest }) => manifest.digest)])],
              ...(artifacts && { artifacts: artifacts.map(({ manifest }) => manifest.digest) }),
              ...(previous && { previous: recorded(previous) }),
            } satisfies Parts,
          };
          placing?.(copy);
          await pulledTag.announce(top.digest);
          const isThere = async (): Promise<boolean> =>
            (await findManifest(session, top.digest)) !== undefined;
          await ownership.publish(itemOf(top.digest), isThere, async () => {
            // the manifests that the index refers to come first
            for (const { manifest } of images) if (manifest !== top) await putManifest(session, manifest);
            if (artifacts) {
              // no tag points at an image that is not signed yet
              await putManifest(session, top);
              await pushArtifacts(session, top, artifacts).catch((error: unknown) => {
                throw unsigned(image, error);
              });
            }
            await putManifest(session, top, ownTag(top.digest));
            await pulledTag.take(top);
            if (!(await isThere())) throw removedMeanwhile(image);
          });
          return copy;
        },
      };
    },

    find: (digest, context, verifier) => findImage(openSession(context, "pull"), digest, context, verifier),

    async compare(copy, context) {
      const { session, ownership } = open(context, "pull");
      const [top = ""] = manifestsOf(copy);
      if ((await findManifest(session, top)) === undefined) return "gone";
      const tags = [
        ...(tag === undefined ? [] : [tag]),
        // a signed copy gets it last
        ...(copy.publicKey === undefined ? [] : [ownTag(top)]),
      ];
      for (const each of tags) if ((await findManifest(session, each)) !== top) return "changed";
      if (copy.publicKey === undefined) return ownership.compared(itemOf(top));
      const artifacts = { predicateTypes: PREDICATE_TYPES, manifests: artifactsIn(copy) };
      const isSigned = await isSignedImage(session, top, artifacts, verifierFrom(copy.publicKey));
      return isSigned ? ownership.compared(itemOf(top)) : "changed";
    },

    async mark(copies, context) {
      const { session, marks, ownership } = open(context, "pull,push");
      for (const copy of copies) {
        const [top = ""] = manifestsOf(copy);
        if ((await findManifest(session, top)) === undefined) continue;
        marks.describe({ image: top, tags: tag === undefined ? [] : [tag], order: 0 });
        await ownership.claim(itemOf(top));
      }
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
      const place = open(context, "pull,push,delete");
      const stay = new Set(kept.flatMap(manifestsOf));
      const leftover = kept.length === 0 ? await unknownCopies(place, context.owner, copies) : [];
      for (const copy of [...copies, ...leftover]) {
        const [top = ""] = manifestsOf(copy);
        if (stay.has(top)) continue;
        const exists = async (): Promise<boolean> => (await findManifest(place.session, top)) !== undefined;
        await place.ownership.release([itemOf(top)], exists, async () => {
          await place.pulledTag.giveAway(top);
          await removeImage(place, copy, stay);
        });
        if (copy.publicKey !== undefined && (await exists())) {
          await removeReplacedArtifacts(place.session, top, artifactsIn(copy));
        }
        // another owner keeps this image, but has given the tag to a later one
        if (kept.length === 0) await place.pulledTag.giveAway(top);
      }
    },
  };
}

/** A repository, for one operation. */
interface Place {
  readonly session: RegistrySession;
  readonly marks: RepositoryMarks;
  readonly ownership: Ownership;
  readonly pulledTag: PulledTag;
}

/**
 * Removes an image that no other owner has. A manifest that a tag of others names stays, with a line that names the tag; a manifest
 * of another owner's image stays.
 */
async function removeImage({ session, marks }: Place, copy: Copy, kept: ReadonlySet<string>): Promise<void> {
  const { reporter } = session.context;
  const [top = ""] = manifestsOf(copy);
  const needed = new Set([...kept, ...(await manifestsOfOthers(session, marks, top))]);
  const named = await foreignTags(session, manifestsOf(copy), await marks.tagsOf(itemOf(top)));
  for (const [digest, tags] of named) {
    const image = pinned(session.repository, digest);
    reporter.warn(`${image} stays, because the tag ${firstOf(tags)} names it. Remove it with that tag`);
  }
  // what owners said about their tags is of no use any more
  if (named.has(top)) return marks.forget(itemOf(top));
  // an index before the manifests that it refers to: some registries require this order
  const digests = manifestsOf(copy).filter((digest) => !needed.has(digest) && !named.has(digest));
  const removals = digests.map((digest) => () => deleteManifest(session, digest));
  // after the images: no tag points at one without its signature
  if (copy.publicKey !== undefined) removals.push(() => removeArtifacts(session, top, artifactsIn(copy)));
  const refusals: RefusedRemoval[] = [];
  for (const remove of removals) {
    const refused = await remove();
    if (refused) refusals.push(refused);
    if (refused?.isGeneral === true) break;
  }
  const [first] = refusals;
  if (first !== undefined) {
    const left = refusals.some(({ isGeneral }) => isGeneral) ? digests : refusals.map(({ digest }) => digest);
    reporter.warn(
      `the registry ${session.repository.host} does not allow the removal of images: ${copy.uri} stays: ` +
        `${firstOf(left)} (${first.reason}). Remove them there, or let the registry's account delete images.`,
    );
    return;
  }
  await marks.forget(itemOf(top));
}

/** Images with the owner's mark that its state does not contain: an interrupted run left them. */
async function unknownCopies(
  { session, marks, ownership }: Place,
  owner: Owner,
  known: readonly Copy[],
): Promise<Copy[]> {
  const items = new Set(known.map((copy) => itemOf(manifestsOf(copy)[0] ?? "")));
  const found: Copy[] = [];
  for (const item of await ownership.ownItems()) {
    if (items.has(item)) continue;
    const image = (await marks.claimOf(item, owner.id))?.image;
    if (!isDigest(image)) continue;
    const manifest = await getManifest(session, image);
    const manifests = [image, ...(manifest ? childrenOf(manifest) : [])];
    const artifacts = (await referrersOf(session, image)).flatMap((each) => descriptorIn(each)?.digest ?? []);
    const uri = pinned(session.repository, image);
    found.push({ sha256: "", uri, publicKey: "", parts: { manifests, artifacts } satisfies Parts });
  }
  return found;
}

/** The manifests of images that other owners have. */
async function manifestsOfOthers(
  session: RegistrySession,
  marks: RepositoryMarks,
  top: string,
): Promise<string[]> {
  const needed: string[] = [];
  for (const [item, owners] of await marks.all()) {
    const staying = owners.find(({ isLeaving }) => !isLeaving);
    if (staying === undefined || item === itemOf(top)) continue;
    const digest = await findManifest(session, ownTag(`sha256:${item}`));
    const manifest = digest === undefined ? undefined : await getManifest(session, digest);
    if (manifest) needed.push(manifest.digest, ...childrenOf(manifest));
  }
  return needed;
}

/** The tags that others gave to manifests, by digest. */
async function foreignTags(
  session: RegistrySession,
  digests: readonly string[],
  known: readonly string[],
): Promise<Map<string, string[]>> {
  const named = new Map<string, string[]>();
  const tags = ((await listTags(session)) ?? []).filter((tag) => !isMadeTag(tag) && !known.includes(tag));
  await inParallel(tags, TAG_LOOKS, async (tag) => {
    const digest = await findManifest(session, tag);
    if (digest !== undefined && digests.includes(digest))
      named.set(digest, [...(named.get(digest) ?? []), tag]);
  });
  return named;
}

/** The images for all platforms, and the manifest of a single one or the index of several. */
function built(
  bundle: Bundle,
  base: BaseImage | undefined,
  layer: Layer,
  previous: PreviousLayer | undefined,
): { images: BuiltImage[]; top: Manifest } {
  const annotations = annotationsOf(bundle, base, previous);
  const bases = base?.images ?? [EMPTY_BASE];
  const images = bases.map((each) => imageOnBase(each, layer, annotations, previous));
  const [first] = images;
  return { images, top: base?.isIndex || !first ? indexOf(images, annotations) : first.manifest };
}

/**
 * Ensures that the repository has all blobs: those of the base, the site and the configurations.
 *
 * @param added the layers above the base. One without a file is in the repository already
 */
async function sendBlobs(
  session: RegistrySession,
  base: BaseImage | undefined,
  added: readonly (Layer | PreviousLayer)[],
  images: readonly BuiltImage[],
  context: DestinationContext,
): Promise<void> {
  const ofBase = new Map(
    (base?.images ?? []).flatMap(({ layers }) => layers).map((each) => [each.digest, each]),
  );
  const progress = new TransferProgress(context, "uploading", [...ofBase.values(), ...added]);
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
  for (const layer of added) {
    if ("path" in layer) await ensure(layer, { source: () => fileBlob(layer.path, layer) });
    else progress.found(layer);
  }
  for (const { config } of images) await ensureContent(session, config);
}

/** The manifests that an index refers to. */
function childrenOf(index: Manifest): string[] {
  const { manifests } = fieldsOf(index.bytes);
  return (Array.isArray(manifests) ? (manifests as unknown[]) : []).flatMap((each) => {
    const child = descriptorIn(each);
    return child ? [child.digest] : [];
  });
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
