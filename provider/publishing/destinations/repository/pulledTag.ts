import { DestinationError } from "../../../base/runtime/messages/errors";
import { firstOf } from "../../../base/runtime/messages/firstOf";
import { findManifest, type Manifest, sendManifest } from "../../images/registry/manifests";
import { repositoryName } from "../../images/registry/reference";
import { deleteTag } from "../../images/registry/tags";
import { describeOwner } from "../../ownership/markText";
import { stackIn } from "../../ownership/owner";
import type { Copy, DestinationContext } from "../destination";
import { partsOf } from "./imageParts";
import type { FoundImageMark } from "./repositoryMarks";
import type { RepositoryPlace } from "./repositoryPlace";

// The tag that users pull, the input `tag`, belongs to one resource.

/** How often a tag is read whose image has lost its owners. */
const MOST_LOOKS = 5;
/** How many owners a message names. */
const NAMED_OWNERS = 3;
/** The first look has said it. */
const SAID = { info: () => undefined, warn: () => undefined };

/**
 * Fails if the tag is another's: it names an image that this resource did not publish.
 *
 * @param known copies of the resource
 * @param to gets a line when the tag is taken over
 * @param left what a refusal says was written
 * @throws DestinationError, unless the resource is to take it over; the signal's reason
 */
export async function claimTag(
  place: RepositoryPlace,
  known: readonly Copy[],
  to: Pick<DestinationContext["reporter"], "info" | "warn"> = place.context.reporter,
  left = "Nothing was written.",
): Promise<void> {
  const { client, context, tag } = place;
  if (tag === undefined) return;
  const found = await taggedImage(place, tag);
  if (found === undefined) return;
  const { image, marks } = found;
  const { owner, isCreate, takeOver, adopts, isDeclared } = context;
  const name = `${repositoryName(client.repository)}:${tag}`;
  const isOwn = (mark: FoundImageMark): boolean => mark.owner === owner.id;
  const isFormer = ({ owner: id, urn }: FoundImageMark): boolean => {
    if (id === adopts) return true;
    if (urn === undefined) return false;
    return urn === owner.urn ? isCreate === true : isSameStack(urn, owner.urn) && isDeclared?.(urn) === false;
  };
  const claims = (marks ?? []).filter((mark) => mark.tags.includes(tag));
  const own = claims.filter((mark) => isOwn(mark) || isFormer(mark));
  // the last claim first
  const rivals = claims
    .filter((mark) => !own.includes(mark))
    .sort((one, other) => other.writtenAtMs - one.writtenAtMs);
  const [rival] = rivals;
  const named = firstOf(
    rivals.map(({ urn }) => describeOwner(urn, "an owner whose mark of its image names no resource")),
    NAMED_OWNERS,
  );
  if (rival === undefined) {
    const isKnown =
      marks?.some(isOwn) === true || known.some((copy) => partsOf(copy).manifests.includes(image));
    if (isKnown && own.every(isOwn)) return;
    if (own.length > 0) {
      to.info(
        `${name} is taken over: its image has the mark of this resource, of one that is no longer declared, or of the one whose copy was imported`,
      );
      return;
    }
  }
  // of several owners of one image, the tag is of the one who claimed it last
  const claimedAtMs = Math.max(...own.map((mark) => mark.writtenAtMs));
  if (rival && rival.writtenAtMs < claimedAtMs) {
    to.warn(`${name} is taken over: ${named} claimed it earlier, for the same image`);
    return;
  }
  let whose =
    "names an image that this resource did not publish, and whose owners the registry does not list";
  if (rival) whose = `belongs to ${named}`;
  if (rival && rival.urn === owner.urn) whose += ", in another backend with a stack of this name";
  else if (!rival && marks) whose = "names an image that this resource did not publish";
  if (takeOver === true) {
    to.warn(`${name} ${whose}: it is taken over, because \`takeOver\` is set`);
    return;
  }
  throw new DestinationError(
    `the tag ${name} ${whose}`,
    `${left} Give this resource a \`tag\` of its own, or, if nobody else needs this one, set \`takeOver: true\`.`,
  );
}

/**
 * The image that a tag names, and its owners' marks: `undefined` if they cannot be listed. An image without owners may be one whose owner
 * has moved the tag meanwhile, and given it up: then the tag is read again.
 *
 * @returns `undefined` if there is no such tag
 */
async function taggedImage(
  { client, owners }: RepositoryPlace,
  tag: string,
): Promise<{ readonly image: string; readonly marks: readonly FoundImageMark[] | undefined } | undefined> {
  let image = await findManifest(client, tag);
  for (let looks = 1; image !== undefined; looks++) {
    const marks = await owners.marksAt(image);
    if (marks?.length !== 0 || looks === MOST_LOOKS) return { image, marks };
    const now = await findManifest(client, tag);
    if (now === image) return { image, marks };
    image = now;
  }
  return undefined;
}

const isSameStack = (urn: string, own: string | undefined): boolean =>
  own !== undefined && stackIn(urn) !== undefined && stackIn(urn) === stackIn(own);

/** The owner who claimed the tag last, by its ID: "" for none; `undefined` if that cannot be read. */
export async function ownerOfTag(place: RepositoryPlace): Promise<string | undefined> {
  const { tag } = place;
  const found = tag === undefined ? undefined : await taggedImage(place, tag);
  if (tag === undefined || found === undefined) return "";
  const claims = found.marks?.filter((mark) => mark.tags.includes(tag));
  claims?.sort((one, other) => other.writtenAtMs - one.writtenAtMs);
  return claims && (claims[0]?.owner ?? "");
}

/** How often a tag is moved that then names something else. */
const MOST_MOVES = 2;

/**
 * Moves the tag to an image, unless another resource has moved it since.
 *
 * @throws DestinationError unless the tag then names the image: the registry loses it, or another resource moved it
 */
export async function takeTag(
  place: RepositoryPlace,
  image: Manifest,
  known: readonly Copy[],
): Promise<void> {
  const { client, tag } = place;
  if (tag === undefined) return;
  for (let moves = 1; moves <= MOST_MOVES; moves++) {
    const before = await findManifest(client, tag);
    if (before === image.digest) return;
    await claimTag(place, known, SAID, "The image is there, without this tag.");
    await sendManifest(client, image, tag);
    if ((await findManifest(client, tag)) === image.digest) return;
    // lost, or moved by another resource at the same time
  }
  throw new DestinationError(
    `the registry accepted the tag ${repositoryName(client.repository)}:${tag}, and does not have it`,
    "The image is there. Run `pulumi up` again: it moves the tag. If it fails again, report it to the registry's operator.",
  );
}

/**
 * Takes the tags of this resource from an image that stays for other owners: those that name it, and that none of the others claims.
 *
 * @param others the marks of the image's other owners
 * @param given the tags that the resource gave to the image, by its mark: earlier ones among them
 */
export async function untag(
  { client, context, tag }: RepositoryPlace,
  image: string,
  others: readonly FoundImageMark[],
  given: readonly string[],
): Promise<void> {
  const own = new Set([...(tag === undefined ? [] : [tag]), ...given]);
  for (const each of own) {
    const isClaimed = others.some((mark) => mark.tags.includes(each));
    const isGone =
      isClaimed || (await findManifest(client, each)) !== image || (await deleteTag(client, each));
    if (isGone) continue;
    context.reporter.warn(
      `the tag ${repositoryName(client.repository)}:${each} stays, because the registry does not remove tags. Remove it there`,
    );
  }
}
