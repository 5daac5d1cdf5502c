import type { LimitedContext } from "../../resource/withinLimit";
import { sleep } from "../../runtime/time/clock";
import { formatDuration } from "../../runtime/time/duration";
import { DestinationError } from "../../runtime/messages/errors";
import { firstOf } from "../../runtime/messages/firstOf";
import { describeOwner, type Owner, urnIn } from "./owner";
import type { Mark, Marks } from "./marks";

/** How long a publication waits for another owner that is removing the same item, in milliseconds. */
const LEAVING_LIMIT_MS = 60_000;
/** Pause between two looks, in milliseconds. */
const LOOK_AGAIN_MS = 250;
/** How many owners a message names. */
const NAMED_OWNERS = 3;
/** How many marks of one item are read at most. */
const MOST_READ = 100;

/** In messages, another owner with the URN of this one. */
const SUCCESSOR = "the resource that replaces this one";

export type OwnershipContext = Pick<LimitedContext, "clock" | "signal" | "reporter"> & {
  readonly owner: Owner;
};

/**
 * The rights of one owner at a place. Two rules keep the content of others safe, in any order of the steps of two runs:
 *
 * - a publication writes the mark first, then looks whether another owner is leaving, and waits for it;
 * - a removal announces that the owner leaves, then looks for other marks, and removes the item only if there are none. The own mark
 *   goes last.
 *
 * Whichever run looks second sees the other.
 */
export class Ownership {
  readonly #marks: Marks;
  readonly #context: OwnershipContext;
  readonly #addressOf: (item: string) => string;

  /** @param addressOf the address of an item in messages */
  constructor(marks: Marks, context: OwnershipContext, addressOf: (item: string) => string) {
    this.#marks = marks;
    this.#context = context;
    this.#addressOf = addressOf;
  }

  /**
   * Makes the owner one of the item's owners, before anything of the item is visible. Waits while another owner removes the item.
   *
   * @param exists whether any of the item is there. @default it is
   * @throws what the place throws; the signal's reason
   */
  async claim(item: string, exists?: () => Promise<boolean>): Promise<void> {
    await this.#marks.write(item, this.#context.owner);
    await this.#waitWhileLeaving(async () => [[item, (await this.#marks.list(item)) ?? []]], exists);
  }

  /**
   * Waits while another owner removes any item of the place, for places whose items share files. Call it when the own item can be
   * seen.
   *
   * @returns whether there was any: what was seen of the place before may be gone
   */
  waitForOthers(): Promise<boolean> {
    return this.#waitWhileLeaving(() => this.#marks.all());
  }

