import { annotationsIn, contentOf, describe, manifestOf } from "../../../images/registry/content";
import { hasBlob } from "../../../images/registry/blobs";
import { ensureContent } from "../../../images/registry/ensureBlob";
import { deleteManifest, findManifest, getManifest, putManifest } from "../../../images/registry/manifests";
import { OCI_MANIFEST } from "../../../images/registry/mediaTypes";
import { isDigest, repositoryName } from "../../../images/registry/reference";
import type { Content, Descriptor } from "../../../images/registry/content";
import type { RegistryClient } from "../../../images/registry/client";
import { listTags } from "../../../images/registry/tags";
import type { Mark, Marks } from "../../ownership/marks";
import { markText, type Owner } from "../../ownership/owner";

/** Number of digits of an image's digest in the tags of its copy and of its marks. */
const TAG_DIGITS = 16;

const MARK_TYPE = "application/vnd.pulumi-docs-hosting.owner.v1+json";
/** The configuration of an artifact without content, see «Guidance on artifacts» in the image specification. */
const EMPTY = contentOf("application/vnd.oci.empty.v1+json", {});
/**
 * Annotations of a mark: its text, the image, the tags that the owner gave to the image, how often they were moved before, and the
 * digests of earlier marks under the same tag.
 */
const TEXT = "pulumi-docs-hosting.owner";
const IMAGE = "pulumi-docs-hosting.image";
const TAGS = "pulumi-docs-hosting.tags";
const ORDER = "pulumi-docs-hosting.order";
const EARLIER = "pulumi-docs-hosting.earlier";
/** How many earlier marks a mark names. */
const MOST_EARLIER = 100;

const KINDS = ["owner", "leaving", "left"] as const;
type Kind = (typeof KINDS)[number];

/** The name of an image in marks: the first digits of its digest. */
export function itemOf(digest: string): string {
  return digest.slice("sha256:".length).slice(0, TAG_DIGITS);
}

/** The tag of a copy's own, which spares it from the registry's garbage collection. */
export function ownTag(digest: string): string {
  return `sha256-${itemOf(digest)}`;
}

/** Whether this package, or a signer of images, gives such tags: they are no names that people gave. */
export function isMadeTag(tag: string): boolean {
  return (
    marksAmong([tag]).length > 0 || /^sha256-(?:[0-9a-f]{16}|[0-9a-f]{64}(?:\.(?:sig|att|sbom))?)$/.test(tag)
  );
}

/** What a mark says about the tags that users pull. */
export interface TagClaim {
  /** Digest of the image. */
  readonly image: string;
  readonly tags: readonly string[];
  readonly order: number;
  /** The list of the image's files. The registry has it as long as the mark: nothing else refers to it. */
  readonly files?: Descriptor | undefined;
}

/**
 * Marks in a repository: a small artifact for each owner, with a digest of its own, under the tag `docs-hosting-owner-IMAGE-OWNER`;
 * under `docs-hosting-leaving-…` while the owner removes the image. An owner that has left does not count: `docs-hosting-left-…` says
 * which tags it gave to an image that others still have, or that its registry removes nothing.
 */
