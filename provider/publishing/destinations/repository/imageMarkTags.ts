// The tags that this package gives in a repository.

/** Number of digits of an image's digest in the tags of its copy and of its marks. */
const TAG_DIGITS = 16;

/** `owner`: a mark. `leaving`: its owner removes the image, or gives it up. */
export type MarkKind = "owner" | "leaving";

/** The name of an image in marks: the first digits of its digest. */
export function itemOf(digest: string): string {
  return digest.slice("sha256:".length).slice(0, TAG_DIGITS);
}

/** The tag of a copy's own, which spares it from the registry's garbage collection. */
export function ownTag(digest: string): string {
  return `sha256-${itemOf(digest)}`;
}

/** Whether this package, or a signer of images, gives such tags: they are not names that people gave. */
export function isMadeTag(tag: string): boolean {
  return MARK_TAG.test(tag) || /^sha256-(?:[0-9a-f]{16}|[0-9a-f]{64}(?:\.(?:sig|att|sbom))?)$/.test(tag);
}

/** Unreleased versions also wrote `left`. */
const MARK_TAG = /^docs-hosting-(owner|leaving|left)-([0-9a-f]{16})-([0-9a-f]{32})$/;

/** The tag of a mark or an announcement. @param item see {@link itemOf} */
export function tagOf(kind: MarkKind, item: string, owner: string): string {
  return `docs-hosting-${kind}-${item}-${owner}`;
}

/** The image and the owner of a mark, as its tag names them. */
export interface NamedImageMark {
  /** See {@link itemOf}. */
  readonly item: string;
  /** The owner's ID. */
  readonly owner: string;
}

/** The marks that a list of tags shows. */
export const marksAmong = (tags: readonly string[]): NamedImageMark[] => namedAmong(tags, "owner");

/** The announcements that a list of tags shows without the mark that they are about. */
export function announcedAlone(tags: readonly string[]): NamedImageMark[] {
  const has = new Set(tags);
  return namedAmong(tags, "leaving").filter(({ item, owner }) => !has.has(tagOf("owner", item, owner)));
}

function namedAmong(tags: readonly string[], wanted: MarkKind): NamedImageMark[] {
  return tags.flatMap((tag) => {
    const [, kind, item = "", owner = ""] = MARK_TAG.exec(tag) ?? [];
    return kind === wanted ? [{ item, owner }] : [];
  });
}
