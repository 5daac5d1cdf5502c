import { findManifest, getManifest, putManifest, type Manifest } from "../../../images/registry/manifests";
import { repositoryName } from "../../../images/registry/reference";
import type { Descriptor } from "../../../images/registry/content";
import type { Mark } from "../../ownership/marks";
import { itemOf, type TagClaim } from "./repositoryMarks";
import type { RepositoryPlace } from "./repositoryPlace";

// The tag that users pull, the input `tag`, belongs to the owner who published last.

/** Prepares the mark at an image that is published now: it says that its owner takes the tag. */
export async function announceTag(place: RepositoryPlace, image: string, files: Descriptor): Promise<void> {
  const { marks, tag } = place;
  const before = await taggedImage(place);
  const item = before === undefined || before === image ? undefined : itemOf(before);
  const claims = item === undefined ? [] : await claimsOf(place, item, (await marks.list(item)) ?? []);
  const order = 1 + Math.max(0, ...claims.map((claim) => claim.order));
  marks.describe({ image, tags: tag === undefined ? [] : [tag], order, files });
}

/** Moves the tag to an image. A warning names the other owners of the image that it named. */
export async function takeTag(place: RepositoryPlace, image: Manifest): Promise<void> {
  const { client, context, ownership, tag } = place;
  if (tag === undefined) return;
  const before = await taggedImage(place);
  if (before !== undefined && before !== image.digest) {
    const others = await ownership.otherOwners(itemOf(before));
    if (others !== undefined) {
      const name = `${repositoryName(client.repository)}:${tag}`;
      context.reporter.warn(
        `${name} was a copy of ${others}: it is this copy now. Give each resource a tag or a repository of its own`,
      );
    }
  }
  await putManifest(client, image, tag);
}

/** Moves the tag from an image that its owner leaves to the newest image that another owner gave this tag. */
export async function giveTagAway(place: RepositoryPlace, image: string): Promise<void> {
  const { client, marks, tag } = place;
  if (tag === undefined || (await taggedImage(place)) !== image) return;
  const heirs: TagClaim[] = [];
  for (const [item, all] of await marks.all()) {
    const staying = all.filter(({ isLeaving }) => !isLeaving);
    heirs.push(...(await claimsOf(place, item, staying)).filter(({ tags }) => tags.includes(tag)));
  }
  for (const heir of heirs.sort((one, other) => other.order - one.order)) {
    if (heir.image === image) return;
    const manifest = await getManifest(client, heir.image);
    if (manifest) return putManifest(client, manifest, tag);
  }
}

/** What owners of an image say about its tags. */
async function claimsOf(
  { marks }: RepositoryPlace,
  item: string,
  owners: readonly Mark[],
): Promise<TagClaim[]> {
  const claims = await Array.fromAsync(owners, ({ owner }) => marks.claimOf(item, owner)); // one after the other
  return claims.filter((claim) => claim !== undefined);
}

async function taggedImage({ client, tag }: RepositoryPlace): Promise<string | undefined> {
  return tag === undefined ? undefined : findManifest(client, tag);
}
