import { descriptorIn, fieldsOf } from "../../../images/registry/content";
import {
  deleteManifest,
  findManifest,
  getManifest,
  type Manifest,
  type RefusedRemoval,
} from "../../../images/registry/manifests";
import { isDigest, pinned } from "../../../images/registry/reference";
import type { RegistryClient } from "../../../images/registry/client";
import { firstOf } from "../../../runtime/messages/firstOf";
import { inParallel } from "../../../runtime/concurrency/inParallel";
import type { Owner } from "../../ownership/owner";
import type { Ownership } from "../../ownership/ownership";
import { referrersOf } from "../../../images/registry/referrers";
import { listTags } from "../../../images/registry/tags";
import type { PulledTag } from "./pulledTag";
import type { RepositoryMarks } from "./repositoryMarks";
import { isMadeTag, itemOf, ownTag } from "./repositoryMarks";
import type { Copy } from "../destination";
import { removeArtifacts } from "../../../images/signing/signedImage";
import { artifactsIn, manifestsOf, type Parts } from "./imageParts";

/** How many tags are looked up concurrently. */
const TAG_LOOKS = 8;

/** A repository, for one operation. */
export interface Place {
  readonly client: RegistryClient;
  readonly marks: RepositoryMarks;
  readonly ownership: Ownership;
  readonly pulledTag: PulledTag;
}

/**
 * Removes an image that no other owner has. A manifest that a tag of others names stays, with a line that names the tag; a manifest
 * of another owner's image stays.
 */
export async function removeImage(
  { client, marks }: Place,
  copy: Copy,
  kept: ReadonlySet<string>,
): Promise<void> {
  const { reporter } = client.context;
  const [top = ""] = manifestsOf(copy);
  const needed = new Set([...kept, ...(await manifestsOfOthers(client, marks, top))]);
  const named = await foreignTags(client, manifestsOf(copy), await marks.tagsOf(itemOf(top)));
  for (const [digest, tags] of named) {
    const image = pinned(client.repository, digest);
    reporter.warn(`${image} stays, because the tag ${firstOf(tags)} names it. Remove it with that tag`);
  }
  // what owners said about their tags is of no use any more
  if (named.has(top)) return marks.forget(itemOf(top));
  // an index before the manifests that it refers to: some registries require this order
  const digests = manifestsOf(copy).filter((digest) => !needed.has(digest) && !named.has(digest));
  const removals = digests.map((digest) => () => deleteManifest(client, digest));
  // after the images: no tag points at one without its signature
  if (copy.publicKey !== undefined) removals.push(() => removeArtifacts(client, top, artifactsIn(copy)));
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
      `the registry ${client.repository.host} does not allow the removal of images: ${copy.uri} stays: ` +
        `${firstOf(left)} (${first.reason}). Remove them there, or let the registry's account delete images.`,
    );
    return;
  }
  await marks.forget(itemOf(top));
}

/** Images with the owner's mark that its state does not contain: an interrupted run left them. */
export async function unknownCopies(
  { client, marks, ownership }: Place,
  owner: Owner,
  known: readonly Copy[],
): Promise<Copy[]> {
  const items = new Set(known.map((copy) => itemOf(manifestsOf(copy)[0] ?? "")));
  const found: Copy[] = [];
  for (const item of await ownership.ownItems()) {
    if (items.has(item)) continue;
    const image = (await marks.claimOf(item, owner.id))?.image;
    if (!isDigest(image)) continue;
    const manifest = await getManifest(client, image);
    const manifests = [image, ...(manifest ? childrenOf(manifest) : [])];
    const artifacts = (await referrersOf(client, image)).flatMap((each) => descriptorIn(each)?.digest ?? []);
    const uri = pinned(client.repository, image);
    found.push({ sha256: "", uri, publicKey: "", parts: { manifests, artifacts } satisfies Parts });
  }
  return found;
}

/** The manifests of images that other owners have. */
async function manifestsOfOthers(
  client: RegistryClient,
  marks: RepositoryMarks,
  top: string,
): Promise<string[]> {
  const needed: string[] = [];
  for (const [item, owners] of await marks.all()) {
    const staying = owners.find(({ isLeaving }) => !isLeaving);
    if (staying === undefined || item === itemOf(top)) continue;
    const digest = await findManifest(client, ownTag(`sha256:${item}`));
    const manifest = digest === undefined ? undefined : await getManifest(client, digest);
    if (manifest) needed.push(manifest.digest, ...childrenOf(manifest));
  }
  return needed;
}

/** The tags that others gave to manifests, by digest. */
async function foreignTags(
  client: RegistryClient,
  digests: readonly string[],
  known: readonly string[],
): Promise<Map<string, string[]>> {
  const named = new Map<string, string[]>();
  const tags = ((await listTags(client)) ?? []).filter((tag) => !isMadeTag(tag) && !known.includes(tag));
  await inParallel(tags, TAG_LOOKS, async (tag) => {
    const digest = await findManifest(client, tag);
    if (digest !== undefined && digests.includes(digest))
      named.set(digest, [...(named.get(digest) ?? []), tag]);
  });
  return named;
}

/** The manifests that an index refers to. */
function childrenOf(index: Manifest): string[] {
  const { manifests } = fieldsOf(index.bytes);
  return (Array.isArray(manifests) ? (manifests as unknown[]) : []).flatMap((each) => {
    const child = descriptorIn(each);
    return child ? [child.digest] : [];
  });
}