  async #waitWhileLeaving(
    look: () => Promise<Iterable<readonly [item: string, marks: readonly Mark[]]>>,
    exists?: () => Promise<boolean>,
  ): Promise<boolean> {
    const { clock, signal, reporter, owner } = this.#context;
    const startedAt = clock.monotonic();
    for (let waited = false; ; waited = true) {
      const leaving = [...(await look())].flatMap(([item, marks]) =>
        marks.filter((mark) => mark.isLeaving && mark.owner !== owner.id).map((mark) => ({ item, mark })),
      );
      const [first] = leaving;
      if (first === undefined) return waited;
      if (clock.monotonic() - startedAt >= LEAVING_LIMIT_MS) {
        // of a removal that was stopped after the item was gone, only the marks are left
        const isRemoved = (await exists?.()) === false;
        reporter.warn(
          `${await this.#describe(first.item, [first.mark])} has been removing ${this.#addressOf(first.item)} for ` +
            `${formatDuration(LEAVING_LIMIT_MS)}, and was probably stopped: its mark ${isRemoved ? "is removed" : "counts again"}`,
        );
        for (const { item, mark } of leaving) {
          if (isRemoved) await this.#marks.remove(item, mark.owner);
          else await this.#marks.stay(item, mark.owner);
        }
        return true;
      }
      reporter.progress(`waiting for another owner that is removing ${this.#addressOf(first.item)}`);
      await sleep(clock, LOOK_AGAIN_MS, signal);
    }
  }

  /**
   * Publishes an item with the owner's mark. If that fails before anything of the item is there, the mark goes, too.
   *
   * @param exists whether any of the item is there
   */
  async publish<T>(item: string, exists: () => Promise<boolean>, publish: () => Promise<T>): Promise<T> {
    await this.claim(item, exists);
    try {
      return await publish();
    } catch (error) {
      const isThere = await exists().catch(() => true);
      if (!isThere) await this.#marks.remove(item, this.#context.owner.id).catch(() => undefined);
      throw error;
    }
  }

  /** The result of a comparison of an item that is as it was published. */
  async compared(item: string): Promise<"same" | "unmarked"> {
    const { id, hasMarks } = this.#context.owner;
    const marks = hasMarks ? await this.#marks.list(item) : undefined;
    return marks === undefined || marks.some(({ owner, isLeaving }) => owner === id && !isLeaving)
      ? "same"
      : "unmarked";
  }

  /**
   * Takes the owner's marks away, and the items that no other owner has.
   *
   * @param exists whether an item is there. Not asked about an item that only this owner has
   * @param remove removes items
   * @throws what the place throws; the signal's reason
   */
  async release(
    items: Iterable<string>,
    exists: (item: string) => Promise<boolean>,
    remove: (items: readonly string[]) => Promise<void>,
  ): Promise<void> {
    const leaving: string[] = [];
    for (const item of items) {
      this.#context.signal.throwIfAborted();
      if (await this.#leave(item, () => exists(item))) leaving.push(item);
    }
    if (leaving.length === 0) return;
    await remove(leaving);
    for (const item of leaving) await this.#marks.remove(item, this.#context.owner.id);
  }

  /** Announces that the owner leaves an item. @returns whether nobody else has the item: then it is to be removed */
  async #leave(item: string, exists: () => Promise<boolean>): Promise<boolean> {
    const { reporter, owner } = this.#context;
    const keep = async (report: "info" | "warn", why: () => Promise<string> | string): Promise<false> => {
      if (await exists()) reporter[report](`${this.#addressOf(item)} ${await why()}`);
      return false;
    };
    const before = await this.#marks.list(item);
    if (before === undefined) {
      await this.#marks.remove(item, owner.id);
      const advice = "Remove it if no other stack uses it, or allow the list";
      return keep("warn", () => `stays, because its owners cannot be listed. ${advice}`);
    }
    const isOwn = before.some((mark) => mark.owner === owner.id);
    const others = before.filter((mark) => mark.owner !== owner.id);
    if (!isOwn && (owner.hasMarks || others.some(({ isLeaving }) => !isLeaving))) {
      return keep("warn", async () =>
        others.length > 0
          ? `stays: it belongs to ${await this.#describe(item, others)}`
          : "stays: it has no mark of this resource, so somebody else may have put it there. Remove it if it is no longer needed",
      );
    }
    await this.#marks.leave(item, owner);
    const staying = await this.#othersWhoStay(item);
    if (staying.length === 0) return true;
    await this.#marks.remove(item, owner.id, true);
    return keep("info", async () => `stays: it also belongs to ${await this.#describe(item, staying)}`);
  }

  /** The items with the owner's mark. */
  async ownItems(): Promise<string[]> {
    const isOwn = ({ owner }: Mark): boolean => owner === this.#context.owner.id;
    return [...(await this.#marks.all())].filter(([, marks]) => marks.some(isOwn)).map(([item]) => item);
  }

  /** Other owners of an item in a text, without those with this resource's URN: it is replaced. `undefined`: there are none. */
  async otherOwners(item: string): Promise<string | undefined> {
    const strangers: Mark[] = [];
    for (const mark of (await this.#othersWhoStay(item)).slice(0, MOST_READ)) {
      if (!this.#isOwn(await this.#urnOf(item, mark))) strangers.push(mark);
    }
    return strangers.length === 0 ? undefined : this.#describe(item, strangers);
  }

  /** The items of all owners who stay, the one that was published last first. */
  async newestFirst(): Promise<string[]> {
    const found = [...(await this.#marks.all())].map(([item, marks]) => {
      const staying = marks.filter(({ isLeaving }) => !isLeaving);
      return { item, at: Math.max(...staying.map(({ writtenAt }) => writtenAt)) };
    });
    const owned = found.filter(({ at }) => at !== -Infinity);
    return owned.sort((one, other) => other.at - one.at).map(({ item }) => item);
  }

  async #othersWhoStay(item: string): Promise<readonly Mark[]> {
    const { id } = this.#context.owner;
    return ((await this.#marks.list(item)) ?? []).filter(
      ({ owner, isLeaving }) => owner !== id && !isLeaving,
    );
  }

  async #describe(item: string, marks: readonly Mark[]): Promise<string> {
    const names = await Array.fromAsync(marks.slice(0, NAMED_OWNERS), async (mark) => {
      const urn = await this.#urnOf(item, mark);
      return this.#isOwn(urn) ? SUCCESSOR : describeOwner(urn, this.#marks.nameOf(item, mark.owner));
    });
    const more = marks.slice(NAMED_OWNERS).map(({ owner }) => owner);
    return firstOf([...names, ...more], NAMED_OWNERS);
  }

  async #urnOf(item: string, { owner }: Mark): Promise<string | undefined> {
    return urnIn(await this.#marks.read(item, owner));
  }

  #isOwn(urn: string | undefined): boolean {
    return urn !== undefined && urn === this.#context.owner.urn;
  }
}

/** An item that another run removed although it had been published, see {@link Ownership.claim}. */
export function removedMeanwhile(address: string): DestinationError {
  return new DestinationError(
    `${address} was removed by somebody else while it was published`,
    "Run `pulumi up` again: it publishes the rest.",
  );
}
