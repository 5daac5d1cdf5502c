import { DestinationError } from "../../base/runtime/messages/errors";
import { firstOf } from "../../base/runtime/messages/firstOf";
import type { Reporter } from "../../base/runtime/messages/reporter";
import type { Clock } from "../../base/runtime/time/clock";
import { markText } from "./markText";
import { type Owner, stackIn } from "./owner";
import {
  type ClaimAction,
  claimAction,
  type Claimant,
  namedMark,
  type NamedPlace,
  nameOfOwner,
  placeRefusal,
  relationOf,
  removalAction,
} from "./placeDecision";
import { type FoundMark, markIn, type PlaceMark } from "./placeMark";

/** How often a mark is read again after another run wrote one at the same time. */
const MAX_TRIES = 5;

/** The places that {@link PlaceOwner.check} has just found free, for an owner: the claim that follows need not ask again. */
const FREE = new WeakMap<Owner, Set<string>>();

/** How long a mark that was read proves whose the place is, while batches that take long are removed. */
export const PROOF_LIFE_MS = 30_000;

/** What {@link PlaceOwner.confirm} found in place of the own mark, by the error that it threw. */
const LOST = new WeakMap<Error, FoundMark>();

/** Where the mark of a place is. */
export interface MarkStore extends NamedPlace {
  /** The text of the mark; `undefined` only if the place says that there is none. @throws UnreadableMarkError */
  read(): Promise<string | undefined>;
  /** Whether a list of the place shows neither a mark nor a record: one request. `false` in doubt. Absent where a read costs nothing. */
  isEmpty?(): Promise<boolean>;
  /** Makes the mark. @returns `false` if there is one already: the place checks that in the same step, where it can */
  make(text: string): Promise<boolean>;
  /** Writes the mark in the place of another. */
  replace(text: string): Promise<void>;
  /** @returns what stays beside it, for people */
  remove(): Promise<readonly string[]>;
  /** The marks at items, of versions that were not released. */
  earlier(): Promise<readonly PlaceMark[]>;
  removeEarlier(): Promise<void>;
}

/** A mark that the place does not show, or that is none. Its message is the reason. */
export class UnreadableMarkError extends Error {
  /** What helps, if a store refused to say. */
  readonly remedy: string | undefined;

  constructor(reason: string, remedy?: string) {
    super(reason);
    this.remedy = remedy;
  }
}

/** What the rights at a place depend on. */
export interface PlaceContext extends Partial<Omit<Claimant, "owner">>, Pick<Claimant, "owner"> {
  readonly clock: Pick<Clock, "now" | "monotonic">;
  readonly reporter: Reporter;
}

/**
 * The rights of one resource at a place, which belongs to one resource. Without proof that it is this one, nothing is written and
 * nothing is removed.
 */
export class PlaceOwner {
  readonly #marks: MarkStore;
  readonly #context: PlaceContext;
  readonly #claimant: Claimant;
  #wasFree = false;
  /** When the mark was last read as the own one, by the monotonic clock. */
  #provenAtMs: number | undefined;

  constructor(marks: MarkStore, context: PlaceContext) {
    const { owner, isCreate = false, takeOver = false, adopts, isDeclared = () => true } = context;
    this.#marks = marks;
    this.#context = context;
    this.#claimant = { owner, isCreate, takeOver, adopts, isDeclared };
  }

  /** Whether the place was nobody's before it was claimed: no run of this resource has left anything there. */
  get wasFree(): boolean {
    return this.#wasFree;
  }

