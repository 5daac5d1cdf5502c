import { inParallel } from "../../../base/runtime/concurrency/inParallel";
import { DestinationError } from "../../../base/runtime/messages/errors";
import { firstOf } from "../../../base/runtime/messages/firstOf";
import { annotationsIn, descriptorIn, listIn } from "../../images/registry/content";
import {
  deleteManifest,
  findManifest,
  getManifest,
  type Manifest,
  type RefusedRemoval,
} from "../../images/registry/manifests";
import { pinned } from "../../images/registry/reference";
import { referrersOf } from "../../images/registry/referrers";
import { removeArtifacts } from "../../images/signing/signedImage";
import { BUNDLE_LABEL } from "../../images/siteImage/siteImage";
import type { Copy } from "../destination";
import { isMadeTag, itemOf, ownTag } from "./imageMarkTags";
import type { OnlyOwner } from "./imageOwners";
import { type Parts, partsOf } from "./imageParts";
import { untag } from "./pulledTag";
import type { RepositoryPlace } from "./repositoryPlace";

/** How many tags are looked up concurrently. */
const TAG_LOOKS = 8;

/**
 * Removes an image that no other owner has. A manifest that a tag of others names stays, with a line that names the tag; a manifest
 * of another owner's image stays.
 *
 * @returns whether no manifest is left that the registry refuses to remove
 */
export async function removeImage(
  place: RepositoryPlace,
  copy: Copy,
  kept: ReadonlySet<string>,
  proof: OnlyOwner,
): Promise<boolean> {
  const { client, context } = place;
  const { manifests, artifacts } = partsOf(copy);
  const [top] = manifests;
  const needed = new Set([...kept, ...(await manifestsOfOthers(place, top, proof))]);
  const named = await foreignTags(place, manifests, proof);
  for (const [digest, tags] of named) {
    const image = pinned(client.repository, digest);
    context.reporter.warn(
      `${image} stays, because the tag ${firstOf(tags)} names it. Remove it with that tag`,
    );
  }
  if (named.has(top)) {
    await untag(place, top, [], proof.given);
    return true;
  }
  // an index before the manifests that it refers to: some registries require this order
  const digests = manifests.filter((digest) => !needed.has(digest) && !named.has(digest));
  const tags = [ownTag(top), ...proof.given, ...(place.tag === undefined ? [] : [place.tag])];
  const removals = digests.map((digest) => () => deleteManifest(client, digest, tags));
  // after the images: no tag points at one without its signature
  if (copy.publicKey !== undefined) removals.push(() => removeArtifacts(client, top, artifacts));
  const refusals: RefusedRemoval[] = [];
  for (const remove of removals) {
    if (!(await proof.isStillSo())) {
      throw new DestinationError(
        `${copy.uri} is published by another resource while it is removed`,
        "What is left of it stays. Run `pulumi up` for that resource: it completes the image.",
      );
    }
    const refused = await remove();
    if (refused) refusals.push(refused);
    if (refused?.isGeneral === true) break;
  }
  const [first] = refusals;
  if (first === undefined) return true;
  const left = refusals.some(({ isGeneral }) => isGeneral) ? digests : refusals.map(({ digest }) => digest);
  context.reporter.warn(
    `the registry ${client.repository.host} does not remove images: ${copy.uri} stays, with its mark: ` +
      `${firstOf(left)} (${first.reason}). Remove them there, or let the registry's account delete images.`,
  );
  return false;
}

/** Images with the owner's mark that its state does not contain: an interrupted run left them. Only copies of this package. */
export async function unknownCopies(
  { client, owners }: RepositoryPlace,
  known: readonly Copy[],
): Promise<Copy[]> {
  const items = new Set(known.map((copy) => itemOf(partsOf(copy).manifests[0])));
  const found: Copy[] = [];
  for (const { item, image } of await owners.ownMarks()) {
    if (items.has(item) || image === undefined) continue;
    const manifest = await getManifest(client, image);
    const children = childrenOf(manifest);
    // anybody who may push can write a mark of this owner that names any image
    if (manifest && !(await isCopy(client, manifest, children))) continue;
    const artifacts = (await referrersOf(client, image)).flatMap((each) => descriptorIn(each)?.digest ?? []);
    const parts: Parts = { manifests: [image, ...children], artifacts };
    found.push({ sha256: "", uri: pinned(client.repository, image), publicKey: "", parts: { ...parts } });
  }
  return found;
}

async function isCopy(
  client: RepositoryPlace["client"],
  top: Manifest,
  children: readonly string[],
): Promise<boolean> {
  const [child] = children;
  const manifest =
    annotationsIn(top.bytes)[BUNDLE_LABEL] !== undefined || !child ? top : await getManifest(client, child);
  return manifest !== undefined && annotationsIn(manifest.bytes)[BUNDLE_LABEL] !== undefined;
}

/** The manifests of images that other owners have. @throws DestinationError when the registry does not say which */
async function manifestsOfOthers(
  { client, owners }: RepositoryPlace,
  top: string,
  { tags }: OnlyOwner,
): Promise<string[]> {
  const needed: string[] = [];
  for (const { item, image } of await owners.othersBeside(top, tags)) {
    const digest = image ?? (await findManifest(client, ownTag(`sha256:${item}`)));
    const manifest = digest === undefined ? undefined : await getManifest(client, digest);
    if (manifest) needed.push(manifest.digest, ...childrenOf(manifest));
  }
  return needed;
}

/** The tags that others gave to the manifests of an image, by digest. */
async function foreignTags(
  { client, tag: own }: RepositoryPlace,
  manifests: Parts["manifests"],
  { tags: all, given }: OnlyOwner,
): Promise<Map<string, string[]>> {
  const named = new Map<string, string[]>();
  const tags = all.filter((tag) => !isMadeTag(tag) && tag !== own && !given.includes(tag));
  await inParallel(tags, TAG_LOOKS, async (tag) => {
    const digest = await findManifest(client, tag);
    if (digest !== undefined && manifests.includes(digest)) {
      named.set(digest, [...(named.get(digest) ?? []), tag]);
    }
  });
  return named;
}

/** The manifests that an index refers to. */
function childrenOf(index: Manifest | undefined): string[] {
  return listIn(index?.bytes, "manifests").flatMap((each) => descriptorIn(each)?.digest ?? []);
}
