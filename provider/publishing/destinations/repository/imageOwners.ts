import { DestinationError } from "../../../base/runtime/messages/errors";
import { firstOf } from "../../../base/runtime/messages/firstOf";
import { sleep } from "../../../base/runtime/time/clock";
import { formatDuration } from "../../../base/runtime/time/duration";
import { describeOwner } from "../../ownership/markText";
import type { DestinationContext } from "../destination";
import { announcedAlone, itemOf, marksAmong, type NamedImageMark } from "./imageMarkTags";
import { type FoundImageMark, type ImageClaim, type RepositoryMarks } from "./repositoryMarks";

/** How long a publication waits for another owner that is removing the same image, in milliseconds. */
const LEAVING_LIMIT_MS = 60_000;
/** Pause between two looks, in milliseconds. */
const LOOK_AGAIN_MS = 250;
/** A removal that was announced before was stopped, in milliseconds. */
const STOPPED_AFTER_MS = 15 * 60_000;
/** How long a list of marks is proof enough to remove an image, in milliseconds. Shorter than {@link LEAVING_LIMIT_MS}. */
const PROOF_LIFE_MS = 30_000;
/** What helps where tags are immutable. */
const EXEMPT = "Exempt the tags `docs-hosting-*` from the registry's rules of immutable tags";
/** How many owners a message names. */
const NAMED_OWNERS = 3;

/** The proof that an image is its owner's alone. */
export interface OnlyOwner {
  /** All tags of the repository. */
  readonly tags: readonly string[];
  /** The tags that the owner gave to the image, by its mark. */
  readonly given: readonly string[];
  /** Asked before each step of a removal: whether the image is still nobody else's. */
  isStillSo(): Promise<boolean>;
}

/**
 * The rights of one owner at the images of a repository, which several resources share. An image is removed only if the whole list of
 * tags shows the mark of its owner and of nobody else.
 *
 * A publication writes its mark, then looks whether another owner is removing the image. A removal announces itself, then looks for
 * other marks. Whichever looks second sees the other.
 */
export class ImageOwners {
  readonly #marks: RepositoryMarks;
  readonly #context: DestinationContext;
  readonly #addressOf: (item: string) => string;
  /** Whether this operation has seen a mark of the resource: then no other resource has replaced it, and taken its marks over. */
  #hasMarks = false;

  /** @param addressOf the address of an image in messages */
  constructor(marks: RepositoryMarks, context: DestinationContext, addressOf: (item: string) => string) {
    this.#marks = marks;
    this.#context = context;
    this.#addressOf = addressOf;
  }

