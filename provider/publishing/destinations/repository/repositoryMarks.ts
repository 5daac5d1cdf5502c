import { DestinationError } from "../../../base/runtime/messages/errors";
import { type Clock, sleep } from "../../../base/runtime/time/clock";
import { isDigest } from "../../../base/runtime/values/digest";
import { hasBlob } from "../../images/registry/blobs";
import type { RegistryClient } from "../../images/registry/client";
import type { Content, Descriptor } from "../../images/registry/content";
import {
  type Annotations,
  annotationsIn,
  contentOf,
  describe,
  fieldAt,
  manifestOf,
} from "../../images/registry/content";
import { ensureContent } from "../../images/registry/ensureBlob";
import {
  deleteManifest,
  findManifest,
  getManifest,
  offerManifest,
  type RefusedManifest,
} from "../../images/registry/manifests";
import { OCI_MANIFEST } from "../../images/registry/mediaTypes";
import { repositoryName } from "../../images/registry/reference";
import { listTags } from "../../images/registry/tags";
import { markText, readMarkText } from "../../ownership/markText";
import type { Owner } from "../../ownership/owner";
import { itemOf, type MarkKind, type NamedImageMark, ownTag, tagOf } from "./imageMarkTags";

const MARK_TYPE = "application/vnd.pulumi-docs-hosting.owner.v1+json";
/** The configuration of an artifact without content, see «Guidance on artifacts» in the image specification. */
const EMPTY = contentOf("application/vnd.oci.empty.v1+json", {});
/**
 * Annotations of a mark: its text, the image, the tags that the owner gave to the image, the digests of earlier marks under the same
 * tag, and when it was written. An announcement names the mark that it takes back.
 */
const TEXT = "pulumi-docs-hosting.owner";
const IMAGE = "pulumi-docs-hosting.image";
const TAGS = "pulumi-docs-hosting.tags";
const EARLIER = "pulumi-docs-hosting.earlier";
const WRITTEN = "org.opencontainers.image.created";
const LEAVES = "pulumi-docs-hosting.leaves";
/** How many earlier marks a mark names. */
const MOST_EARLIER = 100;

/** How long a list of tags may lag behind what was written, in milliseconds: afterwards, it proves nothing. */
const LIST_LAG_MS = 10_000;
/** Pause between two lists, in milliseconds. */
const LIST_AGAIN_MS = 500;

/** Of an attempt to write a mark. */
const FAILED = "failed";

/** What an owner's mark says about an image. */
export interface ImageClaim {
  /** Digest of the image. */
  readonly image: string;
  /** The tags, which users pull, that the owner gave to the image. */
  readonly tags: readonly string[];
  /** The list of the image's files. The registry has it as long as the mark: nothing else refers to it. */
  readonly files?: Descriptor | undefined;
}

/** A mark that was read from the registry. */
export interface FoundImageMark extends NamedImageMark {
  /** Of the mark's own manifest. */
  readonly digest: string;
  /** Whether it is a mark of this owner by its content, too: anybody who may push can give any manifest the tag of a mark. */
  readonly isMark: boolean;
  readonly urn: string | undefined;
  /** Digest of the image. */
  readonly image: string | undefined;
  readonly tags: readonly string[];
  /** When it was written, in milliseconds since 1970 by the clock of its writer. 0 if it does not say. */
  readonly writtenAtMs: number;
  /** Digests of the marks that it replaced. */
  readonly earlier: readonly string[];
}

/**
 * Marks in a repository: for each owner of an image a small artifact, under the tag `docs-hosting-owner-IMAGE-OWNER`. Before an owner
 * removes an image, it announces that with an artifact under `docs-hosting-leaving-…`, which names the mark that it takes back: a mark
 * that is written later counts again.
 */
export class RepositoryMarks {
  readonly #client: RegistryClient;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  /** Digests of what this operation announced, by tag: the registry may not show it yet. */
  readonly #announced = new Map<string, string>();
  /** The marks that this operation wrote, by tag. */
  readonly #written = new Map<string, FoundImageMark>();