export function repositoryMarks(client: RegistryClient) {
  /** What the owner's next marks say, by item. */
  const claims = new Map<string, TagClaim>();

  const annotationsAt = async (tag: string): Promise<Readonly<Record<string, string | undefined>>> => {
    const manifest = await getManifest(client, tag).catch(() => undefined);
    return annotationsIn(manifest?.bytes);
  };

  /** What an owner's mark says about tags; `undefined` when it is gone or unreadable. */
  const claimOf = async (
    item: string,
    owner: string,
    kind: Kind = "owner",
  ): Promise<TagClaim | undefined> => {
    const said = await annotationsAt(tagOf(kind, item, owner));
    const { [IMAGE]: image, [TAGS]: tags = "", [ORDER]: order } = said;
    return image === undefined ? undefined : { image, tags: listed(tags), order: Number(order) || 0 };
  };

  /** All marks at an item, of whatever kind. */
  const marksAt = async (item: string) =>
    marksAmong((await listTags(client)) ?? []).filter((mark) => mark.item === item);

  /** A mark that it replaces stays in the registry without a tag: the new one names it, and is removed with it. */
  const put = async (kind: Kind, item: string, owner: Owner, claim?: TagClaim): Promise<void> => {
    const tag = tagOf(kind, item, owner.id);
    const before = await getManifest(client, tag);
    const earlier = before ? earlierIn(before) : [];
    if (before?.digest === markManifest(kind, owner, claim, earlier).digest) return;
    const all = [...earlier, ...(before ? [before.digest] : [])].slice(-MOST_EARLIER);
    await ensureContent(client, EMPTY);
    const putSaying = (said: TagClaim | undefined): Promise<void> =>
      putManifest(client, markManifest(kind, owner, said, all), tag);
    if (claim?.files === undefined) return putSaying(claim);
    const plain = { ...claim, files: undefined };
    if (!(await hasBlob(client, claim.files.digest))) return putSaying(plain);
    // a registry may accept only the types of blobs that it knows
    await putSaying(claim).catch(() => putSaying(plain));
  };

  /** @returns `false` when the registry removes nothing */
  const remove = async (kind: Kind, item: string, owner: string): Promise<boolean> => {
    const found = await getManifest(client, tagOf(kind, item, owner));
    if (!found) return true;
    // the mark last: it names the others
    for (const digest of [...earlierIn(found), found.digest]) {
      if (await deleteManifest(client, digest)) return false; // it is refused
    }
    return true;
  };

  return {
    claimOf,

    /** Sets what the owner's mark at an image says about a tag. */
    describe: (claim: TagClaim): unknown => claims.set(itemOf(claim.image), claim),

    async list(item) {
      const tags = await listTags(client);
      return tags && (marksIn(tags).get(item) ?? []);
    },

    all: async () => marksIn((await listTags(client)) ?? []),

    read: async (item, owner) => (await annotationsAt(tagOf("owner", item, owner)))[TEXT],

    /** All tags that owners gave to an image, also those who have left. */
    async tagsOf(item: string): Promise<ReadonlySet<string>> {
      const claims = await Array.fromAsync(await marksAt(item), ({ kind, owner }) =>
        claimOf(item, owner, kind),
      );
      return new Set(claims.flatMap((claim) => claim?.tags ?? []));
    },

    async write(item, owner) {
      const earlier = await claimOf(item, owner.id);
      const claim = claims.get(item);
      const tags = [...new Set([...(earlier?.tags ?? []), ...(claim?.tags ?? [])])];
      const order = Math.max(earlier?.order ?? 0, claim?.order ?? 0);
      await put("owner", item, owner, claim && { ...claim, tags, order });
      for (const kind of ["leaving", "left"] as const) await remove(kind, item, owner.id);
    },

    leave: (item, owner) => put("leaving", item, owner),

    async stay(item, owner) {
      await remove("leaving", item, owner);
    },

    async remove(item, owner, isShared = false) {
      const claim = await claimOf(item, owner);
      const tags: string[] = [];
      for (const tag of isShared ? (claim?.tags ?? []) : []) {
        if ((await findManifest(client, tag)) === claim?.image) tags.push(tag);
      }
      const putLeft = (): Promise<void> =>
        put("left", item, { id: owner, hasMarks: true }, claim && { ...claim, tags });
      if (tags.length > 0) await putLeft();
      const isRemoved = (await remove("owner", item, owner)) && (await remove("leaving", item, owner));
      if (!isRemoved && tags.length === 0) await putLeft();
    },

    /** Removes what owners who have left wrote about an image that is removed. */
    async forget(item: string): Promise<void> {
      for (const { kind: found, owner } of await marksAt(item)) {
        if (found !== "left") continue;
        // a run that was stopped while its owner left may have kept the others; without the last, they would count again
        for (const kind of KINDS) await remove(kind, item, owner);
      }
    },

    nameOf: (item, owner) => `${repositoryName(client.repository)}:${tagOf("owner", item, owner)}`,
  } satisfies Marks & Record<string, unknown>;
}

function tagOf(kind: Kind, item: string, owner: string): string {
  return `docs-hosting-${kind}-${item}-${owner}`;
}

/** The marks among tags, and what their tags say. */
function marksAmong(tags: readonly string[]) {
  return tags.flatMap((tag) => {
    const [, kind, item = "", owner = ""] =
      /^docs-hosting-(owner|leaving|left)-([0-9a-f]{16})-([0-9a-f]{32})$/.exec(tag) ?? [];
    return kind === undefined ? [] : [{ kind: kind as Kind, item, owner }];
  });
}

/** An artifact without content, or with the list of the image's files. */
function markManifest(
  kind: Kind,
  owner: Owner,
  claim: TagClaim | undefined,
  earlier: readonly string[],
): Content {
  return manifestOf(OCI_MANIFEST, {
    artifactType: MARK_TYPE,
    config: describe(EMPTY),
    layers: [claim?.files ?? describe(EMPTY)],
    annotations: {
      [TEXT]: markText(owner),
      "pulumi-docs-hosting.mark": kind,
      ...(claim && {
        [IMAGE]: claim.image,
        ...(claim.tags.length > 0 && { [TAGS]: claim.tags.join(",") }),
        [ORDER]: String(claim.order),
      }),
      ...(earlier.length > 0 && { [EARLIER]: earlier.join(",") }),
    },
  });
}

/** The digests of the marks that a mark has replaced. */
function earlierIn({ bytes }: Content): string[] {
  return listed(annotationsIn(bytes)[EARLIER] ?? "").filter(isDigest);
}

const listed = (text: string): string[] => text.split(",").filter((each) => each !== "");

/** The marks of owners who have not left, by item. */
function marksIn(tags: readonly string[]): Map<string, Mark[]> {
  const byItem = Object.groupBy(marksAmong(tags), ({ item }) => item);
  const staying = (owner: string, marks: readonly { readonly kind: Kind }[]): Mark[] =>
    marks.some(({ kind }) => kind === "left")
      ? []
      : [{ owner, isLeaving: marks.some(({ kind }) => kind === "leaving"), writtenAt: 0 }];
  return new Map(
    Object.entries(byItem).map(([item, marks = []]) => {
      const byOwner = Object.entries(Object.groupBy(marks, ({ owner }) => owner));
      return [item, byOwner.flatMap(([owner, own = []]) => staying(owner, own))];
    }),
  );
}