  /**
   * Makes the resource an owner of an image. A create takes over the marks of its own URN: those of a run that was killed, or of the
   * resource that it replaces.
   *
   * @throws DestinationError; the signal's reason
   */
  async claim(claim: ImageClaim): Promise<void> {
    const { owner, isCreate, reporter } = this.#context;
    if (!(await this.#marks.write(owner, claim))) {
      const mark = this.#marks.nameOf({ item: itemOf(claim.image), owner: owner.id });
      reporter.warn(
        `the mark ${mark} stays as it is, because the registry neither moves nor removes its tag: the image is this resource's, and its \`tag\` has no owner. ${EXEMPT}`,
      );
    }
    const tags = await this.#marks.list();
    // where no list is allowed, nobody can remove an image
    if (tags === undefined) return;
    await this.#waitForRemovals(itemOf(claim.image), tags);
    if (isCreate) await this.#takeOverOwn(tags);
  }

  /**
   * Publishes an image with the owner's mark. If that fails before anything of the image is there, the mark goes, too.
   *
   * @param exists whether any of the image is there
   */
  async publish<T>(claim: ImageClaim, exists: () => Promise<boolean>, publish: () => Promise<T>): Promise<T> {
    await this.claim(claim);
    try {
      return await publish();
    } catch (error) {
      const isThere = await exists().catch(() => true);
      if (!isThere) await this.#removeOwnMark(claim.image).catch(() => undefined);
      throw error;
    }
  }

  /** The result of a comparison of an image that is as it was published. */
  async compared(image: string): Promise<"same" | "unmarked"> {
    const { owner } = this.#context;
    if (!owner.hasMarks) return "same";
    const mark = await this.#marks.find(itemOf(image), owner.id);
    return mark?.isMark === true && !(await this.#marks.isLeaving(mark)) ? "same" : "unmarked";
  }

  /**
   * Gives up an image: removes it if the list of tags proves that it is nobody else's, and the owner's mark. An image that a registry
   * does not remove keeps its mark.
   *
   * @param exists whether the image is there
   * @param leave removes what the resource alone has at an image that stays for others, such as the tags that it gave to it
   * @param remove removes the image, and returns whether nothing of it is left
   */
  async release(
    image: string,
    exists: () => Promise<boolean>,
    leave: (others: readonly FoundImageMark[], own: FoundImageMark | undefined) => Promise<void>,
    remove: (proof: OnlyOwner) => Promise<boolean>,
  ): Promise<void> {
    const { owner, reporter } = this.#context;
    const item = itemOf(image);
    const address = this.#addressOf(item);
    const found = await this.#marks.find(item, owner.id);
    const own = found?.isMark === true ? found : undefined;
    this.#hasMarks ||= own !== undefined;
    const announcement = own && (await this.#marks.announce(owner, own));
    if (own && announcement === undefined) {
      reporter.warn(
        `${address} stays, with its mark, because the registry neither moves nor removes the tag ${this.#marks.nameOf(own, "leaving")} of an earlier removal. ${EXEMPT}, or remove the image there`,
      );
      return;
    }
    const list = async (): Promise<readonly string[] | undefined> =>
      this.#marks.listShowing(await this.#marks.tagsAt(image, own, announcement));
    const tags = await list();
    if (tags === undefined) {
      // the mark stays as well, also that of an image which is gone
      if (own !== undefined || (await exists())) {
        reporter.warn(
          `${address} stays, because its owners cannot be listed. Remove it if no other stack uses it, or allow the list`,
        );
      }
      return;
    }
    if (own === undefined && owner.hasMarks) {
      if (await exists()) await this.#reportUnmarked(item, tags);
      // of a removal that was killed after that of the mark
      if (found === undefined && this.#marks.isAnnounced({ item, owner: owner.id }, tags)) {
        await this.#marks.removeAnnouncement(item, owner.id);
      }
      return;
    }
    const others = await this.#stayingOthers(item, tags);
    if (others.length > 0) {
      const isThere = await exists();
      // the mark last: without it, the tag would be nobody's
      if (isThere) await leave(others, own);
      if (own) await this.#removeMark(own);
      if (!isThere) return;
      const isNamesake = others.some(({ urn }) => urn !== undefined && urn === owner.urn);
      // a create takes over such marks, unless the registry does not list them
      if (own && isNamesake) {
        reporter.warn(`${address} stays: it also has a mark ${this.#namesake()}`);
      } else reporter.info(`${address} stays: it also belongs to ${this.#named(others)}`);
      return;
    }
    let provenAt = this.#context.clock.monotonic();
    const isStillSo = async (): Promise<boolean> => {
      if (this.#context.clock.monotonic() - provenAt < PROOF_LIFE_MS) return true;
      provenAt = this.#context.clock.monotonic();
      const now = await list();
      return now !== undefined && (await this.#stayingOthers(item, now)).length === 0;
    };
    const isGone = await remove({ tags, given: own?.tags ?? [], isStillSo });
    if (isGone && own) await this.#removeMark(own);
  }

  /**
   * The images with the owner's mark; none if the registry does not list its tags. Removes what a killed removal left of marks that are
   * gone.
   */
  async ownMarks(): Promise<FoundImageMark[]> {
    const { id } = this.#context.owner;
    const tags = (await this.#marks.list()) ?? [];
    const isOwn = ({ owner }: NamedImageMark): boolean => owner === id;
    for (const { item, owner } of announcedAlone(tags).filter(isOwn)) {
      // the list may lack the mark
      if (!(await this.#marks.find(item, owner))) await this.#marks.removeAnnouncement(item, owner);
    }
    const items = marksAmong(tags).filter(isOwn);
    const found = await Array.fromAsync(items, ({ item }) => this.#marks.find(item, id));
    return found.filter((mark) => mark !== undefined).filter(({ isMark }) => isMark);
  }

  /**
   * The owners of an image, this resource among them, without others who give it up. `undefined` if they cannot be listed. A removal of
   * this resource that was killed leaves its announcement: the image is still its own.
   */
  async marksAt(image: string): Promise<readonly FoundImageMark[] | undefined> {
    const { id, urn } = this.#context.owner;
    const tags = await this.#marks.list();
    const isOwn = (mark: FoundImageMark): boolean =>
      mark.owner === id || (mark.urn !== undefined && mark.urn === urn);
    return tags && this.#stayingAt(itemOf(image), tags, isOwn);
  }

  /** The marks of other owners who stay, at other images than this one. @param tags all of the repository */
  async othersBeside(image: string, tags: readonly string[]): Promise<readonly FoundImageMark[]> {
    const item = itemOf(image);
    const items = new Set(marksAmong(tags).map((mark) => mark.item));
    items.delete(item);
    const found = await Array.fromAsync(items, (each) => this.#stayingAt(each, tags));
    return found.flat().filter(({ owner }) => owner !== this.#context.owner.id);
  }

  /** Owners in a text. */
  #named(marks: readonly FoundImageMark[]): string {
    const names = marks.map((mark) =>
      mark.urn !== undefined && mark.urn === this.#context.owner.urn
        ? "the resource that replaces this one"
        : describeOwner(mark.urn, `an owner whose mark ${this.#marks.nameOf(mark)} names no resource`),
    );
    return firstOf(names, NAMED_OWNERS);
  }

  /** Whose a mark of the same URN is, if not of the resource that replaces this one. */
  #namesake(): string {
    const { urn = "" } = this.#context.owner;
    return `of ${urn}, of a stack of the same name in another backend, or of a run that was killed. Remove it if there is no such stack`;
  }

  async #removeMark(mark: FoundImageMark): Promise<void> {
    if (await this.#marks.remove(mark)) return;
    this.#context.reporter.warn(
      `the mark ${this.#marks.nameOf(mark)} stays, because the registry does not remove it: no other resource removes the image. Remove the mark there`,
    );
  }

  async #removeOwnMark(image: string): Promise<void> {
    const mark = await this.#marks.find(itemOf(image), this.#context.owner.id);
    if (mark) await this.#marks.remove(mark);
  }

  async #reportUnmarked(item: string, tags: readonly string[]): Promise<void> {
    const { reporter, owner } = this.#context;
    const others = await this.#stayingOthers(item, tags);
    const address = this.#addressOf(item);
    if (others.length === 0) {
      reporter.warn(
        `${address} stays: it has no mark of this resource, so somebody else may have put it there. Remove it if it is no longer needed`,
      );
    } else if (!others.every(({ urn }) => urn !== undefined && urn === owner.urn)) {
      reporter.warn(`${address} stays: it belongs to ${this.#named(others)}`);
    } else if (this.#hasMarks || marksAmong(tags).some((mark) => mark.owner === owner.id)) {
      // a create takes over such marks, unless it was stopped or refused before
      reporter.warn(`${address} stays: its mark is ${this.#namesake()}`);
    } else reporter.info(`${address} stays: it belongs to ${this.#named(others)}`);
  }

  async #stayingOthers(item: string, tags: readonly string[]): Promise<FoundImageMark[]> {
    const staying = await this.#stayingAt(item, tags);
    return staying.filter(({ owner }) => owner !== this.#context.owner.id);
  }

  /**
   * The marks at an image that count. A manifest of others with the tag of a mark counts, too.
   *
   * @param counts whether a mark counts although its owner gives the image up
   */
  async #stayingAt(
    item: string,
    tags: readonly string[],
    counts: (mark: FoundImageMark) => boolean = () => false,
  ): Promise<FoundImageMark[]> {
    const staying: FoundImageMark[] = [];
    for (const each of marksAmong(tags).filter((mark) => mark.item === item)) {
      const mark = await this.#marks.find(item, each.owner);
      if (!mark) continue;
      const isLeaving =
        !counts(mark) && this.#marks.isAnnounced(mark, tags) && (await this.#marks.isLeaving(mark));
      if (!isLeaving) staying.push(mark);
    }
    return staying;
  }

  /** Waits while other owners remove an image. @throws DestinationError when one takes longer */
  async #waitForRemovals(item: string, listed: readonly string[]): Promise<void> {
    const { clock, signal, reporter, owner } = this.#context;
    const startedAt = clock.monotonic();
    let owners = marksAmong(listed).filter((mark) => mark.item === item && mark.owner !== owner.id);
    for (;;) {
      const leaving: FoundImageMark[] = [];
      for (const each of owners) {
        const mark = await this.#marks.find(item, each.owner);
        const sinceMs = mark && (await this.#marks.leavingSinceMs(mark));
        if (mark && sinceMs !== undefined && clock.now() - sinceMs < STOPPED_AFTER_MS) leaving.push(mark);
      }
      if (leaving.length === 0) return;
      if (clock.monotonic() - startedAt >= LEAVING_LIMIT_MS) {
        throw new DestinationError(
          `${this.#addressOf(item)} is being removed by ${this.#named(leaving)}, for more than ${formatDuration(LEAVING_LIMIT_MS)}`,
          `Run \`pulumi up\` again when that run has ended; ${formatDuration(STOPPED_AFTER_MS)} after its start, it counts as stopped.`,
        );
      }
      reporter.progress(`waiting for another owner that is removing ${this.#addressOf(item)}`);
      await sleep(clock, LOOK_AGAIN_MS, signal);
      owners = leaving;
    }
  }

  /** Puts the mark of this owner in the place of those with its URN. */
  async #takeOverOwn(tags: readonly string[]): Promise<void> {
    const { owner, reporter } = this.#context;
    if (owner.urn === undefined) return;
    let taken = 0;
    for (const each of marksAmong(tags).filter((mark) => mark.owner !== owner.id)) {
      const mark = await this.#marks.find(each.item, each.owner);
      if (mark?.isMark !== true || mark.urn !== owner.urn || mark.image === undefined) continue;
      await this.#marks.write(owner, { image: mark.image, tags: mark.tags });
      await this.#removeMark(mark);
      taken += 1;
    }
    if (taken === 0) return;
    reporter.info(
      `takes over ${taken === 1 ? "an image" : `${taken} images`} of an earlier run or of the resource that it replaces: its marks name ${owner.urn}`,
    );
  }
}