  constructor(
    client: RegistryClient,
    { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
  ) {
    this.#client = client;
    this.#clock = clock;
    this.#signal = signal;
  }

  /**
   * Reads the mark of an owner at an image; `undefined` when there is none.
   *
   * @throws DestinationError when the registry does not say; the signal's reason
   */
  async find(item: string, owner: string): Promise<FoundImageMark | undefined> {
    const manifest = await getManifest(this.#client, tagOf("owner", item, owner));
    return manifest && readMark(item, owner, manifest);
  }

  /** Where people find a mark, or the announcement that its owner gives the image up. */
  nameOf({ item, owner }: NamedImageMark, kind: MarkKind = "owner"): string {
    return `${repositoryName(this.#client.repository)}:${tagOf(kind, item, owner)}`;
  }

  /**
   * Writes the owner's mark at an image, unless it is there and counts. A mark that it replaces stays in the registry without a tag: the
   * new one names it, and is removed with it. Where tags are immutable, the mark that it replaces is removed first.
   *
   * @returns whether the mark says the claim. Otherwise one of the owner counts, and the registry does not replace it
   * @throws DestinationError, also when the registry does not have the mark afterwards; the signal's reason
   */
  async write(owner: Owner, claim: ImageClaim): Promise<boolean> {
    const item = itemOf(claim.image);
    const tag = tagOf("owner", item, owner.id);
    // a read may be older than what this operation has written
    const before = this.#written.get(tag) ?? (await this.find(item, owner.id));
    const known = before?.isMark === true ? before : undefined;
    const tags = [...new Set([...(known?.tags ?? []), ...claim.tags])];
    const isSaid = known?.image === claim.image && known.tags.length === tags.length;
    if (isSaid && !(await this.isLeaving(known))) return true;
    const earlier = known ? [...known.earlier, known.digest] : [];
    const writtenAtMs = this.#clock.now();
    await ensureContent(this.#client, EMPTY);
    const put = async (files?: Descriptor): Promise<RefusedManifest | undefined> => {
      const mark = { tags, earlier: earlier.slice(-MOST_EARLIER), writtenAtMs };
      const manifest = markManifest(owner, { ...claim, files }, mark);
      // the next attempt may replace it: the registry can have it, and not say so
      earlier.push(manifest.digest);
      const refused = await offerManifest(this.#client, manifest, tag);
      if (refused) return refused;
      if ((await findManifest(this.#client, tag)) === manifest.digest) {
        this.#written.set(tag, readMark(item, owner.id, manifest));
        return undefined;
      }
      throw new DestinationError(
        `the registry accepted the mark ${this.nameOf({ item, owner: owner.id })}, and does not have it`,
        "Run `pulumi up` again, and report it to the registry's operator.",
      );
    };
    const { files } = claim;
    const hasFiles = files !== undefined && (await hasBlob(this.#client, files.digest));
    const putEither = async (): Promise<RefusedManifest | undefined> => {
      const isPut = hasFiles && (await put(files).catch(() => FAILED)) === undefined;
      // a registry may accept only the types of blobs that it knows
      return isPut ? undefined : put();
    };
    let refused = await putEither();
    if (refused?.mayBeImmutable === true && known) {
      if (await deleteManifest(this.#client, known.digest, [tag])) {
        // the mark counts, unless it is given up
        if (!(await this.isLeaving(known)) || (await this.removeAnnouncement(item, owner.id))) return false;
      } else refused = await putEither();
    }
    if (refused) throw refused.error;
    return true;
  }

  /**
   * Announces that an owner gives up an image. Its mark stays.
   *
   * @returns the tag of the announcement: a list without it is older. `undefined` if the registry does not replace an earlier one
   */
  async announce(owner: Owner, { item, digest }: FoundImageMark): Promise<string | undefined> {
    const tag = tagOf("leaving", item, owner.id);
    // of a removal that was killed or refused: without its tag, nobody would find it again
    const before = await getManifest(this.#client, tag);
    const manifest = leavingManifest(owner, digest, this.#clock.now());
    await ensureContent(this.#client, EMPTY);
    const earlier = annotationsIn(before?.bytes)[LEAVES] === undefined ? undefined : before?.digest;
    let refused = await offerManifest(this.#client, manifest, tag);
    if (refused?.mayBeImmutable === true && before) {
      // an old one does not count for others: they take its run for stopped
      if (earlier === undefined || (await deleteManifest(this.#client, earlier, [tag]))) return undefined;
      refused = await offerManifest(this.#client, manifest, tag);
    } else if (!refused && earlier !== undefined && earlier !== manifest.digest) {
      await deleteManifest(this.#client, earlier);
    }
    if (refused) throw refused.error;
    this.#announced.set(tag, manifest.digest);
    return tag;
  }

  /** Whether the owner of a mark gives its image up. @throws DestinationError when the registry does not say */
  async isLeaving(mark: FoundImageMark): Promise<boolean> {
    return (await this.leavingSinceMs(mark)) !== undefined;
  }

  /** Whether a list of tags shows an announcement of a mark's owner. It may be about an earlier mark. */
  isAnnounced({ item, owner }: NamedImageMark, tags: readonly string[]): boolean {
    return tags.includes(tagOf("leaving", item, owner));
  }

  /** When an owner announced that it gives up an image, in milliseconds since 1970 by its clock. `undefined`: its mark counts. */
  async leavingSinceMs({ item, owner, digest }: FoundImageMark): Promise<number | undefined> {
    const manifest = await getManifest(this.#client, tagOf("leaving", item, owner));
    const said: Annotations = annotationsIn(manifest?.bytes);
    return said[LEAVES] === digest ? Date.parse(said[WRITTEN] ?? "") || 0 : undefined;
  }

  /**
   * Removes an owner's mark, the marks that it replaced, and its announcement: last, since without it the mark would count. Removes only
   * what is a mark of this owner by its content.
   *
   * @returns whether nothing of it is left: a registry may refuse removals
   */
  async remove(mark: FoundImageMark): Promise<boolean> {
    const { item, owner } = mark;
    for (const digest of mark.earlier) {
      const manifest = await getManifest(this.#client, digest);
      const isOwn = manifest !== undefined && readMark(item, owner, manifest).isMark;
      if (isOwn && (await deleteManifest(this.#client, digest))) return false;
    }
    const tag = tagOf("owner", item, owner);
    if (mark.isMark && (await deleteManifest(this.#client, mark.digest, [tag]))) return false;
    return this.removeAnnouncement(item, owner);
  }

  /** Removes what an owner announced about an image. @returns whether nothing of it is left: a registry may refuse removals */
  async removeAnnouncement(item: string, owner: string): Promise<boolean> {
    const tag = tagOf("leaving", item, owner);
    const digest = this.#announced.get(tag) ?? (await this.#findAnnouncement(tag));
    return digest === undefined || (await deleteManifest(this.#client, digest, [tag])) === undefined;
  }

  async #findAnnouncement(tag: string): Promise<string | undefined> {
    const found = await getManifest(this.#client, tag);
    return annotationsIn(found?.bytes)[LEAVES] === undefined ? undefined : found?.digest;
  }

  /** All tags of the repository; `undefined` if the registry does not list them to the end. */
  list(): Promise<readonly string[] | undefined> {
    return listTags(this.#client);
  }

  /**
   * The tags that a whole list has because of an image: its own, if it has one, those of a mark and of an announcement. In the order of a
   * list that is sorted, the own tag comes after all marks: a list that was cut before them does not show it.
   *
   * @throws DestinationError when the registry does not say
   */
  async tagsAt(image: string, mark?: NamedImageMark, announcement?: string): Promise<readonly string[]> {
    const own = ownTag(image);
    const isTagged = (await findManifest(this.#client, own)) !== undefined;
    const marked = mark && tagOf("owner", mark.item, mark.owner);
    return [announcement, marked, isTagged ? own : undefined].filter((tag) => tag !== undefined);
  }

  /**
   * All tags of the repository, by a list that is not older than tags which were just written, and lacks none that is known.
   *
   * @returns `undefined` if the registry does not list them to the end, or not in time
   */
  async listShowing(known: readonly string[]): Promise<readonly string[] | undefined> {
    const startedAt = this.#clock.monotonic();
    for (;;) {
      const tags = await this.list();
      if (tags === undefined || known.every((tag) => tags.includes(tag))) return tags;
      if (this.#clock.monotonic() - startedAt >= LIST_LAG_MS) return undefined;
      await sleep(this.#clock, LIST_AGAIN_MS, this.#signal);
    }
  }
}

function readMark(item: string, owner: string, { digest, bytes }: Content): FoundImageMark {
  const said: Annotations = annotationsIn(bytes);
  const named = readMarkText(said[TEXT] ?? "");
  const image = said[IMAGE];
  return {
    item,
    owner,
    digest,
    isMark: fieldAt(bytes, "artifactType") === MARK_TYPE && named.owner === owner,
    urn: named.urn,
    image: isDigest(image) && itemOf(image) === item ? image : undefined,
    tags: listed(said[TAGS] ?? ""),
    writtenAtMs: Date.parse(said[WRITTEN] ?? "") || 0,
    earlier: listed(said[EARLIER] ?? "").filter(isDigest),
  };
}

const listed = (text: string): string[] => text.split(",").filter((each) => each !== "");

/** An artifact without content, or with the list of the image's files. */
function markManifest(
  owner: Owner,
  { image, files }: Omit<ImageClaim, "tags">,
  mark: {
    readonly tags: readonly string[];
    readonly earlier: readonly string[];
    readonly writtenAtMs: number;
  },
): Content {
  const annotations: Record<string, string> = {
    [TEXT]: markText(owner),
    [IMAGE]: image,
    [WRITTEN]: new Date(mark.writtenAtMs).toISOString(),
  };
  if (mark.tags.length > 0) annotations[TAGS] = mark.tags.join(",");
  if (mark.earlier.length > 0) annotations[EARLIER] = mark.earlier.join(",");
  return artifact(annotations, files);
}

function leavingManifest(owner: Owner, mark: string, writtenAtMs: number): Content {
  return artifact({
    [TEXT]: markText(owner),
    [LEAVES]: mark,
    [WRITTEN]: new Date(writtenAtMs).toISOString(),
  });
}

function artifact(annotations: Readonly<Record<string, string>>, layer = describe(EMPTY)): Content {
  return manifestOf(OCI_MANIFEST, {
    artifactType: MARK_TYPE,
    config: describe(EMPTY),
    layers: [layer],
    annotations,
  });
}
