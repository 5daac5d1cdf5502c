import { DestinationError } from "../../../base/runtime/messages/errors";
import { findManifest, type Manifest, putManifest } from "../../images/registry/manifests";
import { repositoryName } from "../../images/registry/reference";
import { deleteTag } from "../../images/registry/tags";
import { describeOwner, stackIn } from "../../ownership/owner";
import type { Copy } from "../destination";
import { partsOf } from "./imageParts";
import type { FoundMark } from "./repositoryMarks";
import type { RepositoryPlace } from "./repositoryPlace";

// The tag that users pull, the input `tag`, belongs to one resource.

/**
 * Fails if the tag is another's: it names an image that this resource did not publish.
 *
 * @param known copies of the resource
 * @throws DestinationError, unless the resource is to take it over; the signal's reason
 */
export async function claimTag(place: RepositoryPlace, known: readonly Copy[]): Promise<void> {
  const { client, context, owners, tag } = place;
  if (tag === undefined) return;
  const image = await findManifest(client, tag);
  if (image === undefined) return;
  const { owner, isCreate, takeOver, isDeclared } = context;
  const name = `${repositoryName(client.repository)}:${tag}`;
  const marks = await owners.marksAt(image);
  const own = marks?.find((mark) => mark.owner === owner.id);
  const rivals = (marks ?? []).filter((mark) => mark.owner !== owner.id && mark.tags.includes(tag));
  const isKnown = own !== undefined || known.some((copy) => partsOf(copy).manifests.includes(image));
  if (rivals.length === 0 && isKnown) return;
  // of several owners of one image, the tag is of the one who claimed it last
  if (own?.tags.includes(tag) === true && rivals.every((mark) => mark.writtenAtMs < own.writtenAtMs)) {
    const former = describeOwner(rivals[0]?.urn, "of its image");
    context.reporter.warn(`${name} is taken over: ${former} claimed it earlier, for the same image`);
    return;
  }
  const isFormer = (urn: string | undefined): boolean =>
    urn !== undefined &&
    (urn === owner.urn ? isCreate === true : isSameStack(urn, owner.urn) && isDeclared?.(urn) === false);
  const [rival] = rivals.filter(({ urn }) => !isFormer(urn));
  if (rivals.length > 0 && rival === undefined) {
    context.reporter.info(
      `${name} is taken over: its image has the mark of this resource or of one that is no longer declared`,
    );
    return;
  }
  let whose =
    "names an image that this resource did not publish, and whose owners the registry does not list";
  if (rival) whose = `belongs to ${describeOwner(rival.urn, "of its image")}`;
  if (rival && rival.urn === owner.urn) whose += ", in another backend with a stack of this name";
  else if (!rival && marks) whose = "names an image that this resource did not publish";
  if (takeOver === true) {
    context.reporter.warn(`${name} ${whose}: it is taken over, because \`takeOver\` is set`);
    return;
  }
  throw new DestinationError(
    `the tag ${name} ${whose}`,
    "Nothing was written. Give this resource a `tag` of its own, or, if nobody else needs this one, set `takeOver: true`.",
  );
}

const isSameStack = (urn: string, own: string | undefined): boolean =>
  own !== undefined && stackIn(urn) !== undefined && stackIn(urn) === stackIn(own);

/** Moves the tag to an image, unless another resource has moved it since. */
export async function takeTag(
  place: RepositoryPlace,
  image: Manifest,
  known: readonly Copy[],
): Promise<void> {
  const { client, tag } = place;
  if (tag === undefined || (await findManifest(client, tag)) === image.digest) return;
  await claimTag(place, known);
  await putManifest(client, image, tag);
}

/**
 * Takes the tag from an image that stays for other owners, if it names it, none of them claims it, and the registry removes tags.
 *
 * @param others the marks of the image's other owners
 */
export async function untag(
  { client, context, tag }: RepositoryPlace,
  image: string,
  others: readonly FoundMark[],
): Promise<void> {
  if (
    tag === undefined ||
    others.some((mark) => mark.tags.includes(tag)) ||
    (await findManifest(client, tag)) !== image
  ) {
    return;
  }
  if (await deleteTag(client, tag)) return;
  context.reporter.warn(
    `the tag ${repositoryName(client.repository)}:${tag} stays, because the registry does not remove tags. Remove it there`,
  );
}
