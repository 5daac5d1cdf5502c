import { descriptorIn, listIn } from "../../../images/registry/content";
import {
  deleteManifest,
  findManifest,
  getManifest,
  type Manifest,
  type RefusedRemoval,
} from "../../../images/registry/manifests";
import { isDigest, pinned } from "../../../images/registry/reference";
import { firstOf } from "../../../runtime/messages/firstOf";
import { inParallel } from "../../../runtime/concurrency/inParallel";
import { referrersOf } from "../../../images/registry/referrers";
import { listTags } from "../../../images/registry/tags";
import { isMadeTag, itemOf, ownTag } from "./repositoryMarks";
import type { Copy } from "../destination";
import { removeArtifacts } from "../../../images/signing/signedImage";
import { partsOf, type Parts } from "./imageParts";
import type { RepositoryPlace } from "./repositoryPlace";

/** How many tags are looked up concurrently. */
const TAG_LOOKS = 8;

/**
 * Removes an image that no other owner has. A manifest that a tag of others names stays, with a line that names the tag; a manifest
 * of another owner's image stays.
 */
export async function removeImage(
  place: RepositoryPlace,
  copy: Copy,
  kept: ReadonlySet<string>,
): Promise<void> {
  const { client, context, marks } = place;
  const { manifests, artifacts } = partsOf(copy);
  const [top] = manifests;
  const needed = new Set([...kept, ...(await manifestsOfOthers(place, top))]);
  const named = await foreignTags(place, manifests);
  for (const [digest, tags] of named) {
    const image = pinned(client.repository, digest);
    context.reporter.warn(
      `${image} stays, because the tag ${firstOf(tags)} names it. Remove it with that tag`,
    );
  }
  // what owners said about their tags is of no use any more
  if (named.has(top)) return marks.forget(itemOf(top));
  // an index before the manifests that it refers to: some registries require this order
  const digests = manifests.filter((digest) => !needed.has(digest) && !named.has(digest));
  const removals = digests.map((digest) => () => deleteManifest(client, digest));
  // after the images: no tag points at one without its signature
  if (copy.publicKey !== undefined) removals.push(() => removeArtifacts(client, top, artifacts));
  const refusals: RefusedRemoval[] = [];
  for (const remove of removals) {
    const refused = await remove();
    if (refused) refusals.push(refused);
    if (refused?.isGeneral === true) break;
  }
  const [first] = refusals;
  if (first === undefined) return marks.forget(itemOf(top));
  const left = refusals.some(({ isGeneral }) => isGeneral) ? digests : refusals.map(({ digest }) => digest);
  context.reporter.warn(
    `the registry ${client.repository.host} does not allow the removal of images: ${copy.uri} stays: ` +
      `${firstOf(left)} (${first.reason}). Remove them there, or let the registry's account delete images.`,
  );
}

/** Images with the owner's mark that its state does not contain: an interrupted run left them. */
export async function unknownCopies(
  { client, context, marks, ownership }: RepositoryPlace,
  known: readonly Copy[],
): Promise<Copy[]> {
  const items = new Set(known.map((copy) => itemOf(partsOf(copy).manifests[0])));
  const found: Copy[] = [];
  for (const item of await ownership.ownItems()) {
    const image = items.has(item) ? undefined : (await marks.claimOf(item, context.owner.id))?.image;
    if (!isDigest(image)) continue;
    const manifest = await getManifest(client, image);
    const artifacts = (await referrersOf(client, image)).flatMap((each) => descriptorIn(each)?.digest ?? []);
    const parts: Parts = { manifests: [image, ...childrenOf(manifest)], artifacts };
    found.push({ sha256: "", uri: pinned(client.repository, image), publicKey: "", parts: { ...parts } });
  }
  return found;
}

/** The manifests of images that other owners have. */
async function manifestsOfOthers({ client, marks }: RepositoryPlace, top: string): Promise<string[]> {
  const needed: string[] = [];
  for (const [item, owners] of await marks.all()) {
    if (item === itemOf(top) || owners.every(({ isLeaving }) => isLeaving)) continue;
    const digest = await findManifest(client, ownTag(`sha256:${item}`));
    const manifest = digest === undefined ? undefined : await getManifest(client, digest);
    if (manifest) needed.push(manifest.digest, ...childrenOf(manifest));
  }
  return needed;
}

/** The tags that others gave to the manifests of an image, by digest. */
async function foreignTags(
  { client, marks }: RepositoryPlace,
  manifests: Parts["manifests"],
): Promise<Map<string, string[]>> {
  const known = await marks.tagsOf(itemOf(manifests[0]));
  const named = new Map<string, string[]>();
  const tags = ((await listTags(client)) ?? []).filter((tag) => !isMadeTag(tag) && !known.has(tag));
  await inParallel(tags, TAG_LOOKS, async (tag) => {
    const digest = await findManifest(client, tag);
    if (digest !== undefined && manifests.includes(digest))
      named.set(digest, [...(named.get(digest) ?? []), tag]);
  });
  return named;
}

/** The manifests that an index refers to. */
function childrenOf(index: Manifest | undefined): string[] {
  return listIn(index?.bytes, "manifests").flatMap((each) => descriptorIn(each)?.digest ?? []);
}