  /** Refuses the place if the resource must not write to it. Writes nothing. @throws DestinationError */
  async check(): Promise<void> {
    const { owner, isCreate } = this.#claimant;
    // a list may be late: a mark that it does not show yet is kept by the conditional write
    const isEmpty = isCreate && (await this.#marks.isEmpty?.()) === true;
    const found: FoundMark = isEmpty ? { kind: "none" } : await this.#find();
    if (claimAction(found, this.#claimant) === "refuse") {
      throw placeRefusal(found, this.#claimant, this.#marks);
    }
    if (found.kind === "none") FREE.set(owner, (FREE.get(owner) ?? new Set()).add(this.#marks.markUri));
  }

  /**
   * Makes the resource the owner of the place, before it writes anything there.
   *
   * @returns whether the place was nobody's
   * @throws DestinationError when it belongs to another resource
   */
  async claim(): Promise<boolean> {
    let before: { readonly found: FoundMark; readonly action: ClaimAction } | undefined;
    // another mark that was made since is kept by the conditional write
    let known: FoundMark | undefined;
    if (FREE.get(this.#claimant.owner)?.delete(this.#marks.markUri)) known = { kind: "none" };
    for (let tries = 1; tries <= MAX_TRIES; tries++) {
      const found = known ?? (await this.#find());
      known = undefined;
      const action = claimAction(found, this.#claimant);
      if (action === "refuse") throw placeRefusal(found, this.#claimant, this.#marks);
      if (action === "goOn" && found.kind === "mark") {
        if (before) this.#report(before.found, before.action);
        else if (found.mark.urn !== this.#claimant.owner.urn) await this.#marks.replace(this.#text()); // renamed or moved
        await this.#removeEarlier(before?.found);
        this.#wasFree = before?.action === "make";
        return this.#wasFree;
      }
      if (action === "make" || found.kind === "earlier") await this.#marks.make(this.#text());
      else await this.#marks.replace(this.#text());
      // read again: another run may have written one, or the store may have lost it
      before = { found, action };
    }
    throw new DestinationError(
      `the mark of ${this.#marks.uri}, ${this.#marks.markUri}, is not there after it was written ${MAX_TRIES} times`,
      "Nothing else was written. Find out what removes or replaces it, and run `pulumi up` again.",
    );
  }

  /**
   * Reads the mark again, right before what is changed or removed cannot be told from what another resource wrote meanwhile.
   *
   * @param proofLifeMs how old a proof may be. @default it is not older than this call
   * @throws DestinationError unless the place still belongs to the resource
   */
  async confirm(proofLifeMs = 0): Promise<void> {
    const nowMs = this.#context.clock.monotonic();
    if (this.#provenAtMs !== undefined && nowMs - this.#provenAtMs < proofLifeMs) return;
    const found = await this.#find();
    if (removalAction(found, this.#claimant) !== "remove") {
      const refusal = placeRefusal(found, this.#claimant, this.#marks);
      LOST.set(refusal, found);
      throw refusal;
    }
    this.#provenAtMs = nowMs;
  }

  /**
   * The result of a comparison of the newest item with what was published: a place of another resource is named.
   *
   * @param compare compares the content
   */
  async compared<Result>(compare: () => Promise<Result>): Promise<Result | "unmarked" | "taken"> {
    const result = await compare();
    const found = await this.#find();
    const isMissing = result === "same" && this.#context.owner.hasMarks;
    switch (relationOf(found, this.#claimant)) {
      case "own":
        return result;
      case "nobody's":
        return isMissing ? "unmarked" : result;
      case "unreadable":
        this.#context.reporter.warn(placeRefusal(found, this.#claimant, this.#marks).message);
        return result;
      default:
        // what the next operation that writes takes over with a line needs only the mark
        if (claimAction(found, this.#claimant) === "takeOver") return isMissing ? "unmarked" : result;
        this.#context.reporter.warn(`${this.#marks.uri} belongs to ${this.#named(found)}`);
        return "taken";
    }
  }

  /**
   * Removes what the resource wrote to the place, if the place belongs to it, and as long as it does.
   *
   * @param isLast whether nothing of the resource stays: the mark is removed last
   * @param remove removes the content, then its records, and calls {@link confirm} before each; its argument says whether the place
   *   has the mark of the resource
   * @param left what stays, for people
   * @throws what `remove` throws; DestinationError if something stays in the place, and the resource has more there
   */
  async release(
    isLast: boolean,
    remove: (isMarked: boolean) => Promise<void>,
    left: () => Promise<readonly string[]>,
  ): Promise<void> {
    const found = await this.#find();
    if (removalAction(found, this.#claimant) !== "remove") return this.#leave(found, isLast, "nothing", left);
    this.#provenAtMs = this.#context.clock.monotonic();
    try {
      await remove(found.kind !== "none");
    } catch (error) {
      const lost = error instanceof Error ? LOST.get(error) : undefined;
      if (lost === undefined) throw error;
      return this.#leave(lost, isLast, "nothing more", left);
    }
    if (isLast) await this.#removeMark(found);
  }

  /** Says why nothing, or nothing more, is removed. @throws DestinationError if the next operation can remove it */
  async #leave(
    found: FoundMark,
    isLast: boolean,
    what: "nothing" | "nothing more",
    left: () => Promise<readonly string[]>,
  ): Promise<void> {
    const { reporter, owner } = this.#context;
    switch (removalAction(found, this.#claimant)) {
      case "remove":
        return;
      case "leave": {
        const mark = namedMark(found, owner);
        // replaced, renamed or moved within the stack
        const isSuccessor =
          mark?.urn !== undefined && owner.urn !== undefined && stackIn(mark.urn) === stackIn(owner.urn);
        const line = `${what} is removed from ${this.#marks.uri}: it belongs to ${this.#named(found)}`;
        return isSuccessor ? reporter.info(line) : reporter.warn(line);
      }
      case "warn": {
        const reason =
          found.kind === "unreadable"
            ? `its mark ${this.#marks.markUri} cannot be read: ${found.reason}`
            : `its mark ${this.#marks.markUri} is gone, so another resource may have it now`;
        const remedy = (found.kind === "unreadable" && found.remedy) || "";
        // the next operation tries again
        if (!isLast) {
          throw new DestinationError(`${what} is removed from ${this.#marks.uri}: ${reason}`, remedy);
        }
        const items = await left();
        if (items.length === 0) return;
        return reporter.warn(
          `${what} is removed from ${this.#marks.uri}: ${reason}. These stay: ${items.join(", ")}. Remove them by hand if nobody else needs them`,
        );
      }
    }
  }

  /** Removes the mark that the resource has just made, because nothing was published. Best effort. */
  async withdraw(): Promise<void> {
    const found = await this.#find();
    if (found.kind === "mark" && relationOf(found, this.#claimant) === "own") await this.#marks.remove();
  }

  /** The owner that the place has now, by its ID: "" for none. `undefined` if that cannot be read. */
  async ownerNow(): Promise<string | undefined> {
    const found = await this.#find();
    if (found.kind === "none") return "";
    return found.kind === "unreadable" ? undefined : namedMark(found, this.#context.owner)?.owner;
  }

  async #find(): Promise<FoundMark> {
    try {
      const text = await this.#marks.read();
      if (text !== undefined) return markIn(text);
      const [first, ...others] = await this.#marks.earlier();
      return first === undefined ? { kind: "none" } : { kind: "earlier", marks: [first, ...others] };
    } catch (error) {
      if (!(error instanceof UnreadableMarkError)) throw error;
      return { kind: "unreadable", reason: error.message, remedy: error.remedy };
    }
  }

  async #removeMark(found: FoundMark): Promise<void> {
    if (found.kind === "earlier") await this.#marks.removeEarlier();
    // whoever took the place over meanwhile keeps the mark
    if (found.kind !== "mark" || relationOf(await this.#find(), this.#claimant) !== "own") return;
    const left = await this.#marks.remove();
    if (left.length === 0) return;
    this.#context.reporter.warn(
      `these stay in ${this.#marks.uri}, because this resource did not write them, or another run may still need them: ${firstOf(left)}. Remove them when nobody needs them`,
    );
  }

  async #removeEarlier(found: FoundMark | undefined): Promise<void> {
    if (found?.kind === "earlier") await this.#marks.removeEarlier();
  }

  #report(found: FoundMark, action: ClaimAction): void {
    const { reporter, owner } = this.#context;
    const mark = namedMark(found, owner);
    if (mark === undefined || mark.owner === owner.id) return;
    const line = `${this.#marks.uri} is taken over, with everything that is recorded there: it belonged to ${nameOfOwner(mark)}`;
    if (action === "takeOverWarned") reporter.warn(`${line}. \`takeOver\` is set`);
    else reporter.info(line);
  }

  #named(found: FoundMark): string {
    const mark = namedMark(found, this.#context.owner);
    if (mark === undefined) return "another resource";
    const isSame = mark.urn !== undefined && mark.urn === this.#context.owner.urn;
    return isSame ? `another resource of this URN: ${nameOfOwner(mark)}` : nameOfOwner(mark);
  }

  #text(): string {
    return markText(this.#context.owner, this.#context.clock.now());
  }
}
